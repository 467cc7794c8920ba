"""Nodes that search and grade what they find."""
