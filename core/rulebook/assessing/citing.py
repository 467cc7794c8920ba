"""Ties the claims of an answer to places on pages.

A claim is located in the chunk's text word by word, or at the unit that shares most of its terms.
"""

from collections.abc import Iterable, Mapping, Sequence
from types import MappingProxyType

from core.platform.language.answer_marks import QUOTED, claims_of
from core.platform.language.sentences import sentences
from core.platform.language.terms import content_terms
from core.rulebook.assessing.quotable_spans import QuotableSpan, readable, units_of
from core.rulebook.assessing.quoted_rows import row_of
from core.search.model import Citation, Passage

Places = Mapping[str, Sequence[tuple[int, int]]]
"""Offsets in the text of a chunk, by its id."""
NO_PLACES: Places = MappingProxyType({})


def citations_of(answer: str, passages: Sequence[Passage], known: Places = NO_PLACES) -> tuple[Citation, ...]:
    """One citation per number in the answer; passages: in the order of the shown numbers.

    known: cited places by chunk; for other chunks the claims are located by their words.
    """
    claims: dict[int, list[str]] = {}
    for number, claim in claims_of(answer):
        claims.setdefault(number, []).append(claim)
    return tuple(
        _citation(number, claims[number], passages[number - 1], known.get(passages[number - 1].chunk.id, ()))
        for number in sorted(claims)
        if number <= len(passages)
    )


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


class _Levelled(dict[int, str]):
    """Translation table to lower case and round brackets, without white space and asterisks."""

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
    if whole := quoted_unit(claim, units):
        return whole.start, whole.end
    wanted = set(content_terms(claim))
    if not wanted or not units:
        return None
    best = max(units, key=lambda unit: (len(wanted & unit.terms), -unit.start))
    return (best.start, best.end) if len(wanted & best.terms) >= SHARE * len(wanted) else None


def quoted_unit(claim: str, units: Iterable[QuotableSpan]) -> QuotableSpan | None:
    """The unit that the claim quotes as a whole, however short it is."""
    candidates = _candidates(claim)
    return next((unit for unit in units if unit.text in candidates), None)


def verbatim(claim: str, text: str) -> tuple[int, int] | None:
    """(start, end) of the words in the text, ignoring white space, case, kinds of brackets and bold type."""
    return _first(_candidates(claim), text)


def _first(candidates: Sequence[str], text: str) -> tuple[int, int] | None:
    return next((span for candidate in candidates if (span := _word_by_word(candidate, text))), None)


def _candidates(claim: str) -> list[str]:
    """Texts to look for: the quoted words, the whole claim, its last sentence."""
    quoted = QUOTED.search(claim)
    plain = claim.strip().lstrip("-*• ").strip("“” ")  # a sentence of a longer quote has one of them
    last = sentences(plain)[-1:]
    return list(dict.fromkeys([*([quoted[1].strip()] if quoted else []), plain, *last]))


def _word_by_word(claim: str, text: str) -> tuple[int, int] | None:
    wanted = claim.removesuffix("…").strip().translate(_LEVELLED)
    at = text.translate(_LEVELLED).find(wanted) if len(wanted) >= 8 else -1
    if at < 0:
        return None
    places = [place for place, character in enumerate(text) if character != "*" and not character.isspace()]
    return places[at], places[at + len(wanted) - 1] + 1
