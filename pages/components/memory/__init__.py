"""Components of the Memory page."""
