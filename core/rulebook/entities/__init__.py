"""Entities of texts by rules: English and Chinese."""
