"""Vectors of the words of sentences, their tags, and the scores of a parser's moves: spaCy's small English network.

Its rows are found by MurmurHash, as they were trained.
"""

from collections.abc import Mapping, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

_BITS = (1 << 64) - 1
_MULTIPLIER, _SHIFT = 0xC6A4A7935BD1E995, 47
_SEED = 1
Rows = NDArray[np.int64]
Hashes = NDArray[np.uint64]


def number_of(text: str) -> int:
    """MurmurHash64A of the UTF-8 bytes; 0 for the empty string."""
    data = text.encode()
    if not data:
        return 0
    mixed = _SEED ^ (len(data) * _MULTIPLIER & _BITS)
    whole = len(data) - len(data) % 8
    for at in range(0, whole, 8):
        block = int.from_bytes(data[at : at + 8], "little") * _MULTIPLIER & _BITS
        block = (block ^ block >> _SHIFT) * _MULTIPLIER & _BITS
        mixed = (mixed ^ block) * _MULTIPLIER & _BITS
    if whole < len(data):
        mixed = (mixed ^ int.from_bytes(data[whole:], "little")) * _MULTIPLIER & _BITS
    mixed = (mixed ^ mixed >> _SHIFT) * _MULTIPLIER & _BITS
    return mixed ^ mixed >> _SHIFT


def rows_of(numbers: Hashes, seed: int, rows: int) -> Rows:
    """Four rows of a table for each number (MurmurHash3, 128 bits)."""
    first = numbers * np.uint64(0x87C37B91114253D5)
    first = (first << np.uint64(31)) | (first >> np.uint64(33))
    first = first * np.uint64(0x4CF5AD432745937F) ^ np.uint64(seed) ^ np.uint64(8)
    second = np.full_like(first, seed ^ 8)
    first = first + second
    second = second + first
    first, second = _finished(first), _finished(second)
    first = first + second
    second = second + first
    low = np.uint64(0xFFFFFFFF)
    keys = np.stack([first & low, first >> np.uint64(32), second & low, second >> np.uint64(32)], axis=1)
    return (keys % np.uint64(rows)).astype(np.int64)


def _finished(mixed: Hashes) -> Hashes:
    mixed = (mixed ^ mixed >> np.uint64(33)) * np.uint64(0xFF51AFD7ED558CCD)
    mixed = (mixed ^ mixed >> np.uint64(33)) * np.uint64(0xC4CEB9FE1A85EC53)
    return mixed ^ mixed >> np.uint64(33)


Floats = NDArray[np.float32]
WEIGHTS = Path(__file__).with_name("weights.npz")
"""Weights of Explosion's en_core_web_sm 3.8.0 (MIT) in half precision; made by benchmarks/english_weights.py."""
WIDTH, PIECES, LAYERS = 96, 3, 4
_MEAN = np.full(WIDTH, 1 / WIDTH, dtype=np.float32)
_FIRST_SEED = 8
_TABLES = 6
"""Tables of a word's norm, first letter, ending and shape, of what follows it, and of white space."""
_SPACE_KNOWN = 20_000
"""Words whose vectors are kept."""
_LONGEST_RUN = 4


