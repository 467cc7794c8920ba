"""The pipeline over fakes and the SQL library: what gets published, what resumes, what fails with which sentence."""

from pathlib import Path

import pytest

from core.documents.model import Document, DocumentStatus, Stage
from core.documents.pipeline.artefacts import WorkFolder
from core.documents.pipeline.pipeline import Pipeline
from core.documents.pipeline.stage_slots import ATTEMPTS
from core.platform.errors import InputError, RetryableServiceError
from tests.fakes.extraction import FakeExtractor
from tests.fakes.ingestion import FakeIndex, StoredDeps, run_all, tools_of
from tests.fakes.parsing import FakeParser

TEXT = "Graphs\n\nAnn Arbor is a city in Michigan.\n\nRetrieval\n\nGraphs help Retrieval find the right passages."


def added(tools: StoredDeps, text: str = TEXT, name: str = "note.txt") -> Document:
    stored = tools.files.save(text.encode(), name)
    base = tools.library.bases.named("Base") or tools.library.bases.create("Base")
    return tools.library.documents.add(base.id, name, stored.sha256, stored.size, "text/plain")[0]


def test_a_document_goes_through_all_stages_and_becomes_visible(tmp_path: Path) -> None:
    index = FakeIndex()
    tools = tools_of(tmp_path, index=index)
    document = added(tools)
    assert run_all(Pipeline(tools, tmp_path / "work"), document.id) == list(Stage)
    ready = tools.library.documents.get(document.id)
    assert ready.status is DocumentStatus.READY
    assert (ready.title, ready.language, ready.parser, ready.pages, ready.chunks) == ("note", "en", "fake 1", 4, 2)
    assert [chunk.section for chunk in tools.library.passages.chunks(document.id)] == [("Graphs",), ("Retrieval",)]
    entries = [entry for batch in tools.library.passages.index_entries(document.base_id, "chunks") for entry in batch]
    assert list(index.entries[document.base_id, "chunks"].values()) == entries
    stages = tools.library.ingest_records.stages(document.id)
    assert [(row.stage, row.status, row.done) for row in stages] == [
        (Stage.PARSE, "done", 4), (Stage.ASSEMBLE, "done", 4), (Stage.CHUNK, "done", 2), (Stage.EXTRACT, "done", 2),
        (Stage.LINK, "done", ready.entities), (Stage.INDEX, "done", index.count(document.base_id, "chunks")),
    ]  # fmt: skip
    assert not (tmp_path / "work" / document.id).exists()


def test_finished_stages_are_not_repeated(tmp_path: Path) -> None:
    parser, extractor = FakeParser(), FakeExtractor()
    document = added(tools_of(tmp_path, parser, extractor))
    for _ in range(3):
        pipeline = Pipeline(tools_of(tmp_path, parser, extractor), tmp_path / "work")
        assert pipeline.run(document.id, Stage.PARSE)
        assert pipeline.run(document.id, Stage.EXTRACT)
    assert (parser.calls, extractor.calls) == (1, 1)


