"""Two small tasks with their prompts, and a meter that records, for every test of the seam for models."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from pydantic import BaseModel, Field

from core.documents.model import Chunk
from core.models import prompt_files as prompts
from core.models.chat.endpoint_config import EndpointConfig
from core.models.meter import ModelPhase
from core.models.tasks import Task, TextTask
from core.platform.errors import BudgetError
from core.runs.model import Usage
from core.search.model import Passage

PROMPTS = {
    "example_judge": "# system\nJudge in {language} whether the passages answer the question.\n"
    "\n# user\n{passages}\n\n{question}\n",
    "example_write": "# system\nAnswer from the passages and cite them as [n].\n\n# user\n{passages}\n\n{question}\n",
}


@dataclass(frozen=True, slots=True)
class ExampleRequest:
    question: str
    passages: tuple[Passage, ...] = ()
    language: str = "en"


class Judgement(BaseModel):
    """Whether the passages answer the question."""

    verdict: bool
    reason: str = Field(min_length=1)
    scores: list[int] = []


def _by_words(request: ExampleRequest) -> Judgement:
    words = set(request.question.lower().split())
    hits = [len(words & set(passage.chunk.text.lower().split())) for passage in request.passages]
    return Judgement(verdict=any(hits), reason="Shared words.", scores=hits)


def _by_quoting(request: ExampleRequest) -> Iterator[str]:
    for number, passage in enumerate(request.passages, 1):
        yield f"{passage.chunk.text} "
        yield f"[{number}] "


JUDGE = Task("example_judge", Judgement, _by_words, max_tokens=600)
WRITE = TextTask("example_write", _by_quoting, max_tokens=2_000)


def passage(text: str, name: str = "report.pdf", section: tuple[str, ...] = ()) -> Passage:
    return Passage(Chunk("c1", "d1", 0, text, section, ()), name, 0.9)


REQUEST = ExampleRequest("Who runs the reservoir?", (passage("The board runs the reservoir. It meets in May."),))
RULE_TEXT = "The board runs the reservoir. It meets in May. [1] "


@dataclass
class RecordingMeter:
    """Keeps what it is told; raises where its limits are set to."""

    seconds: float = 30.0
    stop_after_checks: int | None = None
    max_calls: int = 100
    max_tokens: int = 1_000_000
    started: list[str] = field(default_factory=list)
    finished: list[tuple[str, str, str, Usage]] = field(default_factory=list)
    reasons: list[tuple[str, str]] = field(default_factory=list)
    told: list[tuple[ModelPhase, int]] = field(default_factory=list)
    certainties: dict[str, float | None] = field(default_factory=dict)
    checks: int = 0

    def remaining_seconds(self) -> float:
        return self.seconds

    def before_call(self, task: str, seconds: float = 0.0) -> None:
        if self.seconds <= 0 or len(self.started) >= self.max_calls:
            raise BudgetError("llm.budget_calls" if self.seconds > 0 else "llm.budget_seconds")
        self.started.append(task)

    def progress(self, phase: ModelPhase, percent: int) -> None:
        self.told.append((phase, percent))

    def after_call(
        self, task: str, prompt: str, response: str, seconds: float, usage: Usage, certainty: float | None = None
    ) -> None:
        assert seconds >= 0
        self.certainties[task] = certainty
        self.finished.append((task, prompt, response, usage))

    def certainty(self, task: str) -> float | None:
        return self.certainties.get(task)

    def check_tokens(self, streamed: int) -> None:
        if streamed >= self.max_tokens:
            raise BudgetError("llm.budget_tokens")

    def before_tool(self, tool: str, arguments: str) -> None:
        """No task of these calls one."""

    def asked(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.started))

    def failure(self) -> str:
        return self.reasons[0][1] if self.reasons else ""

    def degraded(self, task: str, reason: str, params: tuple[tuple[str, str], ...] = ()) -> None:
        self.reasons.append((task, reason))

    def cancelled(self) -> bool:
        self.checks += 1
        return self.stop_after_checks is not None and self.checks > self.stop_after_checks


def impatient(base_url: str, **changes: object) -> EndpointConfig:
    """A configuration for tests: quick retries, no rest. A fault without an end takes short limits of its own."""
    settings: dict[str, object] = {
        "call_seconds": 30.0,
        "stream_seconds": 30.0,
        "backoff_seconds": 0.01,
        "longest_wait_seconds": 0.05,
        "rest_seconds": 0.0,
        "api_key": "sk-test-0123456789abcdef",
    }
    return EndpointConfig(base_url, "loopback-model", **{**settings, **changes})  # type: ignore[arg-type]


@pytest.fixture(autouse=True)
def example_prompts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The folder of prompts, with those of the examples."""
    folder = tmp_path / "prompts"
    folder.mkdir()
    for name, text in PROMPTS.items():
        (folder / f"{name}.md").write_text(text, encoding="utf-8")
    monkeypatch.setattr(prompts, "FOLDER", folder)
    return folder
