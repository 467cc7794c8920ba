"""Rebuilds the indexes of a knowledge base from the library."""

from core.documents.ports.bases import Bases
from core.search.passages import Passages
from core.search.ports import LEVELS, ChunkIndex, LexicalIndex


def rebuild(bases: Bases, passages: Passages, base_id: str, indexes: tuple[ChunkIndex, LexicalIndex]) -> int:
    """The words are indexed at once, the vectors are left to the VectorBuilder, which goes on after an interruption.

    The base can be searched by its words all the time. How many chunks there are. Raises NotFoundError for an unknown
    base.
    """
    bases.get(base_id)
    chunk_index, lexical_index = indexes
    written = {level: lexical_index.replace(base_id, level, passages.index_entries(base_id, level)) for level in LEVELS}
    chunk_index.delete_base(base_id)
    return written["chunks"]
