"""Locates the names of an answer in the texts of a unit: exact search first, LangExtract's aligner for the rest."""

from collections.abc import Sequence
from itertools import groupby
from operator import itemgetter

from langextract.core.data import Extraction
from langextract.core.tokenizer import UnicodeTokenizer
from langextract.resolver import WordAligner

from core.documents.extraction.langextract.form import ListedNames, Stated
from core.documents.extraction.packing import PackedTexts
from core.documents.extraction.span_alignment import (
    NEARLY,
    Placed,
    SoughtName,
    gap,
    is_name,
    most_alike,
    nearest,
    occurrences,
    settled,
)
from core.graph.model import ExtractedName, FoundRelation, Place
from core.graph.naming import folded
from core.rulebook.extraction import find_pairs

MOST_NEARLY = 12
"""Names per answer searched by similarity, which is slow."""
NEAR = 1_500
"""Maximum characters between two related names for one text to count as evidence for both."""
NEAR_CONFIDENCE, FAR_CONFIDENCE = 0.9, 0.6


def align(
    texts: Sequence[str], unit: PackedTexts, answer: ListedNames
) -> tuple[dict[int, list[ExtractedName]], list[FoundRelation]]:
    """Entities of each text of the unit, in order and without overlaps, and the relations between them.

    Names that do not occur in the unit are dropped, along with their relations.
    """
    places: list[tuple[str, Placed]] = []
    lost: list[SoughtName] = []
    for name in answer.names:
        hits = [Placed(start, end, name.type, sure) for start, end, sure in occurrences(unit.text, name.text)]
        places += [(name.text, hit) for hit in hits]
        lost += [] if hits else [name]
    for name in lost[:MOST_NEARLY]:
        places += [(name.text, hit) for hit in _nearly(unit, texts, name)]
    kept = settled([place for _, place in places if unit.origin(place.start, place.end)])
    stands = {place.span for place in kept}
    spans: dict[str, list[tuple[int, int]]] = {}
    if answer.relations:
        for text, own in groupby(places, itemgetter(0)):
            spans.setdefault(folded(text), []).extend(span for _, place in own if (span := place.span) in stands)
    return _by_text(texts, unit, kept), _related(unit, answer.relations, spans)


def _by_text(texts: Sequence[str], unit: PackedTexts, places: Sequence[Placed]) -> dict[int, list[ExtractedName]]:
    found: dict[int, list[ExtractedName]] = {member: [] for member in unit.members}
    for place in places:
        if origin := unit.origin(place.start, place.end):
            member, start, end = origin
            surface = " ".join(texts[member][start:end].split())
            found[member].append(ExtractedName(start, end, surface, place.type, place.confidence))
    return {member: _with_acronyms(texts[member], row) for member, row in found.items()}


def _with_acronyms(text: str, row: list[ExtractedName]) -> list[ExtractedName]:
    """Links a long form and its acronym where the text introduces it."""
    by_span = {(each.start, each.end): each for each in row}
    aliases: dict[tuple[int, int], str] = {}
    for pair in find_pairs(text):
        if pair.long in by_span and pair.short in by_span:
            aliases |= {pair.long: by_span[pair.short].name, pair.short: by_span[pair.long].name}
    return [
        ExtractedName(each.start, each.end, each.name, each.type, each.confidence, (aliases[each.start, each.end],))
        if (each.start, each.end) in aliases
        else each
        for each in row
    ]


def _nearly(unit: PackedTexts, texts: Sequence[str], name: SoughtName) -> list[Placed]:
    """By LangExtract, in the one text that contains most of the name's words."""
    member = most_alike(name.text, {place: texts[place] for place in unit.members})
    if member is None:
        return []
    text, offset = texts[member], unit.starts[unit.members.index(member)]
    asked = [[Extraction(name.type, name.text)]]
    aligner = WordAligner()  # type: ignore[no-untyped-call]
    (aligned,) = aligner.align_extractions(asked, text, tokenizer_impl=UnicodeTokenizer())
    found: list[Placed] = []
    for extraction in aligned:
        span = extraction.char_interval
        start, end = (span.start_pos or 0, span.end_pos or 0) if span else (0, 0)
        if is_name(text[start:end]):
            found.append(Placed(offset + start, offset + end, name.type, NEARLY))
    return found


def _related(
    unit: PackedTexts, stated: Sequence[Stated], spans: dict[str, list[tuple[int, int]]]
) -> list[FoundRelation]:
    relations: list[FoundRelation] = []
    for each in stated:
        source, target = folded(each.source), folded(each.target)
        ends = nearest(spans.get(source, []), spans.get(target, [])) if source != target else None
        if ends is not None:
            first, second = (_place(unit, span) for span in ends)
            sure = NEAR_CONFIDENCE if gap(*ends) <= NEAR else FAR_CONFIDENCE
            relations.append(FoundRelation(first, second, each.relation, sure))
    return relations


def _place(unit: PackedTexts, span: tuple[int, int]) -> Place:
    origin = unit.origin(*span)
    if origin is None:
        raise ValueError("a place that was kept lies within one text")
    return origin
