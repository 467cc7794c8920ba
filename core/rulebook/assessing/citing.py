"""[n] in an answer: numbered by first appearance while it streams, invalid ones dropped, then tied to the page.

A claim is located in the chunk's text word by word, or at the unit that shares most of its terms.
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from core.platform.language.patterns import pattern
from core.platform.language.sentences import sentence_spans, sentences
from core.platform.language.terms import content_terms
from core.rulebook.assessing.quotable_spans import readable, units_of
from core.rulebook.assessing.quoted_rows import QUOTED, row_of
from core.search.model import Citation, Passage

_MARKER = pattern(r"([ \t]?)[\[【［](\s*\d{1,3}(?:\s*[,，;、–\-]\s*\d{1,3})*\s*)[\]】］]")
_PERHAPS = pattern(r"\s*[\[【［][\d\s,，;、–\-]{0,24}$|\s+$")
"""The end of a piece that may become a marker with the next one."""
SHOWN = re.compile(r"\[(\d{1,3})\]")
_BEHIND = re.compile(r"\s*(?:\[\d{1,3}\])+[.。]?\s*")
_RANGE = re.compile(r"(\d{1,3})\s*[–\-]\s*(\d{1,3})")


Places = Mapping[str, Sequence[tuple[int, int]]]
"""By id of a chunk, offsets in its text."""
NO_PLACES: Places = MappingProxyType({})


class Numbering:
    """Assigns citation numbers by first appearance."""

    def __init__(self, passages: int) -> None:
        self.passages = passages
        self.order: list[int] = []
        """Position of the passage shown as number 1, 2, ..."""

    def number(self, given: int) -> int | None:
        """The shown number of the passage that the writer calls given (1-based); None when there is none."""
        if not 1 <= given <= self.passages:
            return None
        if given - 1 not in self.order:
            self.order.append(given - 1)
        return self.order.index(given - 1) + 1

    def shown(self, match: re.Match[str]) -> str:
        """What stands in place of a marker: nothing, not even its space, when no passage has the number."""
        numbers = dict.fromkeys(filter(None, map(self.number, _given(match[2]))))
        return match[1] + "".join(f"[{number}]" for number in numbers) if numbers else ""


def renumbered(pieces: Iterator[str], numbering: Numbering) -> Iterator[str]:
    """The pieces with markers as the reader sees them; a marker that is cut by a piece is held back until whole."""
    held = ""
    for piece in pieces:
        text = held + piece
        tail = _PERHAPS.search(text)
        held = text[tail.start() :] if tail else ""
        if ready := _replaced(text[: tail.start()] if tail else text, numbering):
            yield ready
    if last := _replaced(held, numbering).rstrip():
        yield last


def citations_of(answer: str, passages: Sequence[Passage], known: Places = NO_PLACES) -> tuple[Citation, ...]:
    """One citation per number in the answer; passages: in the order of the shown numbers.

    known: places that are cited, by chunk; where there are none, the claims are located by their words.
    """
    claims: dict[int, list[str]] = {}
    for number, claim in claims_of(answer):
        claims.setdefault(number, []).append(claim)
    return tuple(
        _citation(number, claims[number], passages[number - 1], known.get(passages[number - 1].chunk.id, ()))
        for number in sorted(claims)
        if number <= len(passages)
    )


def claims_of(answer: str) -> Iterator[tuple[int, str]]:
    """(number, text before its marker back to the previous marker or line), in order."""
    start, claim = 0, ""
    for match in SHOWN.finditer(answer):
        between = answer[start : match.start()].rpartition("\n")[2].strip(" .。,，;；")
        claim = between or claim
        start = match.end()
        if claim:
            yield int(match[1]), claim


def without_markers(text: str) -> str:
    return re.sub(r"\s*\[\d{1,3}\]", "", text)


def sentences_with_markers(line: str) -> list[str]:
    """Sentences, each with the markers and spaces that follow it; together they are the line."""
    parts: list[str] = []
    at = 0
    for end in [*(end for _, end in sentence_spans(line)), len(line)]:
        piece = line[at:end]
        behind = _BEHIND.match(piece) if parts else None
        if behind:
            parts[-1] += behind.group()
            piece = piece[behind.end() :]
        parts += [piece] if piece else []
        at = end
    return parts


def _citation(number: int, claims: Sequence[str], passage: Passage, known: Sequence[tuple[int, int]] = ()) -> Citation:
    chunk = passage.chunk
    found = dict.fromkeys(known or (span for claim in claims if (span := locate(claim, passage))))
    spans = sorted(found) or [(0, len(chunk.text))]
    boxes = dict.fromkeys(box for start, end in spans for box in chunk.boxes(start, end))
    return Citation(
        number=number,
        chunk_id=chunk.id,
        document_id=chunk.document_id,
        document_name=passage.document_name,
        page=next(iter(boxes))[0] if boxes else chunk.page,
        boxes=tuple(boxes),
        text=" … ".join(readable(chunk.text[start:end]) for start, end in spans),
        score=passage.score,
        url=passage.url,
        row=row_of(chunk.text, spans[0], claims) if len(spans) == 1 else None,
    )


def _replaced(text: str, numbering: Numbering) -> str:
    return _MARKER.sub(numbering.shown, text)


def _given(inside: str) -> Iterator[int]:
    for part in re.split(r"[,，;、]", inside):
        if bounds := _RANGE.search(part):
            first, last = int(bounds[1]), int(bounds[2])
            yield from range(first, min(last, first + 9) + 1)
        elif part.strip().isdigit():
            yield int(part)


class _Levelled(dict[int, str]):
    """For every character one in lower case and round brackets, for white space and asterisks none."""

    def __missing__(self, code: int) -> str:
        character = chr(code)
        self[code] = "" if character.isspace() else character.lower()[:1]
        return self[code]


_LEVELLED = _Levelled({ord("*"): "", ord("["): "(", ord("]"): ")"})
SHARE = 0.3
"""A unit with a smaller share of a claim's terms is unrelated to it."""


