"""Components of the Documents page."""
