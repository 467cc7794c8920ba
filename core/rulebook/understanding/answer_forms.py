"""The form of answers that a preference asks for: shorter, longer or in a language, by labelled examples."""

from collections.abc import Mapping
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from core.memory.model import AnswerForm
from core.models.ports import Embedder
from core.platform.errors import ServiceError
from core.platform.language.terms import normal_form
from core.rulebook.assessing.wording import denies_otherwise
from core.rulebook.understanding.fitted import lines_of

EXAMPLES = Path(__file__).with_name("examples") / "forms"
"""One file per form, one preference per line; other.txt has those that ask for nothing of these, or for more."""
NEAR = 0.66
"""Examples with a lower cosine similarity say nothing of a preference."""
CLEAR = 0.05
"""Least lead of the nearest example over that of any other form."""


class AnswerForms:
    """Classifies preferences; thread-safe. Without a semantic embedder only the examples themselves are recognised."""

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._examples = _read_examples()
        self._vectors: Any = None
        self._known: dict[str, AnswerForm | None] = {}
        self._reading = Lock()

    def of(self, preference: str) -> AnswerForm | None:
        """Return the form; None where the preference is about something else, or not certainly about a form."""
        with self._reading:
            if preference not in self._known:
                self._known[preference] = self._judged(_plain(preference))
            return self._known[preference]

    def _judged(self, plain: str) -> AnswerForm | None:
        if plain in self._examples:
            return self._examples[plain]
        if not self._embedder.semantic:
            return None
        try:
            return self._nearest(plain)
        except ServiceError:
            return None

    def _nearest(self, plain: str) -> AnswerForm | None:
        if self._vectors is None:
            self._vectors = np.asarray(self._embedder.embed(list(self._examples)))
        likeness = self._vectors @ np.asarray(self._embedder.embed_query(plain))
        forms, told = list(self._examples.values()), list(self._examples)
        best = int(likeness.argmax())
        others = max(float(alike) for alike, form in zip(likeness, forms, strict=True) if form is not forms[best])
        if likeness[best] < NEAR or likeness[best] - others < CLEAR or denies_otherwise(told[best], plain):
            return None
        return forms[best]


def _read_examples() -> Mapping[str, AnswerForm | None]:
    return {_plain(line): form for form in (*AnswerForm, None) for line in lines_of(EXAMPLES, form or "other")}


def _plain(preference: str) -> str:
    return normal_form(preference).strip(" .。!！").lower()