def test_a_lost_or_damaged_result_is_made_again(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("core.documents.pipeline.artefacts.QUICK_BYTES", 0)
    tools = tools_of(tmp_path)
    document = added(tools)
    pipeline = Pipeline(tools, tmp_path / "work")
    assert pipeline.run(document.id, Stage.LINK)
    work = WorkFolder(tmp_path / "work", document.id)
    (work.folder / "chunk.json").write_bytes(b'{"chunks": [')
    (work.folder / "assemble.json").unlink()
    assert not pipeline.run(document.id, Stage.INDEX)
    tools.library.ingest_records.restart(document.id)
    assert run_all(pipeline, document.id) == list(Stage)


def test_of_a_quick_document_expensive_results_alone_are_written_and_the_others_made_again(tmp_path: Path) -> None:
    parser, extractor = FakeParser(), FakeExtractor()
    tools = tools_of(tmp_path, parser, extractor)
    document = added(tools)
    assert Pipeline(tools, tmp_path / "work").run(document.id, Stage.LINK)
    folder = WorkFolder(tmp_path / "work", document.id).folder
    assert {path.stem for path in folder.glob("*.json")} >= {"parse", "extract"}
    assert not [path for stage in ("assemble", "chunk", "link") for path in folder.glob(f"{stage}*")]
    assert Pipeline(tools, tmp_path / "work").run(document.id)
    assert tools.library.documents.get(document.id).status is DocumentStatus.READY
    assert (parser.calls, extractor.calls) == (1, 1)


def test_publishing_again_after_a_crash_between_publishing_and_noting_it_is_harmless(tmp_path: Path) -> None:
    tools = tools_of(tmp_path)
    document = added(tools)
    pipeline = Pipeline(tools, tmp_path / "work")
    run_all(pipeline, document.id)
    version = tools.library.bases.get(document.base_id).index_version
    assert pipeline.run(document.id, Stage.INDEX)
    assert tools.library.bases.get(document.base_id).index_version == version


def test_a_failure_stands_with_the_document_and_a_retry_goes_on_from_there(tmp_path: Path) -> None:
    def refuse() -> None:
        raise InputError("ingest.error.no_text", name="note.txt")

    parser = FakeParser()
    document = added(tools_of(tmp_path))
    failing = Pipeline(tools_of(tmp_path, parser, FakeExtractor(refuse)), tmp_path / "work")
    assert run_all(failing, document.id) == [Stage.PARSE, Stage.ASSEMBLE, Stage.CHUNK]
    tools = tools_of(tmp_path, parser)
    failed = tools.library.documents.get(document.id)
    assert (failed.status, failed.error_key) == (DocumentStatus.FAILED, "ingest.error.no_text")
    assert [row.status for row in tools.library.ingest_records.stages(document.id)][-1] == "failed"
    tools.library.ingest_records.restart(document.id)
    assert run_all(Pipeline(tools, tmp_path / "work"), document.id) == list(Stage)
    assert parser.calls == 1
    first = tools.library.ingest_records.stages(document.id)[0]
    assert (first.stage, first.status, first.done) == (Stage.PARSE, "done", 4)


def test_a_defect_in_one_document_is_told_and_ends_there(tmp_path: Path) -> None:
    def break_down() -> None:
        raise ZeroDivisionError

    tools = tools_of(tmp_path, extractor=FakeExtractor(break_down))
    document = added(tools)
    assert run_all(Pipeline(tools, tmp_path / "work"), document.id)[-1] is Stage.CHUNK
    assert tools.library.documents.get(document.id).error_params == (("kind", "ZeroDivisionError"),)


def test_a_service_that_is_away_is_left_to_the_engine_and_given_up_with_a_sentence(tmp_path: Path) -> None:
    def be_away() -> None:
        raise RetryableServiceError("storage.busy")

    tools = tools_of(tmp_path, index=FakeIndex(be_away))
    document = added(tools)
    pipeline = Pipeline(tools, tmp_path / "work")
    with pytest.raises(RetryableServiceError) as away:
        run_all(pipeline, document.id)
    assert tools.library.documents.get(document.id).status is DocumentStatus.RUNNING
    pipeline.give_up(document.id, away.value)
    assert tools.library.documents.get(document.id).error_key == "ingest.error.service_gone"
    failed = [row.stage for row in tools.library.ingest_records.stages(document.id) if row.status == "failed"]
    assert failed == [Stage.INDEX]


def test_cancelling_stops_the_work_at_the_next_look(tmp_path: Path) -> None:
    tools = tools_of(tmp_path)
    document = added(tools)
    parser = FakeParser(between=lambda: tools.library.ingest_records.cancel(document.id))
    done = run_all(Pipeline(tools_of(tmp_path, parser), tmp_path / "work"), document.id)
    assert done in ([], [Stage.PARSE])
    assert tools.library.documents.get(document.id).status is DocumentStatus.CANCELLED


def test_deleting_a_document_meanwhile_leaves_nothing_behind(tmp_path: Path) -> None:
    index = FakeIndex()
    tools = tools_of(tmp_path, index=index)
    document = added(tools)
    pipeline = Pipeline(tools, tmp_path / "work")
    pipeline.run(document.id, Stage.LINK)
    index.before = lambda: tools.library.documents.delete(document.id)
    assert not pipeline.run(document.id, Stage.INDEX)
    assert index.count(document.base_id, "chunks") == 0
    assert not (tmp_path / "work" / document.id).exists()


def test_one_that_is_deleted_in_the_middle_of_a_stage_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.documents.pipeline.progress._SECONDS_BETWEEN", 0.0)
    tools = tools_of(tmp_path)
    document = added(tools)
    parser = FakeParser(between=lambda: tools.library.documents.delete(document.id))
    assert not Pipeline(tools_of(tmp_path, parser), tmp_path / "work").run(document.id, Stage.PARSE)
    assert not (tmp_path / "work" / document.id).exists()


def test_a_missing_file_is_a_sentence(tmp_path: Path) -> None:
    tools = tools_of(tmp_path)
    document = added(tools)
    tools.files.delete(document.sha256)
    assert not Pipeline(tools, tmp_path / "work").run(document.id, Stage.PARSE)
    assert tools.library.documents.get(document.id).error_key == "ingest.error.file_missing"


def test_a_file_without_any_text_is_a_sentence(tmp_path: Path) -> None:
    tools = tools_of(tmp_path)
    document = added(tools, text=" ")
    run_all(Pipeline(tools, tmp_path / "work"), document.id)
    assert tools.library.documents.get(document.id).error_key == "ingest.error.no_text"


def test_ids_that_are_paths_name_no_folder(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="letters and digits"):
        WorkFolder(tmp_path, "../../etc")


def test_a_document_in_whose_stage_the_process_keeps_dying_is_set_aside_and_can_be_retried(tmp_path: Path) -> None:
    tools = tools_of(tmp_path)
    document = added(tools)
    pipeline = Pipeline(tools, tmp_path / "work")
    pipeline.run(document.id, Stage.CHUNK)
    work = WorkFolder(tmp_path / "work", document.id)
    for _ in range(ATTEMPTS):
        work.note_interruption(Stage.EXTRACT, is_death=True)
    assert not pipeline.run(document.id, Stage.EXTRACT)
    assert tools.library.documents.get(document.id).error_key == "ingest.error.poison"
    tools.library.ingest_records.restart(document.id)
    assert run_all(pipeline, document.id) == list(Stage)


def test_deaths_in_different_stages_do_not_add_up(tmp_path: Path) -> None:
    tools = tools_of(tmp_path)
    document = added(tools)
    work = WorkFolder(tmp_path / "work", document.id)
    for stage in Stage:
        for _ in range(ATTEMPTS - 1):
            work.note_interruption(stage, is_death=True)
    assert run_all(Pipeline(tools, tmp_path / "work"), document.id) == list(Stage)
