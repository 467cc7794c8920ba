"""The documents that a question means: those it names, or the only one whose name has its word for the work."""

from __future__ import annotations

from core.agents.state import Deps
from core.documents.model import DocumentFilter, DocumentStatus
from core.rulebook.graph.masking import words_of_one
from core.rulebook.understanding.questions import WHOLE, asks_of_several, kind_of, works_named
from core.rulebook.understanding.routing import may_name_a_document, names_asked

MANY = 200
"""In a larger base words of names are not compared."""


def documents_meant(base_id: str, question: str, deps: Deps) -> tuple[str, ...]:
    """Ids; empty for all of them."""
    if may_name_a_document(question) and (named := deps.documents.called(base_id, names_asked(question))):
        return named
    if kind_of(question) not in WHOLE or asks_of_several(question) or not (works := works_named(question)):
        return ()
    ready = deps.documents.find(base_id, DocumentFilter((DocumentStatus.READY,)), limit=MANY + 1)
    told = {at for _, at in words_of_one(" ".join(works), [document.name for document in ready])}
    return (ready[told.pop()].id,) if len(told) == 1 and len(ready) <= MANY else ()
