"""Nodes that write answers."""
