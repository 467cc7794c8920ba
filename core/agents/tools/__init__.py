"""Tools for agents: one per file, found by the registry; each reads through the ports and returns a text."""
