"""Names across languages: vectors are made in the background, and only names in another script are compared."""

from collections.abc import Sequence

import pytest

from core.graph.names.name_meanings import MOST_NAMES, NameMeanings
from core.models.embedding.encoder.sentence_encoder import UniversalSentenceEncoder
from core.models.embedding.hashed import HashedEmbedder
from core.platform.errors import ServiceError

NAMES = [
    ("e1", "sea ice thickness"),
    ("e2", "Ministry of Education"),
    ("e3", "Oslo"),
    ("e4", "海冰厚度"),
    ("e5", "steam engine"),
]


@pytest.fixture(autouse=True)
def _time_for_vectors(monkeypatch: pytest.MonkeyPatch) -> None:
    """A search goes on without the vectors that a busy machine has not made in time."""
    monkeypatch.setattr("core.graph.names.name_meanings.WAIT_SECONDS", 60.0)


@pytest.fixture(scope="module")
def meanings() -> NameMeanings:
    return NameMeanings(UniversalSentenceEncoder())


@pytest.mark.parametrize(
    ("query", "found"),
    [
        ("教育部", ["e2"]),
        ("蒸汽机", ["e5"]),
        ("奥斯陆", ["e3"]),
        ("sea ice thickness", ["e4"]),
        ("量子引力", []),
        ("  ", []),
    ],
)
def test_names_are_found_from_the_other_script(meanings: NameMeanings, query: str, found: list[str]) -> None:
    assert meanings.nearest(NAMES, query, 5) == found


def test_names_in_the_same_script_are_found_where_any_is_asked_for(meanings: NameMeanings) -> None:
    names = [("e0", "icesea"), *NAMES]
    assert meanings.nearest(names, "thickness of the sea ice", 5) == ["e4"]
    assert set(meanings.nearest(names, "thickness of the sea ice", 5, any_script=True)) == {"e1", "e4"}


def test_names_in_two_scripts_are_paired_where_each_is_nearest_to_the_other(meanings: NameMeanings) -> None:
    """oslod is a program, whatever its letters are near to."""
    names = [("e0", "oslod"), *NAMES, ("e6", "教育部"), ("e7", "冰"), ("e8", "奥斯陆")]
    pairs = {(one, other) for one, other, _ in meanings.counterparts(names, 0.7)}
    assert pairs == {("e4", "e1"), ("e6", "e2"), ("e8", "e3")}
    assert NameMeanings(HashedEmbedder()).counterparts(names, 0.0) == []


def test_without_meanings_nothing_is_found() -> None:
    assert NameMeanings(HashedEmbedder()).nearest(NAMES, "教育部", 5) == []


class Broken(HashedEmbedder):
    semantic = True

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        raise ServiceError("retrieval.encoder_unusable", reason="broken")


def test_an_embedder_that_fails_ends_no_search() -> None:
    assert NameMeanings(Broken()).nearest(NAMES, "教育部", 5) == []


class Counting(HashedEmbedder):
    semantic = True

    def __init__(self) -> None:
        self.made: list[str] = []

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        self.made += texts
        return super().embed(texts)


def test_a_name_is_read_once_and_there_are_bounds() -> None:
    embedder = Counting()
    meanings = NameMeanings(embedder)
    for names in (["Oslo", "Bergen", "Oslo"], ["Oslo", "Tromsø"]):
        if making := meanings.prepare(names):
            making.join()
    assert embedder.made == ["Oslo", "Bergen", "Tromsø"]
    if making := meanings.prepare(f"name {at}" for at in range(MOST_NAMES + 5)):
        making.join()
    assert len(embedder.made) == 3 + MOST_NAMES
