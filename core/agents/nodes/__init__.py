"""The nodes of the workflows: one file each, with its request, its output and the rule that does it without a model."""
