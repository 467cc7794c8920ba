"""Where files are kept that every process needs."""
