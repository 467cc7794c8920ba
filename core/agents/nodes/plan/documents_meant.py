"""The documents that a question means: those it names, or the only one whose name has its word for the work."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from core.agents.state import Deps
from core.documents.model import DocumentFilter, DocumentStatus
from core.platform.language.terms import normal_form
from core.rulebook.messages import Question

MANY = 200
"""In a larger base words of names are not compared."""
_BESIDE_A_WORD = "?？!！.。,，:;\"'“”‘’()[]"


def documents_meant(base_id: str, question: str, deps: Deps) -> tuple[str, ...]:
    """Ids; empty for all of them."""
    asked = Question(question)
    if asked.may_name_a_document and (named := deps.documents.called(base_id, asked.possible_titles)):
        return named
    if not asked.kind.is_about_whole_documents or asked.asks_of_several or not (works := asked.works):
        return ()
    ready = deps.documents.find(base_id, DocumentFilter((DocumentStatus.READY,)), limit=MANY + 1)
    told = {at for _, at in words_of_one(" ".join(works), [document.name for document in ready])}
    return (ready[told.pop()].id,) if len(told) == 1 and len(ready) <= MANY else ()


def words_of_one(question: str, documents: Sequence[str]) -> list[tuple[str, int]]:
    """(word of the question, place of the document) for each word that stands in the name of one document alone."""
    names = [_pieces(PurePath(name).stem) for name in documents]
    found: list[tuple[str, int]] = []
    for word in normal_form(Question(question).plain).split():
        bare = word.strip(_BESIDE_A_WORD)
        bearers = [at for at, pieces in enumerate(names) if "".join(filter(str.isalnum, bare)).casefold() in pieces]
        if len(bearers) == 1:
            found.append((bare, bearers[0]))
    return found


def _pieces(name: str) -> frozenset[str]:
    spaced = "".join(sign if sign.isalnum() else " " for sign in normal_form(name))
    return frozenset(piece.casefold() for piece in spaced.split() if len(piece) > 1)
