"""Names by rules, and relations that a small model states, kept where a sentence has their words between two names.

Asked for names, a model of one or two billion parameters gets more of them and of their types wrong than the rules do.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import combinations

from pydantic import BaseModel

from core.documents.extraction.packing import PackedTexts, pack
from core.documents.model import noted
from core.documents.ports.extraction import Extraction, ExtractionRequest, Extractor
from core.graph.model import ExtractedName, FoundRelation, Place
from core.graph.naming import folded
from core.models.meter import CountingMeter, stop_if_requested
from core.models.ports import Llm, Pace
from core.models.prompt_files import fill
from core.models.tasks import TextTask
from core.platform.errors import ServiceError
from core.platform.ids import content_id
from core.platform.language.sentences import sentence_spans
from core.platform.language.terms import content_terms
from core.runs.model import Usage

NOTE = "extraction.note.relations"
LONGEST = 80
"""Characters of a relation."""
CONFIDENCE = 0.7
MOST_IN_A_ROW = 3
"""Consecutive failures after which the model is skipped for the rest of the document."""
_ARTICLE = re.compile(r"\b(?:the|an?)\s*$", re.IGNORECASE)
_MARK = re.compile(r"^\s*(?:[-*•]|\d+[.)])\s+")

Names = Sequence[Sequence[ExtractedName]]
"""Names of each text."""


@dataclass(frozen=True, slots=True)
class StateRelationsRequest:
    passage: str
    names: tuple[str, ...]


def _nothing(request: StateRelationsRequest) -> Iterator[str]:
    """Rule: other rules read statements."""
    del request
    yield from ()


STATE_RELATIONS = TextTask("state_relations", _nothing, max_tokens=400)


class _Kept(BaseModel):
    answer: str
    usage: Usage


class RelationExtractor:
    """DocumentExtractor."""

    def __init__(self, llm: Llm, pace: Pace, rules: Extractor) -> None:
        self._llm = llm
        self._pace = pace
        self._rules = rules

    @property
    def engine(self) -> str:
        return self._llm.engine

    def extract(self, texts: Sequence[str]) -> list[list[ExtractedName]]:
        return self._rules.extract(texts)

    def extract_document(self, order: ExtractionRequest) -> Extraction:
        """Raises CancelledError. The passages with the most names first, as many as the pace allows."""
        rows = self._rules.extract(order.texts)
        units = sorted(pack(order.texts, self._pace.unit_tokens), key=lambda unit: -len(_names(unit, rows)))
        chosen = [unit for unit in units[: self._pace.most_units] if len(_names(unit, rows)) > 1]
        total = sum(len(unit.members) for unit in chosen)
        relations: list[FoundRelation] = []
        usage, done, failed = Usage(), 0, 0
        for unit in chosen:
            order.progress(done, total)
            kept = self._asked(unit, rows, order) if failed < MOST_IN_A_ROW else None
            failed = 0 if kept else failed + 1
            if kept:
                usage += kept.usage
                done += len(unit.members)
                relations += stated(kept.answer, unit, order.texts, rows)
        types = set(order.types)
        found = tuple(tuple(name for name in row if not types or name.type in types) for row in rows)
        note = noted(NOTE, done=done, total=len([text for text in order.texts if text.strip()]))
        return Extraction(found, tuple(_between(relations, found)), (note,), usage)

    def _asked(self, unit: PackedTexts, rows: Names, order: ExtractionRequest) -> _Kept | None:
        """The model's answer, from the store if it is there; None where the model failed."""
        request = StateRelationsRequest(unit.text, _names(unit, rows))
        key = content_id(self.engine, *(message["content"] for message in fill(STATE_RELATIONS.name, request)))
        if stored := order.answers.get(key):
            return _Kept.model_validate_json(stored)
        meter = CountingMeter(order.cancel)
        try:
            answer = "".join(self._llm.stream(STATE_RELATIONS, request, meter))
        except ServiceError:
            return None
        stop_if_requested(order.cancel)
        if meter.degradations:
            return None
        kept = _Kept(answer=answer, usage=meter.usage)
        order.answers.put(key, kept.model_dump_json())
        return kept


def _names(unit: PackedTexts, rows: Names) -> tuple[str, ...]:
    """Names in the unit, each once, in order of appearance."""
    return tuple({folded(name.name): name.name for member in unit.members for name in rows[member]}.values())


def stated(answer: str, unit: PackedTexts, texts: Sequence[str], rows: Names) -> list[FoundRelation]:
    """Relations of an answer whose words occur between two names of one sentence, one per pair.

    The sentence decides which name comes first.
    """
    found: dict[tuple[Place, Place], FoundRelation] = {}
    lines = [[" ".join(part.split()) for part in _MARK.sub("", line).split("|")] for line in answer.splitlines()]
    for member, one, other in _pairs(unit, texts, rows):
        between = " ".join(texts[member][one.end : other.start].split()).casefold()
        said = (_said(parts, one, other) for parts in lines)
        ends = (member, one.start, one.end), (member, other.start, other.end)
        for relation in said:
            if len(relation) <= LONGEST and content_terms(relation) and relation.casefold() in between:
                found.setdefault(ends, FoundRelation(*ends, relation, CONFIDENCE))
    return list(found.values())


def _pairs(unit: PackedTexts, texts: Sequence[str], rows: Names) -> Iterator[tuple[int, ExtractedName, ExtractedName]]:
    """Two different names of one sentence, in its order, with the index of its text."""
    for member in unit.members:
        for start, end in sentence_spans(texts[member]):
            inside = [name for name in rows[member] if start <= name.start and name.end <= end]
            for one, other in combinations(inside, 2):
                if folded(one.name) != folded(other.name):
                    yield member, one, other


def _said(parts: Sequence[str], one: ExtractedName, other: ExtractedName) -> str:
    """The relation that a line states of the two names, between bars or between the names; empty if it has others."""
    if len(parts) == 3:
        of_both = (parts[0], parts[2]), (parts[2], parts[0])
        return parts[1] if any(_is_called(one, a) and _is_called(other, b) for a, b in of_both) else ""
    if len(parts) != 2 or not _is_called(one, parts[0]):
        return ""
    before, name, _ = parts[1].casefold().partition(other.name.casefold())
    return _ARTICLE.sub("", parts[1][: len(before)]).strip() if name else ""


def _is_called(name: ExtractedName, sought: str) -> bool:
    return folded(sought) in {folded(name.name), *map(folded, name.aliases)}


def _between(relations: Sequence[FoundRelation], found: Names) -> Iterator[FoundRelation]:
    """The relations whose two names are among those found."""
    kept = {(at, name.start, name.end) for at, row in enumerate(found) for name in row}
    return (each for each in relations if {each.source, each.target} <= kept)
