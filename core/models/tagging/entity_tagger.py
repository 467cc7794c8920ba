"""Names in English and Chinese texts, marked by a small network.

Its weights (`tagger.onnx`, 8 bits) lie beside those of the passage encoder, with which it shares the vocabulary;
benchmarks/train_tagger.py makes them.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from core.models.embedding.passages.passage_encoder import BEGIN, END, FOLDER
from core.models.onnx_network import loaded_network
from core.models.ports import TaggedName
from core.platform.errors import ServiceError, Translated
from core.platform.plain_text import storable

KINDS = ("PERSON", "ORGANIZATION", "LOCATION", "EVENT", "PRODUCT", "WORK", "TERM")
TAGS = ("O", *(f"{place}-{kind}" for kind in KINDS for place in "BI"))
"""The first piece of a name and each further one have a tag of their own."""
LONGEST = 254
"""Pieces that are read at once; what is longer is read in several windows."""
_ENDS = frozenset(".。!！?？;；\n")
"""A window ends behind one of these where it can."""
_IMPOSSIBLE = -1e9
_INSIDE = range(2, len(TAGS), 2)


class OnnxEntityTagger:
    """EntityTagger in ONNX Runtime on one thread; each window is read by itself, so that none depends on others."""

    def tag(self, texts: Sequence[str]) -> list[list[TaggedName]]:
        """Raises ServiceError when the network cannot be loaded."""
        with Translated(_unusable, Exception):
            tokenizer, session = loaded_network(FOLDER / "tagger.onnx")
        return [
            [name for window in _windows(tokenizer, text) for name in _names(session, text, window)] for text in texts
        ]


def _unusable(error: BaseException) -> ServiceError:
    return ServiceError("extraction.tagger_unusable", reason=f"{type(error).__name__}: {error}"[:200])


Piece = tuple[int, int, int]
"""Number in the vocabulary, and the characters from start to end."""


def _windows(tokenizer: Any, text: str) -> Iterator[list[Piece]]:
    encoded = tokenizer.encode(storable(text), add_special_tokens=False)
    pieces = [
        (number, end - len(text[start:end].lstrip()), end)
        for number, (start, end) in zip(encoded.ids, encoded.offsets, strict=True)
    ]
    while len(pieces) > LONGEST:
        ends = (at for at in range(LONGEST, LONGEST // 2, -1) if _ends_sentence(text, pieces[at - 1], pieces[at]))
        end = next(ends, LONGEST)
        yield pieces[:end]
        pieces = pieces[end:]
    if pieces:
        yield pieces


def _ends_sentence(text: str, piece: Piece, following: Piece) -> bool:
    return not _ENDS.isdisjoint(text[piece[2] - 1 : following[1]])


def _names(session: Any, text: str, window: list[Piece]) -> Iterator[TaggedName]:
    ids = np.array([[BEGIN, *(piece[0] for piece in window), END]], dtype=np.int64)
    numbers = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0][1:-1]
    exponentials = np.exp(numbers - numbers.max(axis=1, keepdims=True))
    shares = exponentials / exponentials.sum(axis=1, keepdims=True)
    for first, last, tag in _stretches(text, window, _best_tags(np.log(shares + np.finfo(np.float32).tiny))):
        start, end = _whole_words(text, window[first][1], window[last][2])
        mean = shares[first : last + 1].mean(axis=0)
        if start < end:
            of_kind = float(mean[tag : tag + 2].sum())
            yield TaggedName(start, end, KINDS[tag // 2], round(1 - float(mean[0]), 3), round(of_kind, 3))


def _best_tags(logarithms: Any) -> list[int]:
    """The likeliest tags of which none is inside a name that has not begun (Viterbi)."""
    steps = np.zeros((len(TAGS), len(TAGS)))
    for inside in _INSIDE:
        steps[:, inside] = _IMPOSSIBLE
        steps[inside - 1 : inside + 1, inside] = 0
    score = logarithms[0].copy()
    score[_INSIDE] = _IMPOSSIBLE
    before: list[Any] = []
    for row in logarithms[1:]:
        reached = score[:, None] + steps
        before.append(reached.argmax(axis=0))
        score = reached.max(axis=0) + row
    tags = [int(score.argmax())]
    for each in reversed(before):
        tags.append(int(each[tags[-1]]))
    return tags[::-1]


def _stretches(text: str, window: Sequence[Piece], tags: Sequence[int]) -> Iterator[tuple[int, int, int]]:
    """Yield (first piece, last piece, tag of the first) of each name.

    Two of a kind with nothing between are one, and no name goes on in another line.
    """
    gaps = [text[one[2] : other[1]] for one, other in pairwise(window)]
    last = -1
    for first, tag in enumerate(tags):
        if tag and first > last:
            kind, last = (tag - 1) // 2, first
            while last + 1 < len(tags) and (
                (tags[last + 1] == 2 * kind + 2 and "\n" not in gaps[last])
                or (tags[last + 1] == 2 * kind + 1 and gaps[last] in ("", " "))
            ):
                last += 1
            yield first, last, 2 * kind + 1


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen to whole words of scripts that separate them; a piece may be a part of one."""
    while 0 < start < end and _is_letter(text[start]) and _is_letter(text[start - 1]):
        start -= 1
    while start < end < len(text) and _is_letter(text[end]) and _is_letter(text[end - 1]):
        end += 1
    return start, end


def _is_letter(sign: str) -> bool:
    return sign.isalnum() and sign < "\u2e80"
