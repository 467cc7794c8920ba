"""Index entries of a publication; Library.index_entries returns the same ones for a rebuild."""

from core.documents.ports.publishing import Publication
from core.search.ports import IndexEntry


def index_entries(publication: Publication) -> dict[str, list[IndexEntry]]:
    """Entries by level: chunks, section summaries, document summaries."""
    title, document_id = publication.title, publication.document_id
    return {
        level: [IndexEntry(part.id, document_id, title, "\n".join(part.section), part.text) for part in parts]
        for level, parts in (("chunks", publication.chunks), ("summaries", publication.summaries))
    }
