"""Questions about named things in the knowledge graph: what joins two of them, what is stated of one."""

from core.rulebook.graph.forms import named_by_form
from core.rulebook.graph.statements import asked_statement

__all__ = ["asked_statement", "named_by_form"]