def locate(claim: str, passage: Passage) -> tuple[int, int] | None:
    """(start, end) of the claim's support in the chunk's text; None if there is none."""
    candidates = _candidates(claim)
    if span := _first(candidates, passage.chunk.text):
        return span
    units = units_of([passage])
    for unit in units:
        if unit.text in candidates:
            return unit.start, unit.end
    wanted = set(content_terms(claim))
    if not wanted or not units:
        return None
    best = max(units, key=lambda unit: (len(wanted & unit.terms), -unit.start))
    return (best.start, best.end) if len(wanted & best.terms) >= SHARE * len(wanted) else None


def verbatim(claim: str, text: str) -> tuple[int, int] | None:
    """(start, end) of the words in the text, ignoring white space, case, kinds of brackets and bold type."""
    return _first(_candidates(claim), text)


def _first(candidates: Sequence[str], text: str) -> tuple[int, int] | None:
    return next((span for candidate in candidates if (span := _word_by_word(candidate, text))), None)


def _candidates(claim: str) -> list[str]:
    """Texts to look for: the quoted words, the whole claim, its last sentence."""
    quoted = QUOTED.search(claim)
    plain = claim.strip().lstrip("-*• ").strip()
    last = sentences(plain)[-1:]
    return list(dict.fromkeys([*([quoted[1].strip()] if quoted else []), plain, *last]))


def _word_by_word(claim: str, text: str) -> tuple[int, int] | None:
    wanted = claim.removesuffix("…").strip().translate(_LEVELLED)
    at = text.translate(_LEVELLED).find(wanted) if len(wanted) >= 8 else -1
    if at < 0:
        return None
    places = [place for place, character in enumerate(text) if character != "*" and not character.isspace()]
    return places[at], places[at + len(wanted) - 1] + 1
