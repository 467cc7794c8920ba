"""Parsed once: the same content under the same parser, in whatever base, and however often it is tried."""

import threading
from pathlib import Path

import pytest

from core.documents.lifecycle.file_store import FileStore
from core.documents.model import Document, DocumentStatus, Stage
from core.documents.pipeline.parse_cache import ParseCache
from core.documents.pipeline.pipeline import Pipeline
from core.documents.ports.parsing import Parsed, Progress
from core.models.meter import Cancel
from core.platform.errors import CancelledError, InputError
from tests.fakes.ingestion import run_all, tools_of
from tests.fakes.parsing import Always, FakeParser, Never, ignore

TEXT = "Graphs\n\nAnn Arbor is a city in Michigan."


class OtherParser(FakeParser):
    @property
    def identity(self) -> str:
        return "fake 2"


def added(data: Path, base: str, parser: FakeParser, text: str = TEXT) -> tuple[Pipeline, Document]:
    tools = tools_of(data, parser)
    stored = tools.files.save(text.encode(), "a.txt")
    owner = tools.library.bases.named(base) or tools.library.bases.create(base)
    document, _ = tools.library.documents.add(owner.id, "a.txt", stored.sha256, stored.size, "text/plain")
    return Pipeline(tools, data / "work"), document


def parse(
    cache: ParseCache, parser: FakeParser, document: Document, path: Path, cancel: Cancel, progress: Progress = ignore
) -> Parsed:
    return cache.parse(parser, document, path, cancel, progress)


def test_the_same_file_in_two_bases_is_parsed_once(tmp_path: Path) -> None:
    parser = FakeParser()
    for base in ("One", "Two"):
        pipeline, document = added(tmp_path, base, parser)
        assert run_all(pipeline, document.id) == list(Stage)
    assert parser.calls == 1


def test_another_parser_or_another_file_is_parsed(tmp_path: Path) -> None:
    first, second = FakeParser(), OtherParser()
    for parser, base, text in ((first, "One", TEXT), (second, "Two", TEXT), (first, "Three", TEXT + " More.")):
        pipeline, document = added(tmp_path, base, parser, text)
        run_all(pipeline, document.id)
    assert (first.calls, second.calls) == (2, 1)


def test_a_document_is_parsed_again_with_the_parser_chosen_and_stays_ready_meanwhile(tmp_path: Path) -> None:
    first, second = FakeParser(), OtherParser()
    pipeline, document = added(tmp_path, "One", first)
    run_all(pipeline, document.id)
    again, _ = added(tmp_path, "One", second)
    library = tools_of(tmp_path).library
    library.documents.choose_parser(document.id, "mineru-server")
    library.ingest_records.restart(document.id)
    assert again.run(document.id, Stage.PARSE)
    assert library.documents.get(document.id).status is DocumentStatus.READY
    assert run_all(again, document.id) == list(Stage)
    assert (first.calls, second.calls) == (1, 1)


def test_results_of_a_parser_that_is_not_wanted_any_more_are_dropped(tmp_path: Path) -> None:
    first, second = FakeParser(), OtherParser()
    pipeline, document = added(tmp_path, "One", first)
    assert pipeline.run(document.id, Stage.PARSE)
    assert pipeline.run(document.id, Stage.CHUNK)
    tools_of(tmp_path).library.documents.choose_parser(document.id, "mineru-server")
    again, _ = added(tmp_path, "One", second)
    assert again.run(document.id, Stage.PARSE)
    assert second.calls == 1


def test_a_failure_is_not_kept_and_a_damaged_result_is_made_again(tmp_path: Path) -> None:
    def refuse() -> None:
        raise InputError("ingest.error.damaged", name="a.txt")

    _, document = added(tmp_path, "One", FakeParser())
    path = tmp_path / "a.txt"
    path.write_text(TEXT, encoding="utf-8")
    cache = ParseCache(tmp_path / "cache")
    with pytest.raises(InputError):
        parse(cache, FakeParser(refuse), document, path, Never())
    parser = FakeParser()
    whole = parse(cache, parser, document, path, Never())
    [kept] = (tmp_path / "cache").rglob("*.json.gz")
    for damaged in (kept.read_bytes()[:40], kept.read_bytes()[:12] + b"\xff" * 40):
        kept.write_bytes(damaged)
        assert parse(cache, parser, document, path, Never()) == whole
    assert parser.calls == 3


def test_a_result_goes_with_its_file(tmp_path: Path) -> None:
    pipeline, document = added(tmp_path, "One", FakeParser())
    run_all(pipeline, document.id)
    assert list((tmp_path / "cache").rglob("*.json.gz"))
    FileStore(tmp_path / "files", caches=tmp_path / "cache").delete(document.sha256)
    assert not list((tmp_path / "cache").rglob("*.json.gz"))


def test_what_was_used_least_recently_goes_when_the_cache_is_full(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(TEXT, encoding="utf-8")
    cache = ParseCache(tmp_path / "cache", most_bytes=600)
    parser = FakeParser()
    _, document = added(tmp_path, "One", parser)
    others = [added(tmp_path, "One", parser, f"{TEXT} {number}")[1] for number in range(5)]
    for other in others:
        parse(cache, parser, other, path, Never())
    parse(cache, parser, others[-1], path, Never())
    assert parser.calls == 5
    assert sum(file.stat().st_size for file in (tmp_path / "cache").rglob("*.json.gz")) <= 600
    parse(cache, parser, document, path, Never())
    assert parser.calls == 6


def test_files_that_others_remove_while_the_cache_is_measured_do_no_harm(tmp_path: Path) -> None:
    path = tmp_path / "a.txt"
    path.write_text(TEXT, encoding="utf-8")
    (tmp_path / "cache").mkdir()
    (tmp_path / "cache" / "gone.tmp").symlink_to(tmp_path / "nowhere")
    _, document = added(tmp_path, "One", FakeParser())
    assert parse(ParseCache(tmp_path / "cache"), FakeParser(), document, path, Never()).blocks


def test_the_second_of_two_waits_and_hears_a_cancel_while_waiting(tmp_path: Path) -> None:
    reached, go_on = threading.Event(), threading.Event()

    def slow() -> None:
        reached.set()
        assert go_on.wait(30)

    path = tmp_path / "a.txt"
    path.write_text(TEXT, encoding="utf-8")
    parser = FakeParser(slow)
    _, document = added(tmp_path, "One", parser)
    cache = ParseCache(tmp_path / "cache")
    first = threading.Thread(target=parse, args=(cache, parser, document, path, Never()))
    first.start()
    assert reached.wait(30)
    with pytest.raises(CancelledError):
        parse(cache, parser, document, path, Always())
    go_on.set()
    first.join(30)
    parse(cache, parser, document, path, Never())
    assert parser.calls == 1
