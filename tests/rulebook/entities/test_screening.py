"""Candidates that the way a document writes them tells to be no names."""

from collections.abc import Sequence

import numpy as np

from core.platform.errors import ServiceError
from core.rulebook.entities.english.extractor import extract_english, read_english
from core.rulebook.entities.english.screening import VECTOR, WEIGHTS, WORDS, candidates, meaning, probability
from core.rulebook.entities.meanings import FITTED_FOR, Meanings

PROSE = (
    "In the morning Elena Marlow wrote a long letter to Tom Fisk about the harbour and the weather, and he answered her"
    " before the boats came back with what little they had found."
)
CODE = "Call it as OutBuffer der_len asn_node = OutBuffer * 2 der_len [0] in_flag."
MANUAL = [PROSE] * 8 + [CODE] * 4
STORIES = [
    f"On that day {first} {last} came to see the harbour, and nobody knew why."
    for first in ("Elena", "Tom", "Maria", "Peter", "Anna")
    for last in ("Marlow", "Fisk", "Lindqvist", "Tarnlow", "Ostrava", "Brindle")
]


class Views:
    """An embedder whose vectors say of every text how much it is junk."""

    name, dimension, semantic = FITTED_FOR, 512, True

    def __init__(self, score: float, broken: bool = False) -> None:
        self._score, self._broken = score, broken

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if self._broken:
            raise ServiceError("error.cancelled")
        weights = np.load(VECTOR).astype(np.float64)
        halves = weights[:512], weights[512:1024]
        wanted = (self._score - weights[-1]) / 2
        return [(halves[at % 2] * wanted / (halves[at % 2] @ halves[at % 2])).tolist() for at in range(len(texts))]

    def embed_query(self, text: str) -> Sequence[float]:
        return self.embed([text])[0]


def found(texts: Sequence[str], meanings: Meanings | None = None) -> set[str]:
    return {entity.name for row in extract_english(texts, [[] for _ in texts], meanings) for entity in row}


def test_what_stands_in_code_alone_is_dropped_and_names_in_sentences_stay() -> None:
    assert found(MANUAL) == {"Elena Marlow", "Tom Fisk"}


def test_short_documents_are_not_screened() -> None:
    assert "OutBuffer" in found([PROSE, CODE])


def test_every_candidate_has_its_context_and_features_that_the_weights_know() -> None:
    read = read_english(MANUAL, [[] for _ in MANUAL])
    by_name = {each.name: each for each in candidates(read.texts, read.documents, read.registry, read.statistics)}
    assert "Call it as OutBuffer der_len" in by_name["OutBuffer"].context
    assert by_name["Elena Marlow"].mentions == 8
    known = WEIGHTS.read_text(encoding="utf-8")
    assert all(f'"{name}"' in known for each in by_name.values() for name in each.features)


def test_the_more_a_candidate_stands_in_code_the_more_it_is_junk() -> None:
    features = {"constant": 1.0, "type CONCEPT": 1.0}
    chances = [probability({**features, "formal": share}, WORDS) for share in (0.0, 0.2, 0.4)]
    assert chances == sorted(chances)
    assert chances[-1] - chances[0] > 0.2


def test_vectors_are_read_as_pairs_of_name_and_context() -> None:
    vectors = np.asarray(Views(0.7).embed(["name", "context"] * 3), dtype=np.float32)
    assert np.allclose(meaning(vectors), 0.7, atol=0.01)


def test_the_encoder_decides_what_the_words_leave_in_doubt() -> None:
    words = [f"{front}{back}" for front in ("Foo", "Bar", "Node", "Out", "Xen") for back in ("Qux", "Baz", "Zot")]
    texts = [f"{word} = 1, then nothing is left of it." for word in words] + STORIES
    kept, dropped = (found(texts, Meanings(Views(score))) for score in (-1.0, 2.0))
    assert kept & set(words)
    assert not dropped & set(words)
    assert kept - set(words) == dropped - set(words) != set()


def test_an_encoder_that_fails_leaves_it_to_the_words() -> None:
    assert found(MANUAL, Meanings(Views(0.0, broken=True))) == found(MANUAL)
