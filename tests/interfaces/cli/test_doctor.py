"""`doctor`: what is wrong is in its lines, and in its exit status."""

from pathlib import Path

import pytest

from core.documents.pipeline.supervisor import store
from core.interfaces.cli.main import main
from core.models.embedding.passages.passage_encoder import PassageEncoder
from core.platform.errors import AppError, ServiceError


def test_what_keeps_documents_from_being_read_is_an_exit_status_of_1(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["--data", str(tmp_path), "doctor"]) == 0
    store(tmp_path, AppError("ingest.error.no_worker"))
    assert main(["--data", str(tmp_path), "doctor"]) == 1
    assert f"FAIL  {AppError('ingest.error.no_worker')}" in capsys.readouterr().err


def test_an_encoder_that_words_replace_is_a_note(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def embed(*_: object) -> list[list[float]]:
        raise ServiceError("ingest.error.no_worker")

    monkeypatch.setattr(PassageEncoder, "embed", embed)
    assert main(["--data", str(tmp_path), "doctor"]) == 0
    assert f"--    {ServiceError('ingest.error.no_worker')}" in capsys.readouterr().err
