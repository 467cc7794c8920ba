"""PDF pages as images, as text and as parts, processed in child processes."""
