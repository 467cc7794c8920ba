"""A model on this machine: its weights, where they come from, and the process that runs it."""
