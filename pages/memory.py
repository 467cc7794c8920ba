"""Memory: everything that the product remembers, to search, correct and delete."""

from pages.components.frame import require_frame

require_frame()
