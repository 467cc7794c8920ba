"""Small documents and what a pipeline would make of them."""

import re
from collections.abc import Mapping, Sequence
from datetime import UTC, datetime
from hashlib import sha256

from core.documents.model import Block, Chunk, Document, KnowledgeBase, Span, Summary
from core.documents.ports.library import Library
from core.documents.ports.publishing import Publication
from core.graph.model import Entity, Mention, Relation
from core.graph.naming import entity_id
from core.platform.ids import content_id
from core.runs.ports import Threads

TYPES = {
    "BERT": "TECHNOLOGY",
    "Transformer": "TECHNOLOGY",
    "attention": "CONCEPT",
    "Google": "ORGANIZATION",
    "Ada Lovelace": "PERSON",
    "London": "LOCATION",
}
"""Entities that the samples mention."""
ALIASES = {"BERT": ("Bidirectional Encoder Representations from Transformers",)}


def entity(base: KnowledgeBase, name: str, type: str = "", aliases: Sequence[str] = ()) -> Entity:
    kind = type or TYPES.get(name, "CONCEPT")
    return Entity(entity_id(base.id, name, kind), base.id, name, kind, tuple(aliases) or ALIASES.get(name, ()))


def add(library: Library, base: KnowledgeBase, name: str) -> Document:
    digest = sha256(name.encode("utf-8", "surrogatepass")).hexdigest()
    return library.documents.add(base.id, name, digest, len(name), "application/pdf")[0]


def publication(
    document: Document,
    base: KnowledgeBase,
    texts: Sequence[str],
    names: Mapping[str, str] = TYPES,
    stated: Sequence[tuple[str, str, str]] = (),
) -> Publication:
    """One chunk a text, one page a chunk; names (with their types) are mentioned wherever they stand in a text."""
    chunks = tuple(_chunk(document, index, text) for index, text in enumerate(texts))
    entities = {name: entity(base, name, type) for name, type in names.items()}
    mentions = tuple(mention for chunk in chunks for found in entities.values() for mention in _mentions(chunk, found))
    used = {mention.entity_id for mention in mentions} | {entities[n].id for pair in stated for n in pair[:2]}
    return Publication(
        document_id=document.id,
        title=f"Title of {document.name}",
        language="en",
        parser="sample 1",
        pages=len(texts),
        notes=(),
        blocks=tuple(Block(i, i, "text", text, box=(100, 100, 900, 200 + i)) for i, text in enumerate(texts)),
        chunks=chunks,
        summaries=(Summary(content_id(document.id, "summary"), document.id, (), f"About {document.name}"),),
        entities=tuple(found for found in entities.values() if found.id in used),
        mentions=mentions,
        relations=tuple(
            Relation(entities[source].id, entities[target].id, relation, 0.9, ((document.id, 0),))
            for source, target, relation in stated
        ),
    )


def publish(library: Library, base: KnowledgeBase, name: str, *texts: str) -> Document:
    """Add and publish in one go; the document as it is then."""
    document = add(library, base, name)
    library.publications.publish(publication(document, base, texts))
    return library.documents.get(document.id)


def _chunk(document: Document, index: int, text: str) -> Chunk:
    span = Span(0, len(text), index, index, (100, 100, 900, 200 + index))
    return Chunk(content_id(document.id, str(index), text), document.id, index, text, ("Part", str(index)), (span,))


def _mentions(chunk: Chunk, found: Entity) -> list[Mention]:
    return [
        Mention(
            content_id(chunk.id, found.id, str(place.start())),
            found.id,
            chunk.document_id,
            chunk.id,
            chunk.page,
            place.start(),
            place.end(),
            place.group(),
            0.9,
        )
        for place in re.finditer(re.escape(found.name), chunk.text)
    ]


def delete_thread(threads: Threads, thread_id: str) -> None:
    """For good, with all others in the trash."""
    threads.put_away(thread_id)
    threads.purge(datetime(3000, 1, 1, tzinfo=UTC))
