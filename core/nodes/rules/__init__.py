"""What the nodes' rules are made of: reading questions, weighing passages, choosing quotes. Pure functions."""
