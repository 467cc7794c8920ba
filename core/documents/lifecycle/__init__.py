"""Documents and knowledge bases: added, edited, removed, restored."""
