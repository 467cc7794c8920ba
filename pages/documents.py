"""The Documents page: upload, progress and list of a knowledge base's documents."""

from pages.components.documents.library import draw_documents
from pages.components.shell.frame import require_frame

require_frame()

draw_documents()
