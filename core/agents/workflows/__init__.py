"""The workflows, one per file, found by the registry."""
