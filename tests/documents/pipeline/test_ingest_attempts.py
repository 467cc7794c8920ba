"""How often a document is tried again, and what is tried longer."""

from collections.abc import Iterator, Sequence

import pytest

from core.documents.model import Stage
from core.documents.pipeline import dbos_engine
from core.platform.errors import RetryableServiceError


class Runner:
    """Fails as often as it has failures."""

    def __init__(self, key: str, failures: int) -> None:
        error = RetryableServiceError(key, reason="gone", name="a")
        self.failures: Iterator[RetryableServiceError] = iter([error] * failures)
        self.given_up: list[str] = []

    def run(self, document_id: str, stage: Stage = Stage.INDEX) -> bool:
        raise NotImplementedError

    def run_together(self, document_ids: Sequence[str]) -> dict[str, RetryableServiceError]:
        return dict.fromkeys(document_ids[:1], failure) if (failure := next(self.failures, None)) else {}

    def give_up(self, document_id: str, error: RetryableServiceError) -> None:
        assert error.params["reason"] == "gone"
        self.given_up.append(document_id)


@pytest.mark.parametrize(
    ("key", "failures", "result"),
    [
        ("mineru.service.busy", 3, "done"),
        ("mineru.service.busy", 4, "given up"),
        ("ingest.error.reading_ended", 3, "done"),
        ("ingest.error.reading_ended", 4, "given up"),
        ("ingest.error.parser_failed", 1, "done"),
        ("ingest.error.parser_failed", 2, "given up"),
        ("storage.unavailable", 12, "done"),
        ("storage.unavailable", 100, "given up"),
    ],
)
def test_how_often_is_tried_again_depends_on_what_failed(
    monkeypatch: pytest.MonkeyPatch, key: str, failures: int, result: str
) -> None:
    slept, ended, runner = list[float](), list[str](), Runner(key, failures)
    monkeypatch.setattr(dbos_engine, "sleep", slept.append)
    ingest = dbos_engine._ingest(runner, lambda _: None, ended.extend)
    assert ingest(["one", "two"]) == result
    assert (ended, runner.given_up) == (["one", "two"], ["one"] if result == "given up" else [])
    assert sum(slept) < 300
