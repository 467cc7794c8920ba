"""Weights of the examples are fitted once and found by the next process, unless something else was fitted."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from benchmarks.fit_examples import fits
from core.agents.intents import Intent
from core.models.embedding.encoder.sentence_encoder import UniversalSentenceEncoder
from core.rulebook.understanding.fitted import Fitted, kept_or_fitted
from core.rulebook.understanding.intents import plain_words, read_examples

EXAMPLES = {"hello": Intent.GREETING, "thank you": Intent.THANKS, "what is the depth": Intent.QUESTION}


class CountingEmbedder:
    """Counts the letters of a text, and how often it was asked."""

    semantic = True
    dimension = 26

    def __init__(self, name: str = "letters") -> None:
        self.name = name
        self.asked = 0

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        self.asked += 1
        counts = np.array([[text.count(chr(97 + place)) for place in range(26)] for text in texts], float)
        return list(counts / np.linalg.norm(counts, axis=1, keepdims=True))

    def embed_query(self, text: str) -> Sequence[float]:
        return self.embed([text])[0]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "cache" / "intents.npz"


def same(one: Fitted, other: Fitted) -> bool:
    return np.array_equal(one.vectors, other.vectors) and np.array_equal(one.weights, other.weights)


def test_the_next_process_embeds_nothing(path: Path) -> None:
    first, second = CountingEmbedder(), CountingEmbedder()
    made = kept_or_fitted(first, EXAMPLES, path)
    assert same(kept_or_fitted(second, EXAMPLES, path), made)
    assert (first.asked, second.asked) == (1, 0)


def test_other_examples_and_other_embedders_are_fitted_anew(path: Path) -> None:
    kept_or_fitted(CountingEmbedder(), EXAMPLES, path)
    other = CountingEmbedder("other letters")
    kept_or_fitted(other, EXAMPLES, path)
    assert other.asked == 1
    kept_or_fitted(other, {**EXAMPLES, "bye": Intent.FAREWELL}, path)
    kept_or_fitted(other, {**EXAMPLES, "bye": Intent.CHAT}, path)
    assert other.asked == 3


@pytest.mark.parametrize("damage", [b"", b"no archive", b"PK\x03\x04 half an archive"])
def test_a_damaged_file_is_replaced(path: Path, damage: bytes) -> None:
    made = kept_or_fitted(CountingEmbedder(), EXAMPLES, path)
    path.write_bytes(damage)
    embedder = CountingEmbedder()
    assert same(kept_or_fitted(embedder, EXAMPLES, path), made)
    assert same(kept_or_fitted(embedder, EXAMPLES, path), made)
    assert embedder.asked == 1


def test_without_a_place_to_write_it_is_fitted_all_the_same(tmp_path: Path) -> None:
    occupied = tmp_path / "cache"
    occupied.write_text("a file where the folder would be")
    assert len(kept_or_fitted(CountingEmbedder(), EXAMPLES, occupied / "intents.npz").weights) == len(EXAMPLES)
    assert len(kept_or_fitted(CountingEmbedder(), EXAMPLES, None).weights) == len(EXAMPLES)


@pytest.mark.parametrize("at", range(4))
def test_what_comes_along_is_of_the_examples_as_they_are(tmp_path: Path, at: int) -> None:
    path, examples = fits()[at]
    encoder, counting = UniversalSentenceEncoder(tmp_path), CountingEmbedder()
    counting.name, counting.dimension = encoder.name, encoder.dimension
    found = kept_or_fitted(counting, examples, path)
    assert not counting.asked, "run `python -m benchmarks.fit_examples`"
    assert len(found.weights) == len(examples)


def test_examples_are_written_as_messages_are_compared() -> None:
    assert [example for example in read_examples() if plain_words(example) != example] == []
