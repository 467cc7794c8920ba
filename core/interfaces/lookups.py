"""What the command line and programs look up without asking a question: passages, relations that are stated, errors."""

from typing import Any

from core.app.services import Services
from core.documents.model import Document, DocumentStatus
from core.graph.model import Entity, Relation
from core.graph.patterns import RelationPattern, fitting_relations
from core.platform.texts import text


def found_passages(services: Services, base_id: str, query: str, limit: int) -> list[dict[str, Any]]:
    """As JSON values, best first; pages from 1."""
    hits = {hit.chunk_id: hit for hit in services.search.retriever.graph(base_id, query, limit)}
    return [
        {
            "score": round(hits[found.chunk.id].score, 4),
            "sources": list(hits[found.chunk.id].sources),
            "document": found.document_name,
            "document_id": found.chunk.document_id,
            "page": found.chunk.page + 1,
            "section": list(found.chunk.section),
            "chunk_id": found.chunk.id,
            "text": found.chunk.text,
        }
        for found in services.library.passages.get(list(hits))
    ]


def fitting_statements(
    services: Services, base_id: str, pattern: RelationPattern, limit: int
) -> list[tuple[Entity, Relation, Entity]]:
    """Relations between their source and their target, the surest first."""
    entities = {entity.id: entity for entity in services.graph.every(base_id)}
    found = fitting_relations(pattern, services.graph.stated_relations(base_id), entities)[:limit]
    return [(entities[it.source_id], it, entities[it.target_id]) for it in found]


def error_of(document: Document) -> str:
    """Why it was not read, as a sentence; empty if it was."""
    if document.status is DocumentStatus.PAUSED and document.estimate:
        return text("ingest.paused", "en", name=document.name, tokens=f"{document.estimate.tokens:,}")
    return text(document.error_key, "en", **dict(document.error_params)) if document.error_key else ""
