"""Evaluates an extractor on labelled sentences: precision, recall and F1 of exact spans, with and without types."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from core.documents.ports.extraction import Extractor
from core.graph.model import ENTITY_TYPES
from core.platform.errors import InputError
from core.platform.language.detect import is_unspaced

LABELS = {
    "PERSON": "person per pers scientist researcher politician writer musicalartist artist author name nr per.nam"
    " per.nom",
    "ORGANIZATION": "organization organisation org university conference politicalparty band company government nt norp"
    " org.nam org.nom corporation group",
    "LOCATION": "location loc gpe country address scene fac facility city geo ns loc.nam loc.nom gpe.nam gpe.nom place",
    "TECHNOLOGY": "technology tech algorithm product programlang software device game vehicle",
    "EVENT": "event election",
    "CREATIVE_WORK": "book magazine academicjournal poem album song work_of_art law award",
}
"""Our types with the corresponding labels of common data sets; any other label counts as a concept."""
_TYPE_OF = {label: kind for kind, labels in LABELS.items() for label in labels.split()}
Row = tuple[str, float, float, float, int]
"""Name of the line, precision, recall, F1, labelled entities."""


class Labelled(NamedTuple):
    text: str
    spans: Mapping[tuple[int, int], str]
    """(start, end) -> one of our types."""


@dataclass(slots=True)
class Counts:
    right: int = 0
    found: int = 0
    labelled: int = 0

    def row(self, name: str) -> Row:
        precision = self.right / self.found if self.found else 0.0
        recall = self.right / self.labelled if self.labelled else 0.0
        both = precision + recall
        return name, precision, recall, 2 * precision * recall / both if both else 0.0, self.labelled


@dataclass(slots=True)
class Tally:
    by_type: dict[str, Counts] = field(default_factory=lambda: {kind: Counts() for kind in ENTITY_TYPES})
    untyped: Counts = field(default_factory=Counts)

    def add(self, gold: Mapping[tuple[int, int], str], found: Mapping[tuple[int, int], str]) -> None:
        for kind in gold.values():
            self.by_type[kind].labelled += 1
        for span, kind in found.items():
            counts = self.by_type.setdefault(kind, Counts())
            counts.found += 1
            counts.right += gold.get(span) == kind
        self.untyped.labelled += len(gold)
        self.untyped.found += len(found)
        self.untyped.right += len(gold.keys() & found.keys())

    def rows(self) -> list[Row]:
        used = [(kind, counts) for kind, counts in self.by_type.items() if counts.labelled or counts.found]
        parts = [counts for _, counts in used]
        typed = Counts(*(sum(getattr(c, name) for c in parts) for name in ("right", "found", "labelled")))
        return [*(c.row(kind) for kind, c in used), typed.row("all, typed"), self.untyped.row("all, untyped")]


def score(rows: Sequence[Mapping[str, object]], extractor: Extractor) -> list[Row]:
    """One row per type and two for all; every sentence is a separate document.

    Rows have `text` and either `entities` [{text, type, start, end}] or `tokens` and `tags` (IOB2). Where the labels
    cover only some of our types, entities found of another type count neither way. Raises InputError.
    """
    sentences = [_labelled(row, number) for number, row in enumerate(rows, start=1)]
    covered = {kind for sentence in sentences for kind in sentence.spans.values()}
    if not covered:
        raise InputError("kg.nothing_labelled")
    tally = Tally()
    for sentence in sentences:
        found = extractor.extract([sentence.text])[0]
        tally.add(sentence.spans, {(f.start, f.end): f.type for f in found if f.type in covered})
    return tally.rows()


def type_of(label: str) -> str:
    """Our type for a data set's label."""
    return _TYPE_OF.get(label.lower(), "CONCEPT")


def _labelled(row: Mapping[str, object], number: int) -> Labelled:
    text, spans = _from_tokens(row) if "tags" in row else (row.get("text"), row.get("entities"))
    if not isinstance(text, str) or not isinstance(spans, list):
        raise InputError("kg.row_not_labelled", line=number)
    labelled = dict(_span(span, text, number) for span in spans)
    return Labelled(text, labelled)


def _span(span: object, text: str, number: int) -> tuple[tuple[int, int], str]:
    values = span if isinstance(span, dict) else {}
    start, end, label = values.get("start"), values.get("end"), values.get("type")
    if not (isinstance(start, int) and isinstance(end, int) and isinstance(label, str)):
        raise InputError("kg.row_not_labelled", line=number)
    if not 0 <= start < end <= len(text):
        raise InputError("kg.row_not_labelled", line=number)
    return (start, end), type_of(label)


def _from_tokens(row: Mapping[str, object]) -> tuple[object, object]:
    """Text and entities of a row with one tag per token; Chinese characters are joined without blanks."""
    tokens, tags = row.get("tokens"), row.get("tags")
    if not isinstance(tokens, list) or not isinstance(tags, list) or len(tokens) != len(tags):
        return None, None
    if not all(isinstance(value, str) for value in [*tokens, *tags]):
        return None, None
    blank = "" if is_unspaced("".join(tokens)) else " "
    return blank.join(tokens), list(_chunks(tokens, tags, len(blank)))


def _chunks(tokens: list[str], tags: list[str], gap: int) -> Iterator[dict[str, object]]:
    position = start = end = 0
    label = ""
    for token, tag in zip([*tokens, ""], [*tags, "O"], strict=True):
        if label and tag != f"I-{label}":
            yield {"start": start, "end": end, "type": label}
            label = ""
        if tag[:2] in ("B-", "I-"):
            start, label = (start, label) if label else (position, tag[2:])
            end = position + len(token)
        position += len(token) + gap
