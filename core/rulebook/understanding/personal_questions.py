"""Whether a question asks what only the person can have told, or what documents say, by labelled examples."""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path

from core.models.ports import Embedder
from core.rulebook.understanding.fitted import FITTED, Examples, read_labelled

EXAMPLES = Path(__file__).with_name("examples") / "personal"
"""One file per label, one question per line in the form of plain_words()."""


class AskedOf(StrEnum):
    PERSON = "person"
    DOCUMENTS = "documents"


class PersonalQuestions:
    """Classifies questions; thread-safe."""

    def __init__(self, embedder: Embedder) -> None:
        self._examples = Examples(embedder, read_examples(), EXAMPLES / FITTED)

    def margin(self, question: str) -> float:
        """From about -1, of documents, to 1, of the person; 0 where it cannot be told."""
        return self._examples.margins(question).get(AskedOf.PERSON, 0.0)


def read_examples() -> Mapping[str, AskedOf]:
    return read_labelled(EXAMPLES, AskedOf)
