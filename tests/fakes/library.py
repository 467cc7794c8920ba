"""The stores of documents in memory; they keep what they are given."""

from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from pathlib import PurePath

from core.documents.model import (
    ATTENTION,
    EVERY,
    Block,
    Chunk,
    DeletionPreview,
    Document,
    DocumentFilter,
    DocumentOrder,
    DocumentStatus,
    Effort,
    KnowledgeBase,
    StageProgress,
)
from core.documents.ports.publishing import NOTHING_NOTED, NewDocument, Publication, WorkDone
from core.graph.model import Entity, Mention, Relation
from core.platform.errors import InputError, NotFoundError
from core.platform.identity import Role
from core.platform.language.terms import terms
from core.search.model import Passage
from core.search.ports import IndexEntry
from tests.fakes.samples import BASE, NOW, chunk_of


@dataclass
class FakeBases:
    kept: dict[str, KnowledgeBase] = field(default_factory=dict)
    now: datetime = NOW

    def all(self) -> list[KnowledgeBase]:
        return list(self.kept.values())

    def get(self, base_id: str) -> KnowledgeBase:
        if base_id not in self.kept:
            raise NotFoundError("storage.base_gone")
        return self.kept[base_id]

    def named(self, name: str) -> KnowledgeBase | None:
        return next((base for base in self.kept.values() if base.name == name), None)

    def create(self, name: str) -> KnowledgeBase:
        if not name.strip():
            raise InputError("storage.base_name_empty")
        if self.named(name):
            raise InputError("storage.base_name_taken", name=name)
        made = KnowledgeBase(f"b{len(self.kept) + 1}", name, self.now)
        self.kept[made.id] = made
        return made

    def rename(self, base_id: str, name: str) -> None:
        self.kept[base_id] = replace(self.get(base_id), name=name)

    def set_entity_types(self, base_id: str, types: Sequence[str]) -> None:
        self.kept[base_id] = replace(self.get(base_id), entity_types=tuple(types))

    def graph_version(self, base_id: str) -> int:
        del base_id
        return 0

    def delete(self, base_id: str, archived: tuple[int, int] | None = None) -> bool:
        del self.kept[base_id]
        return True


@dataclass
class FakeDocuments:
    kept: dict[str, Document] = field(default_factory=dict)
    now: datetime = NOW

    def add(
        self, base_id: str, name: str, sha256: str, size: int, media_type: str, parser: str = ""
    ) -> tuple[Document, bool]:
        same = next((file for file in self.kept.values() if (file.base_id, file.sha256) == (base_id, sha256)), None)
        if same:
            return same, False
        facts = (f"d-{name}", base_id, name, sha256, size, media_type, self.now)
        made = Document(*facts, DocumentStatus.QUEUED, parser_choice=parser)
        self.kept[made.id] = made
        return made, True

    def of_base(self, base_id: str) -> list[Document]:
        return [file for file in self.kept.values() if file.base_id == base_id]

    def find(
        self,
        base_id: str,
        wanted: DocumentFilter = EVERY,
        order: DocumentOrder = DocumentOrder.OLDEST,
        limit: int | None = None,
        skip: int = 0,
    ) -> list[Document]:
        found = _sorted([file for file in self.of_base(base_id) if _matches(file, wanted)], order)
        return found[skip:] if limit is None else found[skip : skip + limit]

    def ready_names(self, base_id: str, limit: int) -> dict[str, str]:
        ready = self.find(base_id, DocumentFilter((DocumentStatus.READY,)), limit=limit)
        return {file.id: file.name for file in ready}

    def counts(self, base_id: str, wanted: DocumentFilter = EVERY) -> Mapping[DocumentStatus, int]:
        return Counter(file.status for file in self.find(base_id, wanted))

    def existing(self, document_ids: Collection[str]) -> frozenset[str]:
        return frozenset(document_ids) & self.kept.keys()

    def several(self, document_ids: Collection[str]) -> list[Document]:
        return [file for file in self.kept.values() if file.id in document_ids]

    def some(self, base_id: str, document_ids: Collection[str]) -> list[Document]:
        return [file for file in self.of_base(base_id) if file.id in document_ids]

    def with_content(self, base_id: str, sha256: str) -> Document | None:
        return next((file for file in self.of_base(base_id) if file.sha256 == sha256), None)

    def called(self, base_id: str, names: Collection[str]) -> tuple[str, ...]:
        ready = self.find(base_id, DocumentFilter((DocumentStatus.READY,)))
        return tuple(file.id for file in ready if _names(file).intersection(names))

    def get(self, document_id: str) -> Document:
        if document_id not in self.kept:
            raise NotFoundError("error.document_missing")
        return self.kept[document_id]

    def mark_replacement(self, document_id: str, replaced_id: str) -> None:
        self.kept[document_id] = replace(self.get(document_id), replaces=replaced_id)

    def choose_parser(self, document_id: str, parser: str) -> None:
        self.kept[document_id] = replace(self.get(document_id), parser_choice=parser)

    def rename(self, document_id: str, name: str, media_type: str) -> None:
        self.kept[document_id] = replace(self.get(document_id), name=name, media_type=media_type)

    def mark_form(self, document_id: str, form: bool) -> None:
        self.kept[document_id] = replace(self.get(document_id), form=form)

    def preview_deletion(self, *document_ids: str) -> DeletionPreview:
        return DeletionPreview(sum(self.get(id).chunks for id in document_ids), 12, 7)

    def delete(self, document_id: str, archived: int | None = None) -> bool:
        del self.kept[document_id]
        return True

    def require(self, base_id: str, role: Role) -> None:
        """The only person of a single desk may do everything."""

    def files_in_use(self, sha256s: Collection[str]) -> frozenset[str]:
        return frozenset(sha256s) & {file.sha256 for file in self.kept.values()}


