"""The language and script that the answer is owed in, and the question without its accidents of typing."""

from __future__ import annotations

import unicodedata
from dataclasses import replace
from typing import TYPE_CHECKING

from core.nodes.detect_language import detect_language
from core.state import Deps, State, Update

if TYPE_CHECKING:
    from langgraph.runtime import Runtime


def normalized(question: str) -> str:
    """Composed characters, single spaces; the script and the words stay the user's."""
    return " ".join(unicodedata.normalize("NFC", question).split())


def language_normalizer(state: State, runtime: Runtime[Deps]) -> Update:
    found = detect_language(state, runtime)
    question = normalized(state.question)
    note = found["note"]
    if question != state.question:
        note = replace(note, details=(*note.details, ("resolved", question)))
    return {**found, "resolved_question": question, "note": note}
