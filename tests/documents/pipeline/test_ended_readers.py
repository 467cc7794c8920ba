"""A document whose reading process ends is read again alone; only then, and with what is known, is it set aside."""

import sys
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import pytest

from core.documents.model import Document, DocumentStatus
from core.documents.parsing.docvortex.parser import DocvortexParser
from core.documents.pipeline import dbos_engine
from core.documents.pipeline.pipeline import Pipeline
from core.platform.processes.isolated_process import WarmChildren
from core.platform.texts import text
from tests.fakes.ingestion import StoredDeps, tools_of

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="signals of POSIX")
READY, FAILED = DocumentStatus.READY, DocumentStatus.FAILED
Read = Callable[[Sequence[str]], list[Document]]


@pytest.fixture
def tools(tmp_path: Path) -> Iterator[StoredDeps]:
    children = WarmChildren("tests.documents.dying_reader")
    parser = DocvortexParser(tmp_path / "parser", texts=children)
    yield tools_of(tmp_path).with_engines(choose=lambda document: parser)
    children.stop()


@pytest.fixture
def read(tools: StoredDeps, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Read:
    """Reads these texts together, as the durable engine does; returns the documents as they are afterwards."""
    monkeypatch.setattr(dbos_engine, "sleep", lambda seconds: None)
    ingest = dbos_engine._ingest(Pipeline(tools, tmp_path / "work"), lambda _: None, lambda _: None)

    def do(contents: Sequence[str]) -> list[Document]:
        base, ids = tools.library.bases.create("Base"), []
        for number, content in enumerate(contents):
            name = f"{number}.txt"
            file = tools.files.save(content.encode(), name)
            ids.append(tools.library.documents.add(base.id, name, file.sha256, file.size, "text/plain")[0].id)
        ingest(ids)
        return [tools.library.documents.get(each) for each in ids]

    return do


def test_three_kills_of_the_reading_process_make_no_document_fail(read: Read) -> None:
    documents = read(["Ann is here.", "Bob is there. Dies 3 times by SIGKILL.", "Graphs help Ann."])
    assert [each.status for each in documents] == [READY, READY, READY]


@pytest.mark.parametrize(
    ("cause", "known"),
    [("SIGKILL", "ended by the system"), ("SIGTERM", "ended by the system"), ("SIGSEGV", "failed")],
)
def test_one_that_ends_its_reading_process_every_time_fails_alone_and_says_what_is_known(
    read: Read, tools: StoredDeps, cause: str, known: str
) -> None:
    documents = read(["Ann is here.", f"Bob is there. Dies 99 times by {cause}.", "Graphs help Ann."])
    assert [each.status for each in documents] == [READY, FAILED, READY]
    reason = text(documents[1].error_key, "en", **dict(documents[1].error_params))
    assert known in reason
    assert documents[1].name in reason
    deaths = Path(f"{tools.files.path(documents[1].sha256)}.deaths")
    assert 2 <= deaths.stat().st_size <= 8, "it was tried again, and not for ever"
