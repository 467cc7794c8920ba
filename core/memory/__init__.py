"""Rules of memory: which ones bear on a question, and what is worth keeping. Pure functions."""
