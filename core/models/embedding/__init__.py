"""Embedders: hashed words, a local sentence model, an endpoint."""
