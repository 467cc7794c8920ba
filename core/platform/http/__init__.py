"""HTTP with a deadline per request."""
