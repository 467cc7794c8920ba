"""Names in English and Chinese texts, marked by a small network.

Its weights (`tagger.onnx`, 8 bits) lie beside those of the passage encoder, with which it shares the vocabulary;
benchmarks/train_tagger.py makes them.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

import numpy as np

from core.models.embedding.passages.passage_encoder import BEGIN, END, FOLDER
from core.models.onnx_network import loaded_network
from core.models.ports import TaggedName
from core.platform.errors import Translated, unusable
from core.platform.plain_text import storable

KINDS = ("PERSON", "ORGANIZATION", "LOCATION", "EVENT", "PRODUCT", "WORK", "TERM")
TAGS = ("O", *(f"{place}-{kind}" for kind in KINDS for place in "BI"))
"""The first piece of a name and each further one have a tag of their own."""
LONGEST = 254
"""Pieces that are read at once; what is longer is read in several windows."""
_ENDS = frozenset(".。!！?？;；\n")
"""A window ends behind one of these where it can."""
_MARKS = frozenset(" \n\t,，、;；:：。|")
"""What no name begins or ends with."""
_BETWEEN_TITLES = re.compile(r"[》」』][^\w《「『]*[《「『]")
_HALVES = dict(zip('()（）[]【】《》〈〉「」『』“”"', ')(）（][】【》《〉〈」「』『”“"', strict=True))
"""Brackets and quotes with what closes or opens them."""
_IMPOSSIBLE = -1e9
_INSIDE = range(2, len(TAGS), 2)


class OnnxEntityTagger:
    """EntityTagger in ONNX Runtime on one thread; each window is read by itself, so that none depends on others."""

    def tag(self, texts: Sequence[str]) -> list[list[TaggedName]]:
        """Raises ServiceError when the network cannot be loaded."""
        with Translated(unusable("extraction.tagger_unusable"), Exception):
            tokenizer, session = loaded_network(FOLDER / "tagger.onnx")
        return [
            [name for window in _windows(tokenizer, text) for name in _names(session, text, window)] for text in texts
        ]


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
    tags = _best_tags(np.log(shares + np.finfo(np.float32).tiny))
    for first, last in _stretches(text, window, tags):
        mean, kind = shares[first : last + 1].mean(axis=0), (tags[first] - 1) // 2
        of_kind = float(mean[2 * kind + 1 : 2 * kind + 3].sum())
        for part in _titles(text, *_whole_words(text, window[first][1], window[last][2])):
            start, end = _without_marks(text, *part)
            if start < end:
                yield TaggedName(start, end, KINDS[kind], round(1 - float(mean[0]), 3), round(of_kind, 3))


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


def _stretches(text: str, window: Sequence[Piece], tags: Sequence[int]) -> Iterator[tuple[int, int]]:
    """(first piece, last piece) of each name; two of a kind with nothing between are one, those in two lines never."""
    gaps = [text[one[2] : other[1]] for one, other in pairwise(window)]
    joined = [False, *map(_goes_on, tags, tags[1:], gaps), False]
    firsts = [place for place, tag in enumerate(tags) if tag and not joined[place]]
    lasts = [place for place, tag in enumerate(tags) if tag and not joined[place + 1]]
    return zip(firsts, lasts, strict=True)


def _goes_on(before: int, tag: int, gap: str) -> bool:
    """Whether a piece belongs to the name of the one before it."""
    is_one_kind = before and tag and (before - 1) // 2 == (tag - 1) // 2
    return bool(is_one_kind) and (gap in ("", " ") if tag % 2 else "\n" not in gap)


def _whole_words(text: str, start: int, end: int) -> tuple[int, int]:
    """Widen to whole words of scripts that separate them; a piece may be a part of one."""
    while 0 < start < end and _is_letter(text[start]) and _is_letter(text[start - 1]):
        start -= 1
    while start < end < len(text) and _is_letter(text[end]) and _is_letter(text[end - 1]):
        end += 1
    return start, end


def _titles(text: str, start: int, end: int) -> Iterator[tuple[int, int]]:
    """Each of 《A》《B》, which are several names."""
    for between in _BETWEEN_TITLES.finditer(text, start, end):
        yield start, between.start() + 1
        start = between.end() - 1
    yield start, end


def _without_marks(text: str, start: int, end: int) -> tuple[int, int]:
    """Without commas, quotes and brackets of the sentence around the name; what the name itself closes is its own."""
    while start < end and (text[start] in _MARKS or _is_half(text[start], text[start:end])):
        start += 1
    while start < end and (
        text[end - 1] in _MARKS or _is_half(text[end - 1], text[start:end]) or text[end - 2 : end] == " ."
    ):
        end -= 1
    return start, end


def _is_half(sign: str, name: str) -> bool:
    """Whether a bracket or quote has no other half in the name."""
    other = _HALVES.get(sign)
    return name.count(sign) % 2 == 1 if other == sign else other is not None and name.count(other) < name.count(sign)


def _is_letter(sign: str) -> bool:
    return sign.isalnum() and sign < "\u2e80"
