"""Ingestion: from an uploaded file to a published document."""
