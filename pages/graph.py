"""The Graph page: walk the entities of a knowledge base and see what each one stands on."""

from pages.components.graph.page import draw_graph
from pages.components.shell.frame import require_frame

require_frame()

draw_graph()
