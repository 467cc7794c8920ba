"""Selects the sentences and table rows of passages that answer a question."""
