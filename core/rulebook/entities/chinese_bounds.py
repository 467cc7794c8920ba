"""Bounds of Chinese names at the words of a dictionary: 吴三桂 for 吴三, 日本 for 在日本."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

from core.models.ports import TaggedName
from core.platform.language.scripts import HAN_CHARACTER
from core.platform.language.stretches import Interval
from core.rulebook.relations.chinese_pieces import IS
from core.rulebook.relations.chinese_segmentation import FOREIGN_TAG, PERSON_TAG, Dictionary, SegmentedWord, segment
from core.rulebook.relations.traditional import simplify

_AROUND = 6
"""Characters beside a name that are segmented with it."""
_OF = "的"
_NAMES = ("nr", "ns", "nt", "nz")
_GOVERNING = frozenset("pc")
"""Tags of words that belong to no name behind them."""


def at_words(text: str, tagged: Sequence[TaggedName], dictionary: Callable[[], Dictionary]) -> Iterator[TaggedName]:
    """The names, in order and without overlaps; dictionary: read where there are Chinese ones."""
    plain = simplify(text) if tagged and HAN_CHARACTER.search(text) else ""
    before = 0
    for number, each in enumerate(tagged):
        following = tagged[number + 1].start if number + 1 < len(tagged) else len(text)
        if HAN_CHARACTER.search(text, each.start, each.end):
            start, end = _at_words(plain, (each.start, each.end), dictionary())
            each = replace(each, start=max(start, before), end=min(end, following))
        before = each.end
        yield each


def _at_words(text: str, name: Interval, dictionary: Dictionary) -> Interval:
    start, end = name
    own = list(segment(text, start, end, dictionary))
    for word in segment(text, max(0, start - _AROUND), min(len(text), end + _AROUND), dictionary):
        if word.tag == PERSON_TAG and word.start <= start and end <= word.end and word.text in dictionary.tags:
            start, end = word.start, word.end
        elif word.start < start < word.end < end and word.end - start >= start - word.start:
            start = start if own[0].tag == FOREIGN_TAG else word.start
        elif start < word.start < end < word.end:
            end = _end_at(word, end, own[-1], text)
    if _is_governed(own):
        start = max(start, own[1].start)
    start += text[start] == _OF
    return start, end - (text[end - 1] == _OF)


def _end_at(word: SegmentedWord, end: int, last: SegmentedWord, text: str) -> int:
    """Where a name ends that ends within a word; last: the last word of the name by itself."""
    if end - word.start > word.end - end:
        return word.end
    is_beside = len(last.text) == end - word.start == 1 and text[end] != text[end - 1]  # not 处 of 高教处处长
    return word.start if is_beside else end


def _is_governed(own: Sequence[SegmentedWord]) -> bool:
    """Whether a word that belongs to the sentence begins the name: 在日本."""
    return len(own) > 1 and (own[0].tag in _GOVERNING or own[0].text in IS) and own[1].tag.startswith(_NAMES)
