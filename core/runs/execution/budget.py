"""The budget of a question, and the meter that every model and tool call goes through."""

import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from hashlib import blake2b

from core.models.meter import Cancel, ModelPhase
from core.platform.errors import BudgetError, CancelledError
from core.runs.events import Degraded, Event, ModelAsked, ModelCalled, ModelProgress
from core.runs.model import Usage

SHOWN_CHARACTERS = 16_000
"""Characters of a prompt or a response in an event."""
LONGEST = 5
"""Factor of the time limit while the local model reports progress."""


@dataclass(frozen=True, slots=True)
class Budget:
    """The limits of one question; rules consume only time."""

    max_calls: int = 24
    max_tokens: int = 60_000
    max_seconds: float = 180.0
    max_tool_calls: int = 16
    max_repeats: int = 3
    """Maximum repetitions of a tool call with the same arguments, and of a task with the same prompt in a row."""


class RunMeter:
    """The Meter of one question; thread-safe. Emits its events through `emit`."""

    def __init__(
        self,
        budget: Budget,
        emit: Callable[[Event], None],
        cancel: Cancel,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self.budget = budget
        self._emit = emit
        self._cancel = cancel
        self._clock = clock
        self._ends_at = clock() + budget.max_seconds
        self._latest = clock() + LONGEST * budget.max_seconds
        self._last_progress: tuple[ModelPhase, int] | None = None
        self._lock = threading.Lock()
        self._calls = 0
        self._tool_calls = 0
        self._repeats: Counter[bytes] = Counter()
        """Calls of each tool with the same arguments."""
        self._last_prompts: dict[str, tuple[bytes, int]] = {}
        self._certainties: dict[str, float | None] = {}
        self._total = Usage()
        self._failure = ""

    def remaining_seconds(self) -> float:
        return max(0.0, self._ends_at - self._clock())

    @contextmanager
    def paused(self) -> Iterator[None]:
        """Inside, the clock of the question is stopped while the run waits for the user."""
        started = self._clock()
        try:
            yield
        finally:
            with self._lock:
                self._ends_at += self._clock() - started
                self._latest += self._clock() - started

    def cancelled(self) -> bool:
        return self._cancel.requested()

    def before_call(self, task: str, seconds: float = 0.0) -> None:
        """Counts a model call. Raises CancelledError or BudgetError if it may not start."""
        self._check_time()
        with self._lock:
            if self._calls >= self.budget.max_calls:
                raise BudgetError("llm.budget_calls")
            self._check_tokens(0)
            if self._last_prompts.get(task, (b"", 0))[1] >= self.budget.max_repeats:
                raise BudgetError("llm.budget_repeats")
            self._calls += 1
        if seconds:
            self._emit(ModelAsked(task, min(seconds, self.remaining_seconds())))

    def progress(self, phase: ModelPhase, percent: int) -> None:
        """Restarts the time limit of the question, up to LONGEST times the limit in all."""
        with self._lock:
            again = min(self._clock() + self.budget.max_seconds, self._latest)
            self._ends_at = max(self._ends_at, again)
            is_news, self._last_progress = (phase, percent) != self._last_progress, (phase, percent)
        if is_news:
            self._emit(ModelProgress(phase, percent))

    def after_call(
        self, task: str, prompt: str, response: str, seconds: float, usage: Usage, certainty: float | None = None
    ) -> None:
        with self._lock:
            self._total += usage
            self._certainties[task] = certainty
            self._last_prompts[task] = self._with_repeat(task, _digest(prompt))
        self._emit(ModelCalled(task, _readable(prompt), _readable(response), seconds, usage, certainty))

    def certainty(self, task: str) -> float | None:
        return self._certainties.get(task)

    def check_tokens(self, streamed: int) -> None:
        with self._lock:
            self._check_tokens(streamed)

    def before_tool(self, tool: str, arguments: str) -> None:
        """Counts a tool call. Raises CancelledError or BudgetError if it may not start."""
        self._check_time()
        call = _digest(f"{tool}:{arguments}")
        with self._lock:
            if self._tool_calls >= self.budget.max_tool_calls:
                raise BudgetError("llm.budget_tool_calls")
            if self._repeats[call] >= self.budget.max_repeats:
                raise BudgetError("llm.budget_repeats")
            self._tool_calls += 1
            self._repeats[call] += 1

    def degraded(self, task: str, reason: str, params: tuple[tuple[str, str], ...] = ()) -> None:
        self._failure = self._failure or reason
        self._emit(Degraded(task, reason, params))

    def asked(self) -> tuple[str, ...]:
        return tuple(self._last_prompts)

    def failure(self) -> str:
        return self._failure

    def _check_time(self) -> None:
        if self.cancelled():
            raise CancelledError("error.cancelled")
        if self.remaining_seconds() <= 0:
            raise BudgetError("llm.budget_seconds")

    def _check_tokens(self, streamed: int) -> None:
        """Under the lock. Raises BudgetError."""
        if self._total.prompt_tokens + self._total.completion_tokens + streamed >= self.budget.max_tokens:
            raise BudgetError("llm.budget_tokens")

    def _with_repeat(self, task: str, prompt: bytes) -> tuple[bytes, int]:
        """The prompt and how many times in a row the task used it."""
        last, times = self._last_prompts.get(task, (b"", 0))
        return prompt, times + 1 if prompt == last else 1


def _digest(text: str) -> bytes:
    return blake2b(text.encode("utf-8", "surrogatepass"), digest_size=16).digest()


def _readable(text: str) -> str:
    if len(text) <= SHOWN_CHARACTERS:
        return text
    half = SHOWN_CHARACTERS // 2
    return f"{text[:half]}\n…\n{text[-half:]}"
