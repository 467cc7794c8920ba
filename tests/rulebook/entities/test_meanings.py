"""Types by the meaning of names, with an embedder that knows a few."""

from collections.abc import Sequence

import numpy as np

from core.platform.errors import ServiceError
from core.rulebook.entities import meanings
from core.rulebook.entities.meanings import FITTED_FOR, TYPES, Meanings
from core.rulebook.entities.registry import Known


class Vectors:
    """The vector that the weights read as the type that a name ends in."""

    dimension, semantic = 512, True

    def __init__(self, name: str = FITTED_FOR, broken: bool = False) -> None:
        self.name = name
        self.asked: list[str] = []
        self._broken = broken

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if self._broken:
            raise ServiceError("error.cancelled")
        self.asked += texts
        weights = np.asarray(np.load(meanings.WEIGHTS), dtype=np.float64)
        wanted = [np.eye(len(TYPES))[TYPES.index(text.split()[-1])] - weights[-1] for text in texts]
        return [np.linalg.lstsq(weights[:-1].T, each, rcond=None)[0].tolist() for each in wanted]

    def embed_query(self, text: str) -> Sequence[float]:
        return self.embed([text])[0]


def known(kind: str, weight: float, count: int = 2) -> Known:
    return Known(0.7, {kind: weight * count}, count=count)


def weighed(embedder: Vectors, texts: int = 100, lead: float = 0.5) -> list[str]:
    names = [(f"name {number} CONCEPT", known("PERSON", lead)) for number in range(30)]
    Meanings(embedder).weigh(names, texts)
    return [each.best() for _, each in names]


def test_meaning_decides_where_words_and_context_leave_the_type_open() -> None:
    assert weighed(Vectors()) == ["CONCEPT"] * 30
    assert weighed(Vectors(), lead=4.0) == ["PERSON"] * 30


def test_without_the_encoder_the_weights_were_fitted_for_nothing_changes() -> None:
    assert weighed(Vectors("hashed-1024")) == ["PERSON"] * 30
    assert weighed(Vectors(broken=True)) == ["PERSON"] * 30


def test_the_names_that_are_asked_about_are_bounded_and_the_most_mentioned() -> None:
    embedder = Vectors()
    names = [(f"name {number} CONCEPT", known("PERSON", 0.5, 2 + number % 7)) for number in range(70)]
    Meanings(embedder).weigh(names, texts=15)
    assert len(embedder.asked) == 30
    least_asked = min(each.count for name, each in names if name in embedder.asked)
    assert least_asked >= max(each.count for name, each in names if name not in embedder.asked)


def test_few_names_do_not_load_an_encoder() -> None:
    embedder = Vectors()
    Meanings(embedder).weigh([("name CONCEPT", known("PERSON", 0.5))], texts=100)
    assert embedder.asked == []
