"""Relations that lines state without a verb: "Headquarters: Oslo" below a name, "Ida Holm, director, Nordsee AG;"."""

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise

from core.graph.model import ORGANIZATION, PERSON, ExtractedName
from core.platform.language.stretches import Interval
from core.rulebook.entities.lexicon import words
from core.rulebook.relations.said import Said
from core.rulebook.relations.subjects import MOSTLY, TextSubjects

_PAIR = re.compile(r"^[^\w\n]*(?P<key>[^\W\d_][^:：|\n]{0,38}?)\s*[:：|]\s*(?P<value>[^:：|\n]+?)[\s|]*$", re.MULTILINE)
"""A key and its value in a line of their own, or in the cells of a table with two columns."""
_BEHIND_MEMBER = re.compile(r"\s*[,，(（–—]\s*(?:(?P<title>[^\W\d][^,，;；:.()（）\n]{0,60}?)[,，]\s*)?")
_BEFORE_MEMBER, _BEHIND_BODY = re.compile(r"(?:^|[;；:：\n])[^\w\n]*$"), re.compile(r"[)）]?\s*(?:[;；\n]|$)")


def said_in_lines(text: str, names: Sequence[ExtractedName], context: TextSubjects) -> Iterator[tuple[Interval, Said]]:
    for line in _PAIR.finditer(text):
        if subject := context.described(line.start()):
            said = (Said(subject, line["key"].lower(), each, 0.7, "key") for each in _values(line, names))
            yield from ((line.span(), each) for each in said if each.target.name != subject.name)
    for member, body in pairwise(names):
        if (member.type, body.type) == (PERSON, ORGANIZATION) and (between := _listed(text, member, body)):
            title = f"{between['title'].lower()} of" if between["title"] else "of"
            yield (member.start, body.end), Said(member, title, body, 0.7, "list")


def _values(line: re.Match[str], names: Sequence[ExtractedName]) -> list[ExtractedName]:
    """The names of which the value mostly consists; none where the key has one, too."""
    inside = [each for each in names if line.start() <= each.start and each.end <= line.end()]
    is_value = sum(each.end - each.start for each in inside) >= MOSTLY * len(line["value"])
    return inside if is_value and all(each.start >= line.start("value") for each in inside) else []


def _listed(text: str, member: ExtractedName, body: ExtractedName) -> re.Match[str] | None:
    """What stands between a person and an organization that are an entry of a list: nothing, or a title."""
    is_entry = _BEFORE_MEMBER.search(text[: member.start]) and _BEHIND_BODY.match(text, body.end)
    between = _BEHIND_MEMBER.fullmatch(text, member.end, body.start) if is_entry else None
    return between if between and (not between["title"] or _is_title(between["title"])) else None


def _is_title(said: str) -> bool:
    return said.lower().split()[-1] in words("roles") | words("zh_titles")
