"""Rules of memory: which memories are relevant to a question, and what is worth keeping. Pure functions."""
