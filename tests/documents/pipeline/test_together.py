"""Short documents that are read together: the same as one by one, and nobody gets another one's failure."""

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path

import pytest

from core.documents.lifecycle.intake import Intake
from core.documents.model import Document, DocumentStatus, Stage
from core.documents.pipeline.artefacts import WorkFolder
from core.documents.pipeline.dispatch import _MOST_SHORT, TOGETHER, Dispatcher
from core.documents.pipeline.pipeline import Pipeline
from core.documents.pipeline.spool import SpoolQueue
from core.documents.pipeline.stage_notes import StageNotes
from core.documents.ports.extraction import Extraction, ExtractionRequest
from core.documents.ports.parsing import Parsed, Progress, SourceFile
from core.models.meter import Cancel
from core.platform.errors import AppError, InputError, RetryableServiceError
from core.search.ports import IndexEntry
from tests.canonical_dump import canonical_dump
from tests.fakes.extraction import FakeExtractor
from tests.fakes.ingestion import FakeIndex, FakeIngestEngine, StoredDeps, tools_of
from tests.fakes.parsing import FakeParser, Never, ignore


class GroupingParser(FakeParser):
    """Reads several at once."""

    groups: list[int]

    def parse_together(self, files: Sequence[SourceFile]) -> list[Parsed | AppError]:
        self.groups = [*getattr(self, "groups", []), len(files)]
        return [self._outcome(file) for file in files]

    def _outcome(self, file: SourceFile) -> Parsed | AppError:
        if "broken" in file.path.read_text():
            return InputError("ingest.error.no_text", name=file.name)
        return self.parse(file.path, file.name, file.media_type, Never(), ignore)


class BrokenParser(GroupingParser):
    """Returns characters that cannot be stored."""

    def parse(self, path: Path, name: str, media_type: str, cancel: Cancel, progress: Progress) -> Parsed:
        parsed = super().parse(path, name, media_type, cancel, progress)
        blocks = tuple(replace(each, text=f"{each.text}\ud800", html="\ud800") for each in parsed.blocks)
        return replace(parsed, blocks=blocks, title="Graphs\ud800")


class MarkedExtractor(FakeExtractor):
    """Does something when it comes to a marked text."""

    engine = "a model"

    def __init__(self, at_mark: Callable[[], None]) -> None:
        super().__init__()
        self.at_mark = at_mark

    def extract_document(self, order: ExtractionRequest) -> Extraction:
        if any("marked" in text for text in order.texts):
            self.at_mark()
        return super().extract_document(order)


class MarkedIndex(FakeIndex):
    """Takes nothing that is marked."""

    def upsert(self, base_id: str, level: str, entries: Sequence[IndexEntry]) -> None:
        if any("marked" in entry.text for entry in entries):
            raise InputError("ingest.error.no_text", name="marked")
        super().upsert(base_id, level, entries)


def added(tools: StoredDeps, *texts: str) -> list[Document]:
    base = tools.library.bases.named("Base") or tools.library.bases.create("Base")
    found = []
    for number, text in enumerate(texts):
        stored = tools.files.save(text.encode(), f"{number}.txt")
        document, _ = tools.library.documents.add(base.id, f"{number}.txt", stored.sha256, stored.size, "text/plain")
        found.append(document)
    return found


def read(tools: StoredDeps, data: Path, documents: Sequence[Document]) -> list[str]:
    return list(Pipeline(tools, data / "work").run_together([document.id for document in documents]))


def states(tools: StoredDeps, documents: Sequence[Document]) -> list[DocumentStatus]:
    return [tools.library.documents.get(document.id).status for document in documents]


TEXTS = [f"Graphs\n\nAnn Arbor is city {number} in Michigan.\n\nGraphs help Retrieval." for number in range(4)]
READY, FAILED, CANCELLED = DocumentStatus.READY, DocumentStatus.FAILED, DocumentStatus.CANCELLED


