"""Nodes that recall and keep memories."""
