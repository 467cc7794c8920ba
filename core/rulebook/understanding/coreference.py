"""Referents of "it", "both" and "there": the thing that a question asked for, its two sides, the place it is about."""

import re
from collections.abc import Iterator
from itertools import pairwise

from core.platform.language.patterns import pattern
from core.platform.language.scripts import HAN, HAN_CHARACTER
from core.platform.language.sentences import sentences
from core.platform.language.stopwords import HAN_PARTICLES, HAN_PHRASES
from core.rulebook.model import QuestionKind
from core.rulebook.understanding.clauses import AUXILIARY
from core.rulebook.understanding.questions import kind_of
from core.rulebook.understanding.topics import QUOTED, KnownNames, names_in, occurs, outer_names

_EN_KIND = pattern(
    rf"\b(?:what|which)\s+(?!{AUXILIARY}\b|of\b)((?:[\w\-]+\s+){{1,3}}?)(?={AUXILIARY}\b)|\bwhich\s+(?!{AUXILIARY}\b|of\b)([\w\-]+)",
    re.IGNORECASE,
)
_ZH_KIND = pattern(rf"(?:哪[一两]?[个家艘座所位条项款份种]?|什么|何种)([{HAN}]{{1,8}})")
_NO_THING = frozenset({QuestionKind.WHEN, QuestionKind.HOW_MANY})
"""Questions for a date or number, of which nothing more is asked."""
_QUOTE = re.compile(r"“(.+?)” \[", re.DOTALL)
_BESIDE = 4
"""Most characters between a quoted name and what it is: “海燕号”科考船."""
_AND = pattern(r"\s*(?:,?\s+and\s+(?:the\s+)?|[和与與及跟、])\s*", re.IGNORECASE)
_PLACE = pattern(r"\b(in|at|near|to)\s+((?:the\s+)?(?:[a-z\-]+\s+){0,3}?)(?=[A-Z])")
_AT = {"to": "at"}
_EDGES = (HAN_PARTICLES - frozenset("上中下一")) | frozenset("由从，。？：")
_SHORTEST = 2
"""Characters of a Chinese name."""


def named_of_kind(asked: str, told: str, names: KnownNames) -> str:
    """The one name in the answer, new to the question, of the kind that it asked for: "which vessel", "哪艘船"."""
    kind, told = _kind_asked(asked), quoted_in(told)
    new = [name for name in _named(told, names) if not occurs(name, asked)]
    if not kind:
        return ""
    if HAN_CHARACTER.search(kind):
        return next(filter(None, (_of_han(kind[:length], new, told) for length in range(len(kind), 0, -1))), "")
    head = re.escape(kind.split()[-1])
    own = [name for name in new if re.search(rf"\b{head}\b", name, re.IGNORECASE)]
    beside = [
        name for name in new if re.search(rf"\b{head}\s+{re.escape(name)}\b|\b{re.escape(name)}\s+{head}\b", told)
    ]
    return _one(own) or _one(beside)


def _kind_asked(asked: str) -> str:
    """ "research vessel"; of a Chinese question with what stands behind it."""
    if kind_of(asked) in _NO_THING:
        return ""
    found = _ZH_KIND.search(asked) if HAN_CHARACTER.search(asked) else _EN_KIND.search(asked)
    return next(filter(None, found.groups()), "").strip() if found else ""


def _of_han(kind: str, new: list[str], told: str) -> str:
    """Return the one name that ends with the kind, or is quoted in front of it; "" where there is not exactly one."""
    own = [name for name in new if name.endswith(kind)]
    quoted = [it[1] for it in QUOTED.finditer(told) if kind in told[it.end() : it.end() + _BESIDE + len(kind)]]
    return _one(own) or _one(quoted)


def _one(found: list[str]) -> str:
    return found[0] if len(set(found)) == 1 else ""


def quoted_in(answer: str) -> str:
    return "\n".join(_QUOTE.findall(answer.replace("**", ""))) or answer


def _named(text: str, names: KnownNames) -> list[str]:
    return outer_names(list(dict.fromkeys([*names.things, *_written(text)])), text)


def _written(text: str) -> list[str]:
    """The capitalised names of each of its sentences."""
    lines = (sentence for line in text.splitlines() for sentence in sentences(line))
    return [name.rstrip(".") for line in lines for name in names_in(line)]


def sides_of(asked: str, names: KnownNames) -> str:
    """The one pair that the question names, in its words: "Q1和Q2浮标"."""
    return _one(list(_han_pairs(asked) if HAN_CHARACTER.search(asked) else _pairs(asked, names)))


def _pairs(asked: str, names: KnownNames) -> Iterator[str]:
    begins = [(asked.casefold().find(name.casefold()), name) for name in _named(asked, names)]
    spans = sorted((begin, begin + len(name)) for begin, name in begins)
    for (begin, end), (next_begin, next_end) in pairwise(spans):
        if _AND.fullmatch(asked[end:next_begin]):
            yield asked[begin:next_end]


def _han_pairs(asked: str) -> Iterator[str]:
    for joint in _AND.finditer(asked):
        one, other = _last_word(asked[: joint.start()]), _first_word(asked[joint.end() :])
        if one and other:
            yield f"{one}{joint.group()}{other}"


def _last_word(text: str) -> str:
    return text[max((at + 1 for at in range(len(text) - _SHORTEST) if text[at] in _EDGES), default=0) :]


def _first_word(text: str) -> str:
    edges = [at for at in range(_SHORTEST, len(text)) if text[at] in _EDGES]
    return text[: min([*edges, *(text.find(phrase) for phrase in HAN_PHRASES if phrase in text), len(text)])]


def place_in(text: str) -> str:
    """The last place that the text names behind a preposition: "in Canada", "at the shore hut at Gannet Point"."""
    begun = [(found, _written(text[found.end() :])) for found in _PLACE.finditer(text)]
    named = [(found, names[0]) for found, names in begun if names and text.startswith(names[0], found.end())]
    if not named:
        return ""
    found, name = named[-1]
    return f"{_AT.get(found[1], found[1])} {text[found.start(2) : found.end()]}{name}"