def test_together_they_become_the_same_as_one_by_one(tmp_path: Path) -> None:
    parser, index = GroupingParser(), FakeIndex()
    one, many = tools_of(tmp_path / "one"), tools_of(tmp_path / "many", parser, index=index)
    alone, along = added(one, *TEXTS), added(many, *TEXTS)
    for document in alone:
        assert Pipeline(one, tmp_path / "one" / "work").run(document.id)
    assert read(many, tmp_path / "many", along) == []
    assert parser.groups == [len(TEXTS)]
    dumps = [
        canonical_dump(tools.library.documents.engine, documents[0].base_id)  # type: ignore[attr-defined]
        for tools, documents in ((one, alone), (many, along))
    ]
    assert dumps[0] == dumps[1]
    versions = [tools.library.bases.get(tools.library.bases.named("Base").id) for tools in (one, many)]  # type: ignore[union-attr]
    assert versions[0].index_version == versions[1].index_version == len(TEXTS)
    for document in along:
        rows = many.library.ingest_records.stages(document.id)
        assert [(row.stage, row.status) for row in rows] == [(stage, "done") for stage in Stage]
        ready = many.library.documents.get(document.id)
        assert ready.estimate
        assert ready.spent
    assert not list((tmp_path / "many" / "work").iterdir())
    assert index.count(along[0].base_id, "chunks") == sum(len(one.library.passages.chunks(each.id)) for each in alone)


def test_one_that_fails_takes_no_other_with_it(tmp_path: Path) -> None:
    def break_down() -> None:
        raise ZeroDivisionError

    tools = tools_of(tmp_path, GroupingParser(), MarkedExtractor(break_down))
    documents = added(tools, TEXTS[0], "broken", " ", "A marked text.", TEXTS[1], "Gone soon.")
    tools.files.delete(documents[-1].sha256)
    assert read(tools, tmp_path, documents) == []
    assert states(tools, documents) == [READY, FAILED, FAILED, FAILED, READY, FAILED]
    keys = [tools.library.documents.get(document.id).error_key for document in documents]
    no_text, missing = "ingest.error.no_text", "ingest.error.file_missing"
    assert keys == ["", no_text, no_text, "error.unexpected", "", missing]


def test_what_cannot_be_written_together_is_written_one_by_one(tmp_path: Path) -> None:
    tools = tools_of(tmp_path, GroupingParser(), index=MarkedIndex())
    documents = added(tools, TEXTS[0], "A marked text.", TEXTS[1])
    read(tools, tmp_path, documents)
    assert states(tools, documents) == [READY, FAILED, READY]


