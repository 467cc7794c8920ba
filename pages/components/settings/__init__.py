"""Components of the Settings page."""
