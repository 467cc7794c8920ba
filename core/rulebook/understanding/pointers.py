"""Questions that point back by "both" or "there": at two things, or at a place."""

import re

from core.platform.language.patterns import any_of
from core.platform.language.scripts import HAN, HAN_CHARACTER
from core.platform.language.stopwords import HAN_PARTICLES
from core.rulebook.model import QuestionKind
from core.rulebook.understanding.coreference import named_of_kind, place_in, quoted_in, sides_of
from core.rulebook.understanding.questions import kind_of
from core.rulebook.understanding.topics import KnownNames, has_han

_BOTH = any_of(
    r"\b(?:both|the\s+two)(?:\s+of\s+(?:them|these|those))?\b(?!\s+(?-i:[A-Z])|\s+\w+s\b|\s+\w+\s+and\b)",
    rf"[双雙]方|[两兩二]者|[这這]?[两兩][个個座家所艘位条條](?P<sort>[{HAN}]{{1,6}})",
)
"""Words for the two things of the preceding question; "两座" only before a noun for both."""
_THERE = any_of(
    r"(?<!\bis )(?<!\bare )(?<!\bwas )(?<!\bwere )\bthere\b(?!\s+(?:is|are|was|were|any|be|has|have|will)\b)",
    r"那[里裡儿兒边邊]|[当當]地",
)


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
    told_of = place_in(quoted_in(told)) if kind_of(asked) is QuestionKind.WHERE else ""
    place = named_of_kind(asked, told, names) or told_of or place_in(asked)
    if not there or not place:
        return ""
    at = "" if has_han(bare) or place in {told_of, place_in(asked)} else "at "
    return f"{bare[: there.start()]}{at}{place}{bare[there.end() :]}"
