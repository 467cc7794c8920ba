"""The frame around every page, and what all pages share."""
