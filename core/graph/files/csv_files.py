"""Entities and relations as CSV files that a spreadsheet opens without running anything in them."""

import csv
from collections.abc import Iterable, Mapping, Sequence
from io import StringIO

from core.graph.model import Entity, Relation
from core.platform.plain_text import BYTE_ORDER_MARK, inert, label


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
    writer.writerows([inert(value) for value in row] for row in rows)
    return (BYTE_ORDER_MARK + text.getvalue()).encode("utf-8", "replace")
