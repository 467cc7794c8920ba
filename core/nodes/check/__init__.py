"""Nodes that check answers."""
