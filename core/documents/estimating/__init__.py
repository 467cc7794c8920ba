"""Cost estimates, made before a document is read."""
