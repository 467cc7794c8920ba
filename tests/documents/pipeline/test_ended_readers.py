"""A document whose reading process ends is read again alone; only then, and with what is known, is it set aside."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from core.documents.estimating.forecast import Forecaster
from core.documents.model import Document, DocumentStatus
from core.documents.parsing.docvortex import parser as parser_module
from core.documents.parsing.docvortex.parser import DocvortexParser
from core.documents.parsing.pdf.child_tasks import measure_file
from core.documents.pipeline import dbos_engine
from core.documents.pipeline.pipeline import Pipeline
from core.platform.errors import ReadingEndedError
from core.platform.processes.isolated_process import MOST_IDLE, Isolated, WarmChildren
from core.platform.texts import text
from tests.documents.made_files import pdf
from tests.fakes.ingestion import StoredDeps, tools_of
from tests.fakes.parsing import Never, ignore

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
READY, FAILED = DocumentStatus.READY, DocumentStatus.FAILED
READER = "tests.documents.dying_reader"
Read = Callable[[Sequence[tuple[str, str]]], list[Document]]


@pytest.fixture
def tools(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[StoredDeps]:
    monkeypatch.setattr(parser_module, "MODULE", READER)  # of all but plain text
    children = WarmChildren(READER)
    parser = DocvortexParser(tmp_path / "parser", texts=children)
    yield tools_of(tmp_path).with_engines(
        choose=lambda document: parser,
        forecasts=Forecaster(measure_file, "built-in", by_model=False, most_tokens=0),
    )
    children.stop()


@pytest.fixture
def read(tools: StoredDeps, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Read:
    """Reads files of these names and texts together, as the durable engine does; returns the documents afterwards."""
    monkeypatch.setattr(dbos_engine, "sleep", lambda seconds: None)
    ingest = dbos_engine._ingest(Pipeline(tools, tmp_path / "work"), lambda _: None, lambda _: None)

    def do(contents: Sequence[tuple[str, str]]) -> list[Document]:
        base, ids = tools.library.bases.create("Base"), []
        for name, content in contents:
            file = tools.files.save(_made(name, content), name)
            ids.append(tools.library.documents.add(base.id, name, file.sha256, file.size, "text/plain")[0].id)
        ingest(ids)
        return [tools.library.documents.get(each) for each in ids]

    return do


def _made(name: str, content: str) -> bytes:
    return (
        pdf(lambda page: page.drawString(72, 700, content), pageCompression=0)
        if name.endswith("pdf")
        else content.encode()
    )


def _three(name: str, content: str) -> list[tuple[str, str]]:
    return [("a.txt", "Ann is here."), (name, content), ("c.txt", "Graphs help Ann.")]


@pytest.mark.parametrize("ending", ["txt", "pdf"])
def test_three_kills_of_the_reading_process_make_no_document_fail(read: Read, ending: str) -> None:
    documents = read(_three(f"b.{ending}", "Bob is there. Dies 3 times by SIGKILL."))
    assert [each.status for each in documents] == [READY, READY, READY]


@pytest.mark.parametrize(
    ("ending", "cause", "known"),
    [
        ("txt", "SIGKILL", "ended by the system"),
        ("txt", "SIGTERM", "ended by the system"),
        ("txt", "SIGSEGV", "failed"),
        ("pdf", "SIGKILL", "ended by the system"),
        ("pdf", "SIGSEGV", "failed"),
    ],
)
def test_one_that_ends_its_reading_process_every_time_fails_alone_and_says_what_is_known(
    read: Read, tools: StoredDeps, ending: str, cause: str, known: str
) -> None:
    documents = read(_three(f"b.{ending}", f"Bob is there. Dies 99 times by {cause}."))
    assert [each.status for each in documents] == [READY, FAILED, READY]
    reason = text(documents[1].error_key, "en", **dict(documents[1].error_params))
    assert known in reason
    assert documents[1].name in reason
    deaths = Path(f"{tools.files.path(documents[1].sha256)}.deaths")
    assert 2 <= deaths.stat().st_size <= 8, "it was tried again, and not for ever"


class UsedChildren(WarmChildren):
    """As if other threads gave children back whenever one is taken."""

    def _taken(self) -> tuple[Isolated, bool]:
        return super()._taken()[0], True


def test_used_children_that_end_one_after_another_say_what_is_known(tmp_path: Path) -> None:
    path = tmp_path / "b.txt"
    path.write_text("Bob is there. Dies 99 times by SIGKILL.")
    parser = DocvortexParser(tmp_path / "work", texts=UsedChildren(READER))
    with pytest.raises(ReadingEndedError, match="ended by the system"):
        parser.parse(path, path.name, "", Never(), ignore)
    assert Path(f"{path}.deaths").stat().st_size == MOST_IDLE + 1
