"""Referents of "it", "both" and "there": what a question asked for, the two things it names, the place it is about."""

import re
from collections.abc import Iterator
from itertools import pairwise

from core.platform.language.patterns import any_of, pattern
from core.platform.language.scripts import HAN, HAN_CHARACTER
from core.platform.language.sentences import sentences
from core.platform.language.stopwords import ENGLISH, HAN_PARTICLES, HAN_PHRASES
from core.rulebook.model import QuestionKind
from core.rulebook.understanding.clauses import AUXILIARY
from core.rulebook.understanding.questions import kind_of
from core.rulebook.understanding.relatives import LABEL_PERSON, OWN_PERSON, PERSON
from core.rulebook.understanding.topics import QUOTED, KnownNames, has_han, names_in, occurs, outer_names

_BOTH = any_of(
    r"\b(?:both|the\s+two)(?:\s+of\s+(?:them|these|those))?\b(?!\s+(?-i:[A-Z])|\s+\w+s\b|\s+\w+\s+and\b)",
    rf"[双雙]方|[两兩二]者|[这這]?[两兩][个個座家所艘位条條](?P<sort>[{HAN}]{{1,6}})",
)
"""Words for the two things of the preceding question; "两座" only before a noun for both."""
_THERE = any_of(
    r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )\bthere\b(?!\s+(?:is|are|was|were|any|be|has|have|will)\b)",
    r"那[里裡儿兒边邊]|[当當]地",
)
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
_BEFORE_PLACE = pattern(r"\b(?:in|at|near|to|from|on|since|until)\s+(?:the\s+)?$", re.IGNORECASE)
_AT = {"to": "at"}
_EDGES = (HAN_PARTICLES - frozenset("上中下一")) | frozenset("由从，。？：")
_SHORTEST, _LONGEST = 2, 6
"""Characters of a Chinese name."""


def points_back(bare: str) -> bool:
    """Whether the question has such words; the preceding one need not name two things or a place."""
    return _found(_BOTH, bare) is not None or _found(_THERE, bare) is not None


def taking_up(bare: str, asked: str, told: str, names: KnownNames) -> str:
    """The question with its referent; "" if neither the preceding question nor its answer names one."""
    return _with_sides(bare, asked, names) or _with_place(bare, asked, told, names)


def _found(words: re.Pattern[str], bare: str) -> re.Match[str] | None:
    """Return the pointing words, unless they end a longer expression: "合同双方" and "王室那里" name something."""
    found = words.search(bare)
    before = bare[: found.start()][-1:] if found else ""
    return None if HAN_CHARACTER.match(before) and before not in HAN_PARTICLES else found


def _with_sides(bare: str, asked: str, names: KnownNames) -> str:
    """Return the question with the two things that the preceding one names in place of "both"; "" without them."""
    both, sides = _found(_BOTH, bare), sides_of(asked, names)
    if not both or not sides:
        return ""
    sort = both.groupdict().get("sort") or ""
    own = next((sort[:length] for length in range(len(sort), 0, -1) if sides.endswith(sort[:length])), "")
    if sort and not own:
        return ""
    return f"{bare[: both.start()]}{sides}{bare[both.end() - len(sort) + len(own) :]}"


def _with_place(bare: str, asked: str, told: str, names: KnownNames) -> str:
    """Return the question with the place last spoken of in place of "there"; "" without one."""
    there = _found(_THERE, bare)
    told_of = place_in(_quoted_in(told)) if kind_of(asked) is QuestionKind.WHERE else ""
    place = named_of_kind(asked, told, names) or told_of or place_in(asked)
    if not there or not place:
        return ""
    at = "" if has_han(bare) or place in {told_of, place_in(asked)} else "at "
    return f"{bare[: there.start()]}{at}{place}{bare[there.end() :]}"


def named_of_kind(asked: str, told: str, names: KnownNames) -> str:
    """The one name in the answer, new to the question, of the kind that it asked for: "which vessel", "哪艘船"."""
    kind, told = _kind_asked(asked), _quoted_in(told)
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


def _quoted_in(answer: str) -> str:
    return "\n".join(_QUOTE.findall(answer.replace("**", ""))) or answer


def _named(text: str, names: KnownNames) -> list[str]:
    return outer_names(list(dict.fromkeys([*names.things, *_written(text)])), text)


def _written(text: str) -> list[str]:
    """The capitalised names of each of its sentences."""
    lines = (sentence for line in text.splitlines() for sentence in sentences(line))
    found = (name.rstrip(".") for line in lines for name in names_in(line))
    return [name for name in found if name.casefold() not in ENGLISH]


def told_in(statement: str, label: str, value: str, asked: str, *, person: bool) -> str:
    """Whom or what a person's statement is about: "my sister", not what it says of her.

    The name that it gives is meant where the question before asked who somebody is.
    """
    if kind_of(asked) is QuestionKind.WHO and label:
        if HAN_CHARACTER.search(value):
            return value if len(value) <= _LONGEST and not PERSON.search(value) else _own_in(statement, label, person)
        name = _one([name for name in _written(value) if not _BEFORE_PLACE.search(value[: value.find(name)])])
        if name and value.startswith(name):
            return name
    return _own_in(statement, label, person)


def _own_in(statement: str, label: str, person: bool) -> str:
    """ "my wife Jana" of "My wife Jana works" and "Wife Jana: works"; "my boat" of "Boat: the Kittiwake"."""
    if HAN_CHARACTER.search(statement):
        return _own_in_han(statement, label) if person else ""
    from core.rulebook.syntax.parser import parsed

    said = f"My {label[0].lower()}{label[1:]} is so" if label else statement
    words = parsed([(said, (0, len(said)))])[0]
    subjects = [it for word in words if word.head < 0 for it in word.of("nsubj", "nsubjpass")]
    if not subjects or words[0].lower not in {"my", "our"}:
        return ""
    owners = [word for word in words if word.lower in {"'s", "’s"} and word.place < words[subjects[0].head].place]
    end = owners[0].start if person and owners else words[subjects[0].head].start
    return f"{said[0].lower()}{said[1:end].rstrip()}"


def _own_in_han(statement: str, label: str) -> str:
    if own := OWN_PERSON.match(statement):
        return own.group()
    return f"我的{label}" if LABEL_PERSON.fullmatch(label) else ""


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
