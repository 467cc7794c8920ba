"""Chat: questions, answers with citations, and the run beside them."""

from pages.components.frame import require_frame

require_frame()
