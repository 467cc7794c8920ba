"""From files to blocks and chunks. Pure functions."""
