"""Rebuilds the indexes of a knowledge base from the library."""

from core.ports.bases import Bases
from core.ports.passages import Passages
from core.ports.search import ChunkIndex, LexicalIndex

LEVELS = ("chunks", "summaries")


def rebuild(bases: Bases, passages: Passages, base_id: str, indexes: tuple[ChunkIndex, LexicalIndex]) -> int:
    """The words are indexed at once, the vectors are left to the VectorBuilder.

    How many chunks there are. Raises NotFoundError for an unknown base.
    """
    bases.get(base_id)
    written = 0
    for index in indexes:
        index.delete_base(base_id)
    _, lexical_index = indexes
    for level in LEVELS:
        lexical_index.upsert(base_id, level, [])
        for entries in passages.index_entries(base_id, level):
            lexical_index.upsert(base_id, level, entries)
            written += len(entries) if level == "chunks" else 0
    return written