class SyntaxNetwork:
    def __init__(self, weights: Mapping[str, NDArray[np.generic]]) -> None:
        given = {name: np.asarray(value) for name, value in weights.items()}
        self._tables = [_floats(given[f"table{number}"]) for number in range(_TABLES)]
        self._norms = dict(zip(given["norm_words"].tolist(), given["norms"].tolist(), strict=True))
        self._mix = _Layer(given, "mix")
        self._layers = [_Layer(given, f"layer{number}") for number in range(LAYERS)]
        self.tags: list[str] = given["tags"].tolist()
        self.moves: list[str] = given["moves"].tolist()
        self._tagger, self._tagger_bias = _floats(given["tagger"]), _floats(given["tagger_bias"])
        self._narrow, self._narrow_bias = _floats(given["narrow"]), _floats(given["narrow_bias"])
        feature, bias, padding = (_floats(given[name]) for name in ("feature", "feature_bias", "padding"))
        self.features, self._hidden, _, width = feature.shape
        self._feature = np.ascontiguousarray(feature.transpose(0, 2, 1, 3).reshape(-1, width).T)
        self._feature_bias = bias.T.reshape(-1)
        self._padding = padding.transpose(0, 1, 3, 2).reshape(1, self.features, -1)
        """Halves are stored as two blocks, whose maximum is faster than that of interleaved pairs."""
        self._upper, self._upper_bias = _floats(given["upper"]), _floats(given["upper_bias"])
        self._known: dict[tuple[str, bool], Floats] = {}

    def encode(self, sentences: Sequence[Sequence[tuple[str, bool]]]) -> tuple[Floats, list[int]]:
        """One row a word, of all sentences one after the other, and where each begins.

        A word comes with whether a space follows it.
        """
        gap = np.zeros((LAYERS, WIDTH), dtype=np.float32)
        self._learn([word for sentence in sentences for word in sentence])
        parts, starts, at = [gap], [], LAYERS
        for sentence in sentences:
            parts += [np.stack([self._known[word] for word in sentence]), gap]
            starts.append(at)
            at += len(sentence) + LAYERS
        vectors = np.concatenate(parts)
        for layer in self._layers:
            around = np.zeros((len(vectors), 3 * WIDTH), dtype=np.float32)
            around[1:, :WIDTH], around[:, WIDTH : 2 * WIDTH], around[:-1, 2 * WIDTH :] = (
                vectors[:-1],
                vectors,
                vectors[1:],
            )
            vectors = vectors + layer.of(around)
        return vectors, starts

    def tags_of(self, vectors: Floats) -> list[str]:
        best = (vectors @ self._tagger.T + self._tagger_bias).argmax(axis=1)
        return [self.tags[number] for number in best.tolist()]

    def prepared(self, vectors: Floats) -> Floats:
        """(words + 1, features, halves x hidden): what each word adds as each feature; row 0 is for none."""
        narrow = vectors @ self._narrow.T + self._narrow_bias
        return np.concatenate([self._padding, (narrow @ self._feature).reshape(len(vectors), self.features, -1)])

    def scores(self, prepared: Floats, rows: NDArray[np.int64]) -> Floats:
        """Of each move in each state; rows of `prepared` for each feature of the state."""
        summed = self._feature_bias + prepared[rows[:, 0], 0]
        for feature in range(1, self.features):
            summed += prepared[rows[:, feature], feature]
        hidden: Floats = np.maximum(summed[:, : self._hidden], summed[:, self._hidden :])
        return hidden @ self._upper.T + self._upper_bias

    def _learn(self, words: Sequence[tuple[str, bool]]) -> None:
        if len(self._known) > _SPACE_KNOWN:
            self._known.clear()
        new = list(dict.fromkeys(word for word in words if word not in self._known))
        if not new:
            return
        numbers = np.array([self._numbers(*word) for word in new], dtype=np.uint64)
        parts = [
            table[rows_of(numbers[:, at], _FIRST_SEED + at, len(table))].sum(axis=1)
            for at, table in enumerate(self._tables)
        ]
        self._known.update(zip(new, self._mix.of(np.concatenate(parts, axis=1)), strict=True))

    def _numbers(self, word: str, spaced: bool) -> tuple[int, ...]:
        whole = number_of(word)
        norm = self._norms.get(whole) or number_of(word.lower())
        return norm, number_of(word[0]), number_of(word[-3:]), number_of(_shape(word)), int(spaced), int(word.isspace())


class _Layer:
    """Linear, the greatest of the pieces, normalised."""

    def __init__(self, given: Mapping[str, NDArray[np.generic]], name: str) -> None:
        weights = _floats(given[name]).transpose(1, 0, 2)
        self._weights = np.ascontiguousarray(weights.reshape(WIDTH * PIECES, -1).T)
        self._bias = _floats(given[f"{name}_bias"]).T.reshape(-1)
        self._scale, self._shift = _floats(given[f"{name}_scale"]), _floats(given[f"{name}_shift"])

    def of(self, values: Floats) -> Floats:
        pieces = values @ self._weights + self._bias
        best = np.maximum(pieces[:, :WIDTH], pieces[:, WIDTH : 2 * WIDTH])
        np.maximum(best, pieces[:, 2 * WIDTH :], out=best)
        centred: Floats = best - (best @ _MEAN)[:, None]
        centred /= np.sqrt(np.einsum("ij,ij->i", centred, centred) / WIDTH + np.float32(1e-8))[:, None]
        return centred * self._scale + self._shift


def _floats(values: NDArray[np.generic]) -> Floats:
    return values.astype(np.float32)


def _shape(word: str) -> str:
    """Xxxx, dd: letters and digits by kind, runs cut."""
    kinds = ("X" if c.isalpha() and c.isupper() else "x" if c.isalpha() else "d" if c.isdigit() else c for c in word)
    return "".join(kind * min(_LONGEST_RUN, sum(1 for _ in run)) for kind, run in groupby(kinds))


@cache
def network() -> SyntaxNetwork:
    with np.load(WEIGHTS) as stored:
        return SyntaxNetwork(dict(stored))
