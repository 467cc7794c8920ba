"""The budget of a question: its limits, its counts, its events."""

from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

import pytest

from core.models.meter import Meter, ModelPhase
from core.platform.errors import BudgetError, CancelledError
from core.runs.events import Degraded, Event, ModelCalled, ModelProgress
from core.runs.execution.budget import LONGEST, SHOWN_CHARACTERS, Budget, RunMeter
from core.runs.model import Usage


@dataclass
class Clock:
    now: float = 100.0

    def __call__(self) -> float:
        return self.now


@dataclass
class Stop:
    set: bool = False

    def requested(self) -> bool:
        return self.set


def meter_of(budget: Budget, events: list[Event] | None = None) -> tuple[RunMeter, Clock, Stop]:
    clock, stop, kept = Clock(), Stop(), [] if events is None else events
    return RunMeter(budget, kept.append, stop, clock), clock, stop


def call(meter: Meter, task: str = "grade", prompt: str = "p", tokens: int = 1) -> None:
    meter.before_call(task)
    meter.after_call(task, prompt, "r", 0.1, Usage(1, tokens, 0))


def refusal(meter: RunMeter, task: str = "grade") -> str:
    with pytest.raises(BudgetError) as caught:
        meter.before_call(task)
    return caught.value.key


def test_calls_are_limited_also_those_that_failed() -> None:
    meter, _, _ = meter_of(Budget(max_calls=2))
    meter.before_call("plan")
    meter.before_call("plan")
    assert refusal(meter) == "llm.budget_calls"


def test_tokens_are_limited() -> None:
    meter, _, _ = meter_of(Budget(max_tokens=10))
    call(meter, tokens=9)
    call(meter, prompt="q", tokens=2)
    assert refusal(meter) == "llm.budget_tokens"


def test_seconds_are_limited_and_never_negative() -> None:
    meter, clock, _ = meter_of(Budget(max_seconds=5))
    clock.now += 3
    assert meter.remaining_seconds() == 2
    clock.now += 30
    assert meter.remaining_seconds() == 0
    assert refusal(meter) == "llm.budget_seconds"
    with pytest.raises(BudgetError):
        meter.before_tool("search", "{}")


def test_a_stopped_question_calls_nothing() -> None:
    meter, _, stop = meter_of(Budget())
    stop.set = True
    assert meter.cancelled()
    with pytest.raises(CancelledError):
        meter.before_call("plan")
    with pytest.raises(CancelledError):
        meter.before_tool("search", "{}")


def test_tool_calls_are_limited_and_so_is_the_same_call_again() -> None:
    meter, _, _ = meter_of(Budget(max_tool_calls=4, max_repeats=2))
    for arguments in ('{"q": 1}', '{"q": 1}', '{"q": 2}', '{"q": 3}'):
        meter.before_tool("search", arguments)
    with pytest.raises(BudgetError) as caught:
        meter.before_tool("search", '{"q": 4}')
    assert caught.value.key == "llm.budget_tool_calls"
    other, _, _ = meter_of(Budget(max_repeats=2))
    other.before_tool("search", "{}")
    other.before_tool("search", "{}")
    with pytest.raises(BudgetError) as caught:
        other.before_tool("search", "{}")
    assert caught.value.key == "llm.budget_repeats"
    other.before_tool("describe", "{}")


def test_a_task_asked_the_same_again_and_again_is_stopped_alone() -> None:
    meter, _, _ = meter_of(Budget(max_repeats=2))
    for prompt in ("a", "b", "a", "b", "b"):
        call(meter, prompt=prompt)
    assert refusal(meter) == "llm.budget_repeats"
    call(meter, "write", "b")


def test_tokens_are_counted_over_all_tasks() -> None:
    meter, _, _ = meter_of(Budget(max_tokens=23))
    call(meter, prompt="1", tokens=5)
    call(meter, prompt="2", tokens=7)
    call(meter, "write", tokens=11)
    assert refusal(meter) == "llm.budget_tokens"


def test_usage_that_holds_an_estimate_says_so() -> None:
    assert (Usage(1, 2, 3) + Usage(1, 1, 1, estimated=True)).estimated
    assert not (Usage(1, 2, 3) + Usage()).estimated


def test_calls_and_fallbacks_become_events_of_readable_length() -> None:
    events: list[Event] = []
    meter, _, _ = meter_of(Budget(), events)
    call(meter, prompt="x" * 100_000)
    meter.degraded("grade", "llm.timeout")
    called, degraded = events
    assert isinstance(called, ModelCalled)
    assert len(called.prompt) < SHOWN_CHARACTERS + 10
    assert degraded == Degraded("grade", "llm.timeout")


def test_threads_share_one_budget() -> None:
    meter, _, _ = meter_of(Budget(max_calls=200, max_repeats=1000))

    def work(task: str) -> int:
        done = 0
        for _ in range(100):
            try:
                call(meter, task)
            except BudgetError:
                return done
            done += 1
        return done

    with ThreadPoolExecutor(4) as pool:
        done = list(pool.map(work, "abcd"))
    assert sum(done) == 200


def test_progress_of_the_model_is_told_once_and_gives_the_question_its_seconds_again() -> None:
    events: list[Event] = []
    meter, clock, _ = meter_of(Budget(max_seconds=10.0), events)
    clock.now += 9.0
    for _ in range(2):
        meter.progress(ModelPhase.READING, 40)
    assert events == [ModelProgress(ModelPhase.READING, 40)]
    assert meter.remaining_seconds() == 10.0
    clock.now += LONGEST * 10.0 - 9.0
    meter.progress(ModelPhase.READING, 50)
    assert meter.remaining_seconds() == 0.0, "not without end"
