"""A small library and its graph in memory: what the Graph and Documents pages are tested with."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from hashlib import sha256
from pathlib import Path

from streamlit.testing.v1 import AppTest
from streamlit.testing.v1.element_tree import Element

from core.domain.documents import (
    Block,
    Chunk,
    DeletionPreview,
    Document,
    DocumentStatus,
    Effort,
    KnowledgeBase,
    Span,
    Stage,
    StageProgress,
    Summary,
)
from core.domain.knowledge import Entity, GraphStats, GraphView, Mention, MentionView, Neighbour, Relation
from core.domain.passages import Passage
from core.errors import InputError, NotFoundError
from core.kg.cooccurrence import CO_OCCURS
from core.ports import IndexEntry, Publication

NOW = datetime(2026, 11, 20, 12, 0, tzinfo=UTC)
BASE = KnowledgeBase("b1", "Marlow Sound", NOW)
SENTENCES = (
    "KelpNet estimates chlorophyll from the spectra of the Lumen buoys.",
    "Ingrid Solheim leads the Marlow Sound Observatory and introduced KelpNet in 2021.",
    "The Nordholm Foundation pays for the Lumen buoys until 2027.",
    "Rafael Marchetti moved from the University of Westhaven to the Nordholm Foundation.",
    "SeaLoom stores the raw spectra that KelpNet reads.",
)
NAMES = {
    "KelpNet": "TECHNOLOGY",
    "SeaLoom": "TECHNOLOGY",
    "Lumen buoys": "TECHNOLOGY",
    "chlorophyll": "CONCEPT",
    "raw spectra": "CONCEPT",
    "Ingrid Solheim": "PERSON",
    "Rafael Marchetti": "PERSON",
    "Nordholm Foundation": "ORGANIZATION",
    "University of Westhaven": "ORGANIZATION",
    "Marlow Sound Observatory": "LOCATION",
}


def entity_id(name: str) -> str:
    return f"e-{name.lower().replace(' ', '-')}"


def document(name: str = "handbook.pdf", status: DocumentStatus = DocumentStatus.READY, **changes: object) -> Document:
    made = Document(
        id=f"d-{name}",
        base_id=BASE.id,
        name=name,
        sha256="0" * 64,
        size=482_133,
        media_type="application/pdf",
        added_at=NOW,
        status=status,
        parser="docvortex 0.6.4",
        language="en",
        pages=2,
        chunks=len(SENTENCES),
        entities=len(NAMES),
    )
    return replace(made, **changes)  # type: ignore[arg-type]


def blocks_of(document_id: str) -> list[Block]:
    del document_id
    return [
        Block(index, index // 3, "text", text, box=(80, 100 + 180 * (index % 3), 920, 220 + 180 * (index % 3)))
        for index, text in enumerate(SENTENCES)
    ]


def chunks_of(document_id: str) -> list[Chunk]:
    return [
        Chunk(
            f"{document_id}-c{block.index}",
            document_id,
            block.index,
            block.text,
            ("Instruments", "KelpNet") if block.index < 2 else ("Partners",),
            (Span(0, len(block.text), block.index, block.page, block.box),),
        )
        for block in blocks_of(document_id)
    ]


@dataclass
class FakeLibrary:
    """A Library that keeps what it is given."""

    kept: dict[str, KnowledgeBase] = field(default_factory=lambda: {BASE.id: BASE})
    files: dict[str, Document] = field(default_factory=dict)
    progress: dict[str, list[StageProgress]] = field(default_factory=dict)
    make_blocks: Callable[[str], list[Block]] = blocks_of
    make_chunks: Callable[[str], list[Chunk]] = chunks_of

    def file_in_use(self, sha256: str) -> bool:
        return any(file.sha256 == sha256 for file in self.files.values())

    def bases(self) -> list[KnowledgeBase]:
        return list(self.kept.values())

    def base(self, base_id: str) -> KnowledgeBase:
        if base_id not in self.kept:
            raise NotFoundError("error.base_missing", name=base_id)
        return self.kept[base_id]

    def base_named(self, name: str) -> KnowledgeBase | None:
        return next((base for base in self.kept.values() if base.name == name), None)

    def create_base(self, name: str) -> KnowledgeBase:
        if not name.strip() or self.base_named(name):
            raise InputError("error.base_missing", name=name)
        made = KnowledgeBase(f"b{len(self.kept) + 1}", name, NOW)
        self.kept[made.id] = made
        return made

    def rename_base(self, base_id: str, name: str) -> None:
        self.kept[base_id] = replace(self.base(base_id), name=name)

    def set_entity_types(self, base_id: str, types: Sequence[str]) -> None:
        self.kept[base_id] = replace(self.base(base_id), entity_types=tuple(types))

    def restore_base(self, base: KnowledgeBase) -> None:
        self.kept.setdefault(base.id, base)

    def delete_base(self, base_id: str) -> None:
        del self.kept[base_id]
        self.files = {key: file for key, file in self.files.items() if file.base_id != base_id}

    def add_document(
        self, base_id: str, name: str, sha256: str, size: int, media_type: str, parser: str = ""
    ) -> tuple[Document, bool]:
        same = next((file for file in self.files.values() if (file.base_id, file.sha256) == (base_id, sha256)), None)
        if same:
            return same, False
        facts = {"base_id": base_id, "sha256": sha256, "size": size, "media_type": media_type, "parser_choice": parser}
        made = document(name, DocumentStatus.QUEUED, **facts)
        self.files[made.id] = made
        return made, True

    def documents(self, base_id: str) -> list[Document]:
        return [file for file in self.files.values() if file.base_id == base_id]

    def document(self, document_id: str) -> Document:
        if document_id not in self.files:
            raise NotFoundError("error.document_missing")
        return self.files[document_id]

    def record_stage(self, document_id: str, progress: StageProgress) -> None:
        rows = [row for row in self.progress.get(document_id, []) if row.stage != progress.stage]
        self.progress[document_id] = [*rows, progress]

    def stages(self, document_id: str) -> list[StageProgress]:
        return self.progress.get(document_id, [])

    def publish(self, publication: Publication) -> None:
        self.files[publication.document_id] = replace(
            self.document(publication.document_id), status=DocumentStatus.READY, pages=publication.pages
        )

    def publication(self, document_id: str) -> Publication:
        raise NotImplementedError

    def restore(self, document: Document, publication: Publication | None) -> None:
        del publication
        self.files[document.id] = document

    def replace_chunk(
        self,
        chunk: Chunk,
        entities: Sequence[Entity],
        mentions: Sequence[Mention],
        relations: Sequence[Relation] | None = None,
    ) -> None:
        raise NotImplementedError

    def enable_chunk(self, chunk_id: str, enabled: bool) -> None:
        raise NotImplementedError

    def replace_document(self, document_id: str, replaced_id: str) -> None:
        self.files[document_id] = replace(self.document(document_id), replaces=replaced_id)

    def choose_parser(self, document_id: str, parser: str) -> None:
        self.files[document_id] = replace(self.document(document_id), parser_choice=parser)

    def record_estimate(self, document_id: str, estimate: Effort, paused: bool = False) -> None:
        status = DocumentStatus.PAUSED if paused else self.document(document_id).status
        self.files[document_id] = replace(self.document(document_id), estimate=estimate, status=status)

    def resume(self, document_id: str) -> None:
        self.files[document_id] = replace(self.document(document_id), status=DocumentStatus.QUEUED)

    def record_spent(self, document_id: str, spent: Effort) -> None:
        self.files[document_id] = replace(self.document(document_id), spent=spent)

    def fail(self, document_id: str, key: str, params: Mapping[str, str]) -> None:
        self.files[document_id] = replace(
            self.document(document_id),
            status=DocumentStatus.FAILED,
            error_key=key,
            error_params=tuple(params.items()),
        )

    def restart(self, document_id: str) -> None:
        self.files[document_id] = replace(
            self.document(document_id), status=DocumentStatus.QUEUED, error_key="", error_params=()
        )

    def cancel(self, document_id: str) -> None:
        self.files[document_id] = replace(self.document(document_id), status=DocumentStatus.CANCELLED)

    def mark_form(self, document_id: str, form: bool) -> None:
        self.files[document_id] = replace(self.document(document_id), form=form)

    def blocks(self, document_id: str, page: int | None = None) -> list[Block]:
        return [block for block in self.make_blocks(document_id) if page is None or block.page == page]

    def chunks(self, document_id: str) -> list[Chunk]:
        return self.make_chunks(document_id)

    def passages(self, chunk_ids: Sequence[str]) -> list[Passage]:
        chunks = {chunk.id: chunk for file in self.files for chunk in self.make_chunks(file)}
        found = [chunks[chunk_id] for chunk_id in chunk_ids if chunk_id in chunks]
        return [Passage(chunk, self.files[chunk.document_id].name, 1.0) for chunk in found]

    def visible(self, chunk_ids: Sequence[str]) -> set[str]:
        return {passage.chunk.id for passage in self.passages(chunk_ids)}

    def summaries(self, document_ids: Sequence[str]) -> list[Summary]:
        del document_ids
        return []

    def preview_deletion(self, *document_ids: str) -> DeletionPreview:
        return DeletionPreview(sum(self.document(id).chunks for id in document_ids), 12, 7)

    def delete_document(self, document_id: str) -> None:
        del self.files[document_id]

    def index_entries(self, base_id: str, level: str) -> Iterator[list[IndexEntry]]:
        del base_id, level
        return iter(())


@dataclass
class FakeGraph:
    """A KnowledgeGraph of given entities and relations."""

    entities: dict[str, Entity] = field(default_factory=dict)
    relations: list[Relation] = field(default_factory=list)
    sentences: dict[str, list[MentionView]] = field(default_factory=dict)

    def stats(self, base_id: str) -> GraphStats:
        own = [entity for entity in self.entities.values() if entity.base_id == base_id]
        types = sorted({entity.type for entity in own})
        counts = tuple((name, sum(entity.type == name for entity in own)) for name in types)
        return GraphStats(len(own), sum(e.mentions for e in own), len(self.relations), 1, counts)

    def entity(self, entity_id: str) -> Entity:
        if entity_id not in self.entities:
            raise NotFoundError("error.document_missing")
        return self.entities[entity_id]

    def search(self, base_id: str, query: str, limit: int, type: str = "") -> list[Entity]:
        words = query.casefold()
        found = [
            entity
            for entity in self._by_mentions(base_id)
            if any(words in name.casefold() for name in (entity.name, *entity.aliases))
            and (not type or entity.type == type)
        ]
        return found[:limit]

    def named_in(self, base_id: str, text: str, limit: int) -> list[Entity]:
        return [entity for entity in self._by_mentions(base_id) if entity.name in text][:limit]

    def touched(self, base_id: str, text: str, chunk_ids: Sequence[str], limit: int) -> list[str]:
        raise NotImplementedError

    def of_chunks(self, chunk_ids: Sequence[str]) -> dict[str, list[Entity]]:
        wanted = set(chunk_ids)
        found: dict[str, list[Entity]] = {}
        for entity_id, views in self.sentences.items():
            for chunk_id in sorted({view.mention.chunk_id for view in views} & wanted):
                found.setdefault(chunk_id, []).append(self.entities[entity_id])
        return found

    def chunks_of(self, entity_ids: Sequence[str], limit: int) -> list[tuple[str, int]]:
        del entity_ids, limit
        return []

    def sharing(self, chunk_ids: Sequence[str], most_mentions: int, limit: int) -> list[tuple[str, str, int]]:
        del chunk_ids, most_mentions, limit
        return []

    def neighbours(self, entity_id: str, hops: int, limit: int) -> list[Neighbour]:
        distance = self._distances((entity_id,), hops)
        found = [
            Neighbour(self.entities[other], hop, self._weight(entity_id, other))
            for other, hop in distance.items()
            if hop > 0
        ]
        return sorted(found, key=lambda n: (n.hop, -n.weight, n.entity.name))[:limit]

    def view(self, base_id: str, entity_ids: Sequence[str], hops: int, limit: int) -> GraphView:
        known = [entity_id for entity_id in entity_ids if entity_id in self.entities]
        if entity_ids:
            distance = self._distances(known, hops)
            reached = sorted((self.entities[i] for i in distance), key=lambda e: (distance[e.id], -e.mentions))
        else:
            reached = self._by_mentions(base_id)
        kept = tuple(reached[:limit])
        return GraphView(kept, tuple(self.relations_between([e.id for e in kept])), len(reached) - len(kept))

    def mentions(self, entity_id: str, limit: int) -> list[MentionView]:
        return self.sentences.get(entity_id, [])[:limit]

    def relations_between(self, entity_ids: Sequence[str]) -> list[Relation]:
        ids = set(entity_ids)
        return [r for r in self.relations if r.source_id in ids and r.target_id in ids]

    def all(self, base_id: str) -> Iterator[tuple[Entity, list[Mention]]]:
        for entity in self._by_mentions(base_id):
            yield entity, [view.mention for view in self.sentences.get(entity.id, [])]

    def _by_mentions(self, base_id: str) -> list[Entity]:
        own = [entity for entity in self.entities.values() if entity.base_id == base_id]
        return sorted(own, key=lambda entity: (-entity.mentions, entity.name))

    def _weight(self, one: str, other: str) -> float:
        pair = {one, other}
        return sum(r.weight for r in self.relations if {r.source_id, r.target_id} == pair)

    def _distances(self, start: Sequence[str], hops: int) -> dict[str, int]:
        distance = dict.fromkeys(start, 0)
        edge_of = list(start)
        for hop in range(1, hops + 1):
            near = {
                other
                for r in self.relations
                for one, other in ((r.source_id, r.target_id), (r.target_id, r.source_id))
                if one in edge_of and other not in distance
            }
            distance |= dict.fromkeys(sorted(near), hop)
            edge_of = sorted(near)
        return distance


def sample_graph(document_id: str = "d-handbook.pdf", document_name: str = "handbook.pdf") -> FakeGraph:
    """The entities that SENTENCES name, with their mentions and co-occurrence."""
    graph = FakeGraph()
    together: dict[tuple[str, str], list[tuple[str, int]]] = {}
    for chunk in chunks_of(document_id):
        named = [name for name in NAMES if name in chunk.text]
        for name in named:
            _mention(graph, chunk, name, document_name)
        pairs = [(a, b) for index, a in enumerate(named) for b in named[index + 1 :]]
        for a, b in pairs:
            together.setdefault((entity_id(a), entity_id(b)), []).append((document_id, chunk.page))
    graph.relations = [Relation(a, b, CO_OCCURS, float(len(pages)), tuple(pages)) for (a, b), pages in together.items()]
    return graph


def _mention(graph: FakeGraph, chunk: Chunk, name: str, document_name: str) -> None:
    key = entity_id(name)
    before = graph.entities.get(key, Entity(key, BASE.id, name, NAMES[name], (), 0, 1))
    graph.entities[key] = replace(before, mentions=before.mentions + 1)
    start = chunk.text.index(name)
    mention = Mention(
        f"{chunk.id}-{key}", key, chunk.document_id, chunk.id, chunk.page, start, start + len(name), name, 0.9
    )
    boxes = chunk.boxes(start, start + len(name))
    graph.sentences.setdefault(key, []).append(MentionView(mention, document_name, chunk.text, boxes))


def html_of_page(app: AppTest) -> list[str]:
    """Every piece of HTML on the page but its style sheets."""
    pieces = [str(piece.value) for piece in app.get("html") if isinstance(piece, Element)]
    return [piece for piece in pieces if not piece.startswith("<style>")]


def running_stages() -> list[StageProgress]:
    return [
        StageProgress(Stage.PARSE, "done", 12, 12, "pages", 4.2),
        StageProgress(Stage.ASSEMBLE, "done", 140, 140, "blocks", 0.1),
        StageProgress(Stage.CHUNK, "running", 10, 40, "chunks", 0.4),
    ]


@dataclass
class FakeIntake:
    """Takes what is not empty and leaves it waiting."""

    library: FakeLibrary

    def earlier(self, base_id: str, name: str, sha256: str) -> Document | None:
        found = [file for file in self.library.documents(base_id) if file.name == name]
        same = any(file.sha256 == sha256 for file in found)
        return found[-1] if found and not same else None

    def add(
        self, base_id: str, name: str, data: bytes | Path, replaces: str = "", parser: str = ""
    ) -> tuple[Document, bool]:
        data = data.read_bytes() if isinstance(data, Path) else data
        if not data:
            raise InputError("error.file_unreadable", name=name, reason="it is empty")
        facts = (sha256(data).hexdigest(), len(data), "application/pdf")
        made = self.library.add_document(base_id, name, *facts, parser)
        if replaces:
            self.library.replace_document(made[0].id, replaces)
        return made

    def cancel(self, document_id: str) -> None:
        self.library.cancel(document_id)

    def retry(self, document_id: str) -> None:
        self.library.restart(document_id)

    def parse_again(self, document_id: str, parser: str) -> None:
        self.library.choose_parser(document_id, parser)
        self.library.restart(document_id)

    def resume(self, document_id: str) -> None:
        self.library.resume(document_id)
