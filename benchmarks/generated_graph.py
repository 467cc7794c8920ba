"""A knowledge base of a million pairs of entities, made by rule: what its graph and its names are read from."""

from collections.abc import Iterable, Iterator
from datetime import UTC, datetime
from hashlib import blake2b
from itertools import islice
from typing import Any

import numpy as np
from sqlalchemy import Engine, Table, insert

from core.graph.model import Mention
from core.graph.network.incidences import pack
from core.platform.sql.columns import normalized
from core.platform.sql.engine import writing
from core.platform.sql.schema import documents, entities, entity_names, incidences, knowledge_bases

BASE = "base"
NOW = datetime(2026, 1, 5, tzinfo=UTC)
ENTITIES, DOCUMENTS, CHUNKS, PER_CHUNK = 100_000, 230, 100, 10
"""230 documents of 100 chunks with ten entities each: 23,000 x 45 pairs."""
ROWS = 10_000
"""Written at a time."""
_STARTS = ("Nor", "Kel", "Ald", "Ver", "Tam", "Osk", "Bri", "Hel", "Mar", "Wes", "Ing", "Dun")
_ENDS = (
    "haven",
    "station",
    "probe",
    "works",
    "ridge",
    "metrics",
    "field",
    "labs",
    "port",
    "union",
    "gate",
    "institute",
)


def id_of(kind: str, number: int) -> str:
    return blake2b(f"{kind} {number}".encode(), digest_size=16).hexdigest()


def name_of(number: int) -> str:
    return f"{_STARTS[number % 12]}{_ENDS[number // 12 % 12]} {number}"


def fill(engine: Engine, documents: int = DOCUMENTS, entities: int = ENTITIES, chunks: int = CHUNKS) -> None:
    members = _members(documents, entities, chunks)
    with writing(engine) as connection:
        for table, rows in _tables(members, entities):
            while batch := list(islice(rows, ROWS)):
                connection.execute(insert(table), batch)


def _members(document_count: int, entity_count: int, chunk_count: int) -> Any:
    """(documents, chunks, entities of a chunk): a few entities are in many chunks, most in two or three."""
    draws = np.random.default_rng(7).random((document_count, chunk_count, PER_CHUNK))
    return np.minimum((draws**1.15 * entity_count).astype(int), entity_count - 1)


def _tables(members: Any, entity_count: int) -> Iterator[tuple[Table, Iterator[dict[str, object]]]]:
    counts = np.bincount(members.ravel(), minlength=entity_count).tolist()
    yield knowledge_bases, iter([{"id": BASE, "name": "B", "name_norm": "b", "created_at": NOW, "index_version": 1}])
    yield documents, (_document(number) for number in range(len(members)))
    yield entities, (_entity(number, counts[number]) for number in range(entity_count))
    yield entity_names, (_name(number, len(members)) for number in range(entity_count))
    yield incidences, (_incidence(document, members) for document in range(len(members)))


def _document(number: int) -> dict[str, object]:
    return {
        "id": id_of("document", number), "base_id": BASE, "name": f"{number}.pdf", "sha256": "", "size": 1,
        "media_type": "application/pdf", "added_at": NOW, "ready_at": NOW, "cancelled": False, "error_key": "",
        "error_params": {}, "parser": "", "language": "en", "title": "", "pages": 1, "chunks": CHUNKS, "entities": 0,
        "notes": [],
    }  # fmt: skip


def _entity(number: int, count: int) -> dict[str, object]:
    found = {"name": name_of(number), "type": "CONCEPT", "mentions": count, "documents": count}
    return {"id": id_of("entity", number), "base_id": BASE, **found}


def _name(number: int, document_count: int) -> dict[str, object]:
    owners = {"entity_id": id_of("entity", number), "document_id": id_of("document", number % document_count)}
    name = name_of(number)
    return {**owners, "position": 0, "base_id": BASE, "name": name, "norm": normalized(name)}


def _mentions(document: int, members: Any) -> Iterator[Mention]:
    for chunk, numbers in enumerate(members[document].tolist()):
        yield from mentions_of(document, chunk, document * len(members[document]) + chunk, numbers)


def mentions_of(document: int, page: int, chunk: int, numbers: Iterable[int]) -> Iterator[Mention]:
    """Each entity of the chunk once."""
    for start, number in enumerate(dict.fromkeys(numbers)):
        yield Mention(
            id=id_of("mention", 1_000 * chunk + start),
            entity_id=id_of("entity", number),
            document_id=id_of("document", document),
            chunk_id=id_of("chunk", chunk),
            page=page,
            start=start,
            end=start + 1,
            surface="x",
            confidence=1.0,
        )


def _incidence(document: int, members: Any) -> dict[str, object]:
    return {"document_id": id_of("document", document), "packed": pack(_mentions(document, members))}
