"""The documents that a question means: those it names, or the only one whose name has its word for the work."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import PurePath

from core.agents.state import Deps
from core.documents.model import DocumentFilter, DocumentStatus
from core.platform.language.terms import normal_form
from core.rulebook.understanding.questions import WHOLE, asks_of_several, kind_of, strip_frames, works_named
from core.rulebook.understanding.routing import may_name_a_document, names_asked

MANY = 200
"""In a larger base words of names are not compared."""
_BESIDE_A_WORD = "?？!！.。,，:;\"'“”‘’()[]"


def documents_meant(base_id: str, question: str, deps: Deps) -> tuple[str, ...]:
    """Ids; empty for all of them."""
    if may_name_a_document(question) and (named := deps.documents.called(base_id, names_asked(question))):
        return named
    if kind_of(question) not in WHOLE or asks_of_several(question) or not (works := works_named(question)):
        return ()
    ready = deps.documents.find(base_id, DocumentFilter((DocumentStatus.READY,)), limit=MANY + 1)
    told = {at for _, at in words_of_one(" ".join(works), [document.name for document in ready])}
    return (ready[told.pop()].id,) if len(told) == 1 and len(ready) <= MANY else ()


def words_of_one(question: str, documents: Sequence[str]) -> list[tuple[str, int]]:
    """(word of the question, place of the document) for each word that stands in the name of one document alone."""
    names = [_pieces(PurePath(name).stem) for name in documents]
    found: list[tuple[str, int]] = []
    for word in normal_form(strip_frames(question)).split():
        bare = word.strip(_BESIDE_A_WORD)
        bearers = [at for at, pieces in enumerate(names) if "".join(filter(str.isalnum, bare)).casefold() in pieces]
        if len(bearers) == 1:
            found.append((bare, bearers[0]))
    return found


def _pieces(name: str) -> frozenset[str]:
    spaced = "".join(sign if sign.isalnum() else " " for sign in normal_form(name))
    return frozenset(piece.casefold() for piece in spaced.split() if len(piece) > 1)
