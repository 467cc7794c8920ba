"""Components of the Graph page."""
