"""What an agent may call: one tool a file, each reads through the ports and gives a text."""
