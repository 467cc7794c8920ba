"""How often a document is tried again, and what is tried longer."""

from collections.abc import Iterator, Sequence

import pytest

from core.adapters import dbos_engine
from core.domain.documents import Stage
from core.errors import RetryableServiceError


class Runner:
    """Fails as often as it has failures."""

    def __init__(self, key: str, failures: int) -> None:
        self.failures: Iterator[RetryableServiceError] = iter([RetryableServiceError(key, reason="gone")] * failures)
        self.given_up: list[str] = []

    def run(self, document_id: str, stage: Stage = Stage.INDEX) -> bool:
        raise NotImplementedError

    def run_together(self, document_ids: Sequence[str]) -> dict[str, RetryableServiceError]:
        return dict.fromkeys(document_ids[:1], failure) if (failure := next(self.failures, None)) else {}

    def give_up(self, document_id: str) -> None:
        self.given_up.append(document_id)


@pytest.mark.parametrize(
    ("key", "failures", "result"),
    [
        ("mineru.service.busy", 3, "done"),
        ("mineru.service.busy", 4, "given up"),
        ("storage.unavailable", 12, "done"),
        ("storage.unavailable", 100, "given up"),
    ],
)
def test_the_database_is_waited_for_longer_than_other_services(
    monkeypatch: pytest.MonkeyPatch, key: str, failures: int, result: str
) -> None:
    slept, ended, runner = list[float](), list[str](), Runner(key, failures)
    monkeypatch.setattr(dbos_engine, "sleep", slept.append)
    ingest = dbos_engine._ingest(runner, lambda _: None, ended.extend)
    assert ingest(["one", "two"]) == result
    assert (ended, runner.given_up) == (["one", "two"], ["one"] if result == "given up" else [])
    assert sum(slept) < 300
