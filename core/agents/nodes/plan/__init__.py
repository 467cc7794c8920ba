"""Nodes that decide what a question is and how to answer it."""
