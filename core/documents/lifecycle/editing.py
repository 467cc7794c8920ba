"""Editing chunks: new text, restoring the original, disabling and enabling."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from core.documents.lifecycle.edited_text import Edit, respan, still_stated, stretches
from core.documents.model import Chunk, Span
from core.documents.ports.documents import Documents
from core.documents.ports.extraction import Extractor
from core.documents.ports.publishing import Publication, Publications
from core.documents.reading.assemble import assemble
from core.documents.reading.chunk import chunk_pieces
from core.graph.linking.linking import link
from core.graph.model import Entity, Mention
from core.graph.naming import folded, mention_id
from core.platform.errors import InputError, NotFoundError
from core.platform.identity import Role
from core.search.ports import IndexEntry, LexicalIndex

MAX_CHARACTERS = 8_000
"""Limit for an edited chunk; longer ones are hard to find and to quote."""
CONTEXT = 60_000
"""Characters of the surrounding document that help to find entities in an edited chunk."""


@dataclass(frozen=True, slots=True)
class _Linked:
    """Entities and mentions of one chunk."""

    entities: tuple[Entity, ...]
    mentions: tuple[Mention, ...]


class ChunkEditor:
    """Updates the word index first and the database second, so that a failing index changes nothing visible.

    The old text's vectors are deleted; the ingestion process makes the new ones.
    """

    def __init__(
        self,
        documents: Documents,
        publications: Publications,
        extractor: Extractor,
        lexical_index: LexicalIndex,
    ) -> None:
        self._documents = documents
        self._publications = publications
        self._extractor = extractor
        self._lexical_index = lexical_index

    def rewrite(self, document_id: str, chunk_id: str, text: str) -> Chunk:
        """Unchanged text keeps its page, box and entities; new text is searched for entities by rules.

        A relation that was stated by changed words is dropped, and returns only when the document is read again.

        The first text is kept as the chunk's original; restoring it restores the first spans. Raises
        InputError for an empty or very long text, NotFoundError when the chunk is gone.
        """
        publication = self._publications.get(document_id)
        chunk = _chunk(publication, chunk_id)
        before, spans = _origin(publication, chunk)
        wanted = text if text == before else _usable(text)
        if wanted == chunk.text:
            return chunk
        changed = replace(chunk, text=wanted, original=before, spans=respan(before, spans, wanted))
        if wanted == before:
            changed = replace(chunk, text=before, original="", spans=spans)
        found = self._linked(publication, chunk, changed)
        relations = still_stated(publication.relations, _edit(publication, chunk, changed, found.mentions))
        section = "\n".join(changed.section)
        base_id = self._documents.get(document_id).base_id
        self._documents.require(base_id, Role.EDITOR)
        entry = IndexEntry(chunk.id, document_id, publication.title, section, changed.text)
        self._lexical_index.upsert(base_id, "chunks", [entry])
        self._publications.replace_chunk(changed, found.entities, found.mentions, relations)
        return changed

    def switch(self, chunk_id: str, enabled: bool) -> None:
        """A disabled chunk is neither found nor quoted; its entities stay in the graph. Raises NotFoundError."""
        self._publications.enable_chunk(chunk_id, enabled)

    def _linked(self, publication: Publication, chunk: Chunk, changed: Chunk) -> _Linked:
        own = [mention for mention in publication.mentions if mention.chunk_id == chunk.id]
        kept = _moved(own, chunk.text, changed)
        fresh = self._found(publication, changed)
        unchanged = [step for step in stretches(chunk.text, changed.text) if step.kept]
        new = [
            mention
            for mention in fresh.mentions
            if not any(step.new_start <= mention.start and mention.end <= step.new_end for step in unchanged)
        ]
        left = [mention for mention in kept if not any(_overlap(mention, other) for other in new)]
        mentions = sorted([*left, *new], key=lambda mention: (mention.start, mention.end))
        return _Linked(fresh.entities, tuple(mentions))

    def _found(self, publication: Publication, changed: Chunk) -> _Linked:
        """Entities found by rules, with the surrounding chunks as context so that known names keep their entity."""
        around = _around(publication.chunks, changed)
        found = self._extractor.extract([chunk.text for chunk in around])
        base_id = self._documents.get(changed.document_id).base_id
        entities, mentions = link(base_id, changed.document_id, around, found)
        own = [mention for mention in mentions if mention.chunk_id == changed.id]
        known = {folded(name): e for e in publication.entities for name in (*e.aliases, e.name)}
        made = {entity.id: known.get(folded(entity.name), entity) for entity in entities}
        used = {mention.entity_id: made[mention.entity_id] for mention in own}
        return _Linked(
            tuple(used.values()), tuple(_placed(mention, used[mention.entity_id].id, mention.start) for mention in own)
        )


def _edit(publication: Publication, chunk: Chunk, changed: Chunk, after: tuple[Mention, ...]) -> Edit:
    own = tuple(mention for mention in publication.mentions if mention.chunk_id == chunk.id)
    others = tuple(mention for mention in publication.mentions if mention.chunk_id != chunk.id)
    return Edit(own, after, others, tuple(stretches(chunk.text, changed.text)))


def _usable(text: str) -> str:
    wanted = text.replace("\r\n", "\n").strip()
    if not wanted:
        raise InputError("documents.edit.empty")
    if len(wanted) > MAX_CHARACTERS:
        raise InputError("documents.edit.long", length=f"{len(wanted):,}", limit=f"{MAX_CHARACTERS:,}")
    return wanted


def _chunk(publication: Publication, chunk_id: str) -> Chunk:
    for chunk in publication.chunks:
        if chunk.id == chunk_id:
            return chunk
    raise NotFoundError("storage.chunk_gone")


def _origin(publication: Publication, chunk: Chunk) -> tuple[str, tuple[Span, ...]]:
    """Text and spans before any edit, rebuilt from the blocks if that gives the same chunk."""
    if not chunk.original:
        return chunk.text, chunk.spans
    for cut in chunk_pieces(chunk.document_id, assemble(publication.blocks)):
        if cut.id == chunk.id and cut.text == chunk.original:
            return cut.text, cut.spans
    return chunk.original, respan(chunk.text, chunk.spans, chunk.original)


def _around(chunks: Sequence[Chunk], changed: Chunk) -> list[Chunk]:
    """The changed chunk and those nearest to it, in reading order."""
    room = CONTEXT - len(changed.text)
    chosen = [changed]
    for chunk in sorted(chunks, key=lambda other: (abs(other.index - changed.index), other.index)):
        room -= len(chunk.text)
        if room < 0:
            break
        if chunk.id != changed.id:
            chosen.append(chunk)
    return sorted(chosen, key=lambda chunk: chunk.index)


def _moved(mentions: Sequence[Mention], old: str, changed: Chunk) -> list[Mention]:
    """Mentions whose words are unchanged, at their new places."""
    steps = stretches(old, changed.text)
    found: list[Mention] = []
    for mention in mentions:
        place = next((moved for step in steps if (moved := step.moved(mention.start, mention.end))), None)
        if place:
            found.append(_placed(mention, mention.entity_id, place[0]))
    return found


def _placed(mention: Mention, entity_id: str, start: int) -> Mention:
    end = start + mention.end - mention.start
    id = mention_id(mention.document_id, mention.chunk_id, start, end, entity_id)
    return replace(mention, id=id, entity_id=entity_id, start=start, end=end)


def _overlap(one: Mention, other: Mention) -> bool:
    return one.start < other.end and other.start < one.end
