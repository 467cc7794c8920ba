"""English names and terms."""
