"""Chinese names and terms."""
