"""What an agent may call: one tool a file, found by the registry; each reads through the ports and gives a text."""
