"""Vectors in Chroma, words in tantivy."""
