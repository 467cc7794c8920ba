"""Weights of the examples come from a file, unless they are of something else."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from benchmarks.fit_examples import fits
from core.agents.intents import Intent
from core.models.embedding.encoder.sentence_encoder import UniversalSentenceEncoder
from core.rulebook.understanding.fitted import Fitted, digest_of, fitted, loaded_or_fitted, packed
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
    return tmp_path / "fitted.npz"


def write(path: Path, embedder: CountingEmbedder) -> Fitted:
    made = fitted(embedder, EXAMPLES)
    path.write_bytes(packed(made, digest_of(embedder, EXAMPLES)))
    return made


def same(one: Fitted, other: Fitted) -> bool:
    return np.array_equal(one.vectors, other.vectors) and np.array_equal(one.weights, other.weights)


def test_what_is_in_the_file_is_not_embedded(path: Path) -> None:
    made, embedder = write(path, CountingEmbedder()), CountingEmbedder()
    assert same(loaded_or_fitted(embedder, EXAMPLES, path), made)
    assert not embedder.asked


def test_other_examples_and_other_embedders_are_fitted(path: Path) -> None:
    write(path, CountingEmbedder())
    other = CountingEmbedder("other letters")
    loaded_or_fitted(other, EXAMPLES, path)
    same_embedder = CountingEmbedder()
    loaded_or_fitted(same_embedder, {**EXAMPLES, "bye": Intent.FAREWELL}, path)
    loaded_or_fitted(same_embedder, {**EXAMPLES, "hello": Intent.CHAT}, path)
    assert (other.asked, same_embedder.asked) == (1, 2)


@pytest.mark.parametrize("damage", [b"", b"no archive", b"PK\x03\x04 half an archive"])
def test_without_a_sound_file_the_weights_are_fitted(path: Path, damage: bytes) -> None:
    made, embedder = write(path, CountingEmbedder()), CountingEmbedder()
    path.write_bytes(damage)
    assert same(loaded_or_fitted(embedder, EXAMPLES, path), made)
    assert embedder.asked == 1


@pytest.mark.parametrize("at", range(len(fits())))
def test_what_comes_along_is_of_the_examples_as_they_are(tmp_path: Path, at: int) -> None:
    path, examples = fits()[at]
    encoder, counting = UniversalSentenceEncoder(tmp_path), CountingEmbedder()
    counting.name, counting.dimension = encoder.name, encoder.dimension
    found = loaded_or_fitted(counting, examples, path)
    assert not counting.asked, "run `python -m benchmarks.fit_examples`"
    assert len(found.weights) == len(examples)


def test_examples_are_written_as_messages_are_compared() -> None:
    assert [example for example in read_examples() if plain_words(example) != example] == []
