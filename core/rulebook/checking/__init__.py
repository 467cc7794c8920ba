"""Support of the sentences of an answer by passages, and their citations."""