def _matches(file: Document, wanted: DocumentFilter) -> bool:
    text = f"{file.name} {file.title}".casefold()
    return (
        (not wanted.statuses or file.status in wanted.statuses)
        and all(word in text for word in wanted.words.casefold().split())
        and (not wanted.name or file.name == wanted.name)
        and (file.form or not wanted.only_forms)
    )


def _sorted(files: list[Document], order: DocumentOrder) -> list[Document]:
    if order is DocumentOrder.NAME:
        return sorted(files, key=lambda file: (file.name.casefold(), file.id))
    if order is DocumentOrder.LARGEST:
        return sorted(files, key=lambda file: (-file.pages, -file.size, file.id))
    if order is DocumentOrder.OLDEST:
        return files
    newest = sorted(files, key=lambda file: (file.added_at, file.id), reverse=True)
    return sorted(newest, key=lambda file: ATTENTION.index(file.status)) if order is DocumentOrder.STATUS else newest


def _names(file: Document) -> set[str]:
    stem = PurePath(file.name).stem.replace("_", " ").replace("-", " ")
    return {" ".join(terms(words)) for words in (file.title, stem) if words}


@dataclass
class FakePublications:
    documents: FakeDocuments

    records: "FakeIngestRecords"

    def publish(
        self, publication: Publication, check: Callable[[], None] = lambda: None, done: WorkDone = NOTHING_NOTED
    ) -> None:
        check()
        self.documents.kept[publication.document_id] = replace(
            self.documents.get(publication.document_id),
            status=DocumentStatus.READY,
            pages=publication.pages,
            spent=done.spent,
        )
        self.records.record_stage(publication.document_id, *done.stages)

    def publish_together(
        self, found: Sequence[tuple[Publication, WorkDone]], check: Callable[[], None] = lambda: None
    ) -> None:
        for publication, done in found:
            self.publish(publication, check, done)

    def publish_new(self, found: Sequence[tuple[NewDocument, Publication]]) -> None:
        raise NotImplementedError

    def get(self, document_id: str) -> Publication:
        raise NotImplementedError

    def restore(self, document: Document, publication: Publication | None, done: WorkDone = NOTHING_NOTED) -> None:
        del publication
        self.documents.kept[document.id] = document
        self.records.record_stage(document.id, *done.stages)

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


