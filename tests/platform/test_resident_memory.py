"""A parser that unpacks without end is stopped before it takes the machine's memory."""

import sys
from pathlib import Path

import pytest

from core.documents.parsing.docvortex import parser
from core.documents.parsing.docvortex.parser import DocvortexParser
from core.platform.errors import ServiceError
from core.platform.processes.process_tuning import resident_megabytes
from tests.documents import made_files

pytestmark = pytest.mark.skipif(sys.platform != "linux", reason="the system does not tell")


class _Never:
    def requested(self) -> bool:
        return False


def test_the_memory_of_a_process_is_known_and_that_of_none_is_nothing() -> None:
    before = resident_megabytes()
    held = b"x" * 200_000_000
    assert resident_megabytes() - before > 100
    assert len(held)
    assert resident_megabytes(2**30) == 0


def test_a_parser_that_takes_too_much_memory_is_stopped(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Any parser takes more than the limit of this test."""
    (tmp_path / "a.pdf").write_bytes(made_files.report(4))
    monkeypatch.setattr(parser, "_MOST_MEGABYTES", 1)
    with pytest.raises(ServiceError, match="ran out of memory"):
        DocvortexParser(tmp_path).parse(tmp_path / "a.pdf", "a.pdf", "", _Never(), lambda done, total: None)
