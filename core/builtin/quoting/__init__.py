"""Which sentences and table rows of passages answer a question."""