@dataclass
class FakePassages:
    """Chunks are those of the list, unless a test makes them from the document's id."""

    documents: FakeDocuments
    chunk_list: list[Chunk] = field(default_factory=list)
    make_blocks: Callable[[str], list[Block]] = lambda document_id: []
    make_chunks: Callable[[str], list[Chunk]] = field(init=False)

    def __post_init__(self) -> None:
        self.make_chunks = lambda id: [chunk for chunk in self.chunk_list if chunk.document_id == id]

    def blocks(self, document_id: str, page: int | None = None) -> list[Block]:
        return [block for block in self.make_blocks(document_id) if page is None or block.page == page]

    def chunks(self, document_id: str) -> list[Chunk]:
        return self.make_chunks(document_id)

    def beside(self, chunk: Chunk) -> list[Chunk]:
        return [other for other in self.chunks(chunk.document_id) if abs(other.index - chunk.index) == 1]

    def get(self, chunk_ids: Sequence[str]) -> list[Passage]:
        kept = self.documents.kept
        by_id = {chunk.id: chunk for document_id in kept for chunk in self.chunks(document_id) if chunk.enabled}
        found = (by_id[chunk_id] for chunk_id in chunk_ids if chunk_id in by_id)
        from_documents = ((chunk, kept[chunk.document_id]) for chunk in found)
        return [Passage(chunk, document.name, 0.0, parser=document.parser) for chunk, document in from_documents]

    def visible(self, chunk_ids: Sequence[str]) -> set[str]:
        return {passage.chunk.id for passage in self.get(chunk_ids)}

    def texts(self, chunk_ids: Sequence[str]) -> dict[str, str]:
        return {passage.chunk.id: passage.chunk.text for passage in self.get(chunk_ids)}

    def index_entries(self, base_id: str, level: str) -> Iterator[list[IndexEntry]]:
        """There are no summaries."""
        for document in self.documents.of_base(base_id) if level == "chunks" else []:
            chunks = self.chunks(document.id)
            yield [
                IndexEntry(chunk.id, document.id, document.name, "\n".join(chunk.section), chunk.text)
                for chunk in chunks
            ]


@dataclass
class FakeIngestRecords:
    documents: FakeDocuments
    progress: dict[str, list[StageProgress]] = field(default_factory=dict)

    def record_stage(self, document_id: str, *progress: StageProgress) -> None:
        stages = {row.stage: row for row in (*self.progress.get(document_id, []), *progress)}
        self.progress[document_id] = [*stages.values()]

    def record_running(self, progress: Mapping[str, StageProgress]) -> None:
        for document_id, each in progress.items():
            self.record_stage(document_id, each)

    def record_estimates(self, estimates: Mapping[str, Effort]) -> None:
        for document_id, estimate in estimates.items():
            self.record_estimate(document_id, estimate)

    def unwanted(self, document_ids: Collection[str]) -> frozenset[str]:
        kept = self.documents.kept
        return frozenset(each for each in document_ids if each not in kept or kept[each].cancelled)

    def stages(self, document_id: str) -> list[StageProgress]:
        return self.progress.get(document_id, [])

    def record_estimate(self, document_id: str, estimate: Effort, paused: bool = False) -> None:
        status = DocumentStatus.PAUSED if paused else self.documents.get(document_id).status
        self.documents.kept[document_id] = replace(self.documents.get(document_id), estimate=estimate, status=status)

    def resume(self, document_id: str) -> None:
        self.documents.kept[document_id] = replace(self.documents.get(document_id), status=DocumentStatus.QUEUED)

    def fail(self, document_id: str, key: str, params: Mapping[str, str]) -> None:
        self.documents.kept[document_id] = replace(
            self.documents.get(document_id),
            status=DocumentStatus.FAILED,
            error_key=key,
            error_params=tuple(params.items()),
        )

    def restart(self, document_id: str) -> None:
        self.documents.kept[document_id] = replace(
            self.documents.get(document_id), status=DocumentStatus.QUEUED, error_key="", error_params=()
        )

    def cancel(self, document_id: str) -> None:
        self.documents.kept[document_id] = replace(self.documents.get(document_id), status=DocumentStatus.CANCELLED)


class FakeLibrary:
    """All of them over the same documents; one base that is named Sample unless others are given."""

    def __init__(self, *bases: KnowledgeBase, now: datetime = NOW) -> None:
        there = bases or (KnowledgeBase(BASE, "Sample", now, 1),)
        self.bases = FakeBases({base.id: base for base in there}, now)
        self.documents = FakeDocuments(now=now)
        self.ingest_records = FakeIngestRecords(self.documents)
        self.publications = FakePublications(self.documents, self.ingest_records)
        self.passages = FakePassages(self.documents)

    def add(self, name: str, *texts: str | tuple[str, str], title: str = "") -> str:
        """A ready document of texts, or of (heading, text) pairs, one a page; returns its id."""
        id = f"d{len(self.documents.kept) + 1}"
        facts = (id, BASE, name, "0" * 64, 1, "application/pdf", NOW, DocumentStatus.READY)
        self.documents.kept[id] = Document(*facts, title=title)
        for index, given in enumerate(texts):
            heading, text = given if isinstance(given, tuple) else ("", given)
            section = (heading,) if heading else ()
            self.passages.chunk_list.append(chunk_of(id, index, text, section, page=index))
        return id

    def reindexed(self, version: int) -> None:
        """The sample base has this index version now."""
        self.bases.kept[BASE] = replace(self.bases.kept[BASE], index_version=version)
