"""The frame around every page and the code shared by all pages."""
