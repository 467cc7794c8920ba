"""Makes the indexes of a knowledge base again from what the library holds."""

from collections.abc import Sequence

from core.ports import ChunkIndex, LexicalIndex, Library

LEVELS = ("chunks", "summaries")


def rebuild(library: Library, base_id: str, indexes: Sequence[ChunkIndex | LexicalIndex]) -> int:
    """How many chunks were indexed. Raises NotFoundError for an unknown base."""
    library.base(base_id)
    written = 0
    for index in indexes:
        index.delete_base(base_id)
        for level in LEVELS:
            index.upsert(base_id, level, [])
            for entries in library.index_entries(base_id, level):
                index.upsert(base_id, level, entries)
                written += len(entries) if level == "chunks" and index is indexes[0] else 0
    return written
