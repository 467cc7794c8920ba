"""Components of the Chat page."""
