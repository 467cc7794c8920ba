"""Evaluation on labelled data, as run by `graphtalk bench`."""
