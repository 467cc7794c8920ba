"""Evaluation: lists of questions read, asked as runs, measured, and compared with the last time."""
