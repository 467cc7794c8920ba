"""Decides by labelled examples whether a masked question asks for a connection or a list, and for nothing else."""

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from core.graph.model import Entity
from core.graph.questions import GraphQuestion
from core.models.ports import Embedder
from core.platform.errors import ServiceError
from core.platform.language.patterns import pattern
from core.platform.language.scripts import HAN, HAN_CHARACTER
from core.rulebook.graph.masking import masked_beside, masked_names, masked_type
from core.rulebook.understanding.fitted import FITTED, Examples, read_labelled
from core.rulebook.understanding.intents import plain_words
from core.rulebook.understanding.questions import strip_frames

EXAMPLES = Path(__file__).with_name("examples")
"""One file per kind, one masked question per line: see masking.py."""
SURE = 0.35
"""Margin from which a question is of its kind: when their own weight is left out, 90 % of the examples reach it, and of
those that ask for more, all written to be mistaken for one, 13 of 413."""
_BESIDE_HAN = pattern(f" (?=[{HAN}])|(?<=[{HAN}]) ")
_WORD = re.compile(r"\w+(?:'\w+)?")
"""A word, once Chinese characters are separated."""


class GraphQuestions:
    """Classifies masked questions; thread-safe.

    Every word except the masks has to occur in the examples of the kind; other questions are searched. Without a
    semantic embedder only the examples themselves are recognised.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._examples = read_examples()
        self._words = {kind: _words_of(self._examples, kind) for kind in GraphQuestion}
        self._fitted = Examples(embedder, self._examples, EXAMPLES / FITTED)

    def asks_overview(self, question: str) -> bool:
        """Return whether the graph as a whole is asked for."""
        return self.of(strip_frames(question)) is GraphQuestion.OVERVIEW

    def connected(self, question: str, named: Sequence[Entity]) -> tuple[Entity, ...]:
        """Return the named entities whose connection is asked for; empty for another question."""
        masked = masked_names(question, self._without_frames(GraphQuestion.CONNECTION, named))
        return masked.entities if masked and self.of(masked.question) is GraphQuestion.CONNECTION else ()

    def beside(self, question: str, named: Sequence[Entity], types: Sequence[str]) -> tuple[Entity, str] | None:
        """Return the one named entity and the type of the names asked for that are mentioned with it."""
        masked = masked_beside(question, self._without_frames(GraphQuestion.BESIDE, named), types)
        asks = masked and self.of(masked.question) is GraphQuestion.BESIDE
        return (masked.entities[0], masked.type) if masked and asks else None

    def listed(self, question: str, types: Sequence[str], documents: Sequence[str] = ()) -> str:
        """Return the type whose names are asked for; documents: names that may stand in the question."""
        masked = masked_type(question, types, documents)
        return masked.type if masked and self.of(masked.question) is GraphQuestion.LIST else ""

    def names_a_type(self, question: str, types: Sequence[str]) -> bool:
        """Return whether the question has exactly one word for one of the types."""
        return masked_type(question, types, ()) is not None

    def _without_frames(self, kind: GraphQuestion, named: Sequence[Entity]) -> list[Entity]:
        """Return the entities whose names are not just words of questions of the kind."""
        return [each for each in named if not self.is_frame(kind, each.name)]

    def of(self, masked: str) -> GraphQuestion:
        """Return the kind of a question whose names or type are masked; OTHER unless it certainly is another one."""
        plain = _plain(masked)
        if known := self._examples.get(plain):
            return known
        spoken = _spoken(plain)
        if not self._embedder.semantic or not any(spoken <= self._words[kind] for kind in _ANSWERED):
            return GraphQuestion.OTHER
        try:
            likeness, margins = self._fitted.compared(plain)
        except ServiceError:
            return GraphQuestion.OTHER
        kind = list(self._examples.values())[int(likeness.argmax())]
        return kind if -margins[GraphQuestion.OTHER] >= SURE and spoken <= self._words[kind] else GraphQuestion.OTHER

    def is_frame(self, kind: GraphQuestion, words: str) -> bool:
        """Whether the words are only words of questions of the kind."""
        return _spoken(_plain(words)) <= self._words[kind]


_ANSWERED = frozenset(GraphQuestion) - {GraphQuestion.OTHER}


def read_examples() -> Mapping[str, GraphQuestion]:
    return {_plain(line): kind for line, kind in read_labelled(EXAMPLES, GraphQuestion).items()}


def _words_of(examples: Mapping[str, GraphQuestion], wanted: GraphQuestion) -> frozenset[str]:
    return frozenset(_spoken("\n".join(plain for plain, kind in examples.items() if kind is wanted)))


def _spoken(plain: str) -> set[str]:
    """Return the words, and each Chinese character."""
    return {*_WORD.findall(HAN_CHARACTER.sub(r" \g<0> ", plain))}


def _plain(masked: str) -> str:
    """Lower case, one script and width, no punctuation, no spaces next to Chinese characters."""
    plain = plain_words(masked)
    return plain if plain.isascii() else _BESIDE_HAN.sub("", plain)