def test_one_that_is_cancelled_meanwhile_is_left_out(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.documents.pipeline.progress._SECONDS_BETWEEN", 0.0)
    tools = tools_of(tmp_path, GroupingParser())
    documents = added(tools, TEXTS[0], "A marked text.", TEXTS[1])
    cancel = MarkedExtractor(lambda: tools.library.ingest_records.cancel(documents[1].id))
    read(tools.with_engines(extracting=cancel), tmp_path, documents)
    assert states(tools, documents) == [READY, CANCELLED, READY]
    assert not tools.library.passages.chunks(documents[1].id)


def test_those_that_a_service_keeps_waiting_are_told_and_the_others_are_not_repeated(tmp_path: Path) -> None:
    def be_away() -> None:
        raise RetryableServiceError("storage.busy")

    parser = GroupingParser()
    tools = tools_of(tmp_path, parser, MarkedExtractor(be_away))
    documents = added(tools, TEXTS[0], "A marked text.", TEXTS[1])
    assert read(tools, tmp_path, documents) == [documents[1].id]
    assert states(tools, documents) == [READY, DocumentStatus.RUNNING, READY]
    calls = parser.calls
    assert read(tools_of(tmp_path, parser), tmp_path, documents) == []
    assert states(tools, documents) == [READY, READY, READY]
    assert parser.calls == calls + 1


def test_one_in_whose_stage_the_process_died_goes_alone_and_is_set_aside_in_the_end(tmp_path: Path) -> None:
    parser = GroupingParser()
    tools = tools_of(tmp_path, parser)
    documents = added(tools, *TEXTS)
    for document, times in zip(documents, (0, 1, 3, 0), strict=True):
        for _ in range(times):
            WorkFolder(tmp_path / "work", document.id).note_interruption(Stage.PARSE, is_death=True)
    read(tools, tmp_path, documents)
    assert parser.groups == [2]
    assert states(tools, documents) == [READY, READY, FAILED, READY]
    assert tools.library.documents.get(documents[2].id).error_key == "ingest.error.poison"


def test_a_death_while_they_were_together_is_counted_with_each(tmp_path: Path) -> None:
    parser, work = GroupingParser(), tmp_path / "work"
    tools = tools_of(tmp_path, parser)
    documents = added(tools, *TEXTS)
    notes = StageNotes(work)
    with notes.under_way(Stage.CHUNK, [document.id for document in documents[:2]]):
        notes.count_death(os.getpid() + 1)
        assert [WorkFolder(work, each.id).deaths(Stage.CHUNK) for each in documents] == [0, 0, 0, 0]
        notes.count_death(os.getpid())
    assert [WorkFolder(work, each.id).deaths(Stage.CHUNK) for each in documents] == [1, 1, 0, 0]
    seen: list[int] = []
    marked = MarkedExtractor(lambda: seen.extend(WorkFolder(work, each.id).deaths(Stage.CHUNK) for each in documents))
    documents += added(tools, "A marked text.")
    read(tools.with_engines(extracting=marked), tmp_path, documents)
    assert parser.groups == [5]
    assert seen == [0] * 5, "what has gone well is not held against them"
    assert states(tools, documents) == [READY] * 5
    assert not list(work.iterdir())


def test_nothing_is_begun_twice_at_a_time(tmp_path: Path) -> None:
    tools = tools_of(tmp_path)
    documents = added(tools, *TEXTS)
    pipeline = Pipeline(tools, tmp_path / "work")
    again: list[bool] = []

    def begin_again() -> None:
        again.append(pipeline.run(documents[0].id))
        pipeline.run_together([document.id for document in documents])

    extractor = MarkedExtractor(begin_again)
    pipeline = Pipeline(tools.with_engines(extracting=extractor), tmp_path / "work")
    documents = [*documents, *added(tools, "A marked text.")]
    pipeline.run_together([document.id for document in documents])
    assert again == [False]
    assert extractor.calls == len(documents)


def test_a_ready_document_is_read_again_when_that_is_asked_for(tmp_path: Path) -> None:
    parser = FakeParser()
    tools = tools_of(tmp_path, parser)
    (document,) = added(tools, TEXTS[0])
    pipeline = Pipeline(tools, tmp_path / "work")
    assert pipeline.run(document.id)
    assert pipeline.run(document.id)
    assert parser.calls == 1, "only the note got lost that it was done"
    Intake(
        tools.library.documents, tools.files, SpoolQueue(tmp_path / "spool", tools.library.ingest_records)
    ).parse_again(document.id, "")
    parsed = tmp_path / "cache" / "parsed"
    for kept in parsed.rglob("*.json.gz"):
        kept.unlink()
    assert pipeline.run(document.id)
    assert parser.calls == 2


def test_characters_of_a_parser_that_cannot_be_stored_are_replaced(tmp_path: Path) -> None:
    tools = tools_of(tmp_path, BrokenParser())
    documents = added(tools, *TEXTS)
    assert Pipeline(tools, tmp_path / "work").run(documents[0].id)
    assert read(tools, tmp_path, documents[1:]) == []
    assert states(tools, documents) == [READY] * len(TEXTS)
    for document in documents:
        assert "in Michigan.\ufffd" in tools.library.passages.chunks(document.id)[0].text


class Noted(FakeIngestEngine):
    def __init__(self) -> None:
        super().__init__()
        self.groups: list[int] = []

    def enqueue(self, *document_ids: str) -> None:
        self.groups.append(len(document_ids))
        super().enqueue(*document_ids)


def test_those_that_wait_are_handed_on_in_groups_and_no_more_than_can_soon_be_read(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    together, groups = 4, _MOST_SHORT // TOGETHER
    monkeypatch.setattr("core.documents.pipeline.dispatch.TOGETHER", together)
    monkeypatch.setattr("core.documents.pipeline.dispatch._MOST_SHORT", groups * together)
    tools, engine = tools_of(tmp_path), Noted()
    documents = added(tools, *(f"Note {number} of Ann." for number in range((groups + 1) * together + 3)))
    queue = SpoolQueue(tmp_path / "spool", tools.library.ingest_records)
    for document in documents:
        queue.submit(document.id)
    library = tools.library
    work = tmp_path / "work"
    dispatcher = Dispatcher(library.bases, library.documents, library.ingest_records, queue, engine, work)
    dispatcher.goes_along = lambda document: document.id != documents[-1].id
    dispatcher.recover()
    dispatcher.turn()
    assert engine.groups == [1, *[together] * groups]
    assert len(queue.waiting()) == together + 2
    engine.stands = dict.fromkeys(engine.stands, "ended")
    for document_id in engine.enqueued:
        library.ingest_records.fail(document_id, "ingest.error.no_text", {})
    dispatcher.turn()
    dispatcher.turn()
    assert engine.groups[groups + 1 :] == [together, 2]
    assert sorted(engine.enqueued) == sorted(document.id for document in documents)
    assert not queue.waiting()
