"""Entities and relations as CSV files that a spreadsheet opens without running anything in them."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO

from core.domain.knowledge import Entity, Relation
from pages.components.shell.text import label

FORMULA = ("=", "+", "-", "@", "\t", "\r")
"""How a cell begins that a spreadsheet would run."""
MARK = b"\xef\xbb\xbf"
"""Byte order mark, without which Excel spoils Chinese names."""


def entities_csv(entities: Iterable[Entity]) -> bytes:
    rows = (
        (
            entity.id,
            label(entity.name),
            label(entity.type),
            "; ".join(label(alias) for alias in entity.aliases),
            entity.mentions,
            entity.documents,
        )
        for entity in entities
    )
    return _written(("id", "name", "type", "aliases", "mentions", "documents"), rows)


def relations_csv(relations: Iterable[Relation], names: Mapping[str, str]) -> bytes:
    """names by entity id."""
    rows = (
        (
            each.source_id,
            names[each.source_id],
            label(each.relation),
            each.target_id,
            names[each.target_id],
            round(each.weight, 6),
            len(each.pages),
        )
        for each in relations
    )
    return _written(("source", "source_name", "relation", "target", "target_name", "weight", "pages"), rows)


def _written(header: Sequence[str], rows: Iterable[Sequence[str | float]]) -> bytes:
    text = StringIO()
    writer = csv.writer(text)
    writer.writerow(header)
    writer.writerows([_cell(value) for value in row] for row in rows)
    return MARK + text.getvalue().encode("utf-8", "replace")


def _cell(value: str | float) -> str | float:
    return f"'{value}" if isinstance(value, str) and value.startswith(FORMULA) else value
