"""Whole runs of any workflow on the ports in memory, their events collected."""

from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from functools import cache
from itertools import combinations, product
from typing import TYPE_CHECKING, Any

import pytest
from _pytest.mark import ParameterSet

from core.agents.state import Deps
from core.agents.workflows.registry import workflow_named
from core.agents.workflows.workflow import compile_workflow
from core.memory.model import PreferredForm
from core.models.meter import Cancel
from core.models.ports import Llm
from core.runs.events import Event
from core.runs.execution.budget import Budget, RunMeter
from core.runs.execution.runner import Execution, execute
from core.runs.history.view import RunView, fold
from core.runs.model import Turn
from core.search.ports import WebResult, WebSearch
from tests.agents.systems.graphs import WalkedGraph
from tests.fakes import World, state_of
from tests.fakes.models import cross_encoder

if TYPE_CHECKING:
    from core.agents.workflows.workflow import Compiled

HANDBOOK = (
    (
        "Purpose",
        "The Marlow Sound Observatory watches a narrow inlet for algal blooms. It was founded in 2011 by a trust.",
    ),
    ("KelpNet", "KelpNet is a neural network that estimates the share of Karenia. It was developed by Lena Vogt."),
    ("Calibration", "Each buoy is lifted, cleaned and calibrated every 90 days by the crew."),
)
MANUAL = (
    ("总则", "青屿海洋观测站成立于2016年，站长为林雨晴教授。本手册规定了浮标维护和预警分级的要求。"),
    ("数据质量", "校准层是指KelpNet中为每个浮标单独拟合的一组参数。"),
)


@dataclass
class FakeWeb:
    """Gives the same results to every query, or raises."""

    results: list[WebResult] = field(default_factory=list)
    failure: Exception | None = None
    asked: list[tuple[str, int]] = field(default_factory=list)

    def search(self, query: str, limit: int) -> list[WebResult]:
        self.asked.append((query, limit))
        if self.failure:
            raise self.failure
        return self.results


class Never:
    """Nobody stops the run."""

    def requested(self) -> bool:
        return False


@dataclass
class SystemWorld(World):
    """A world with a web, and with the real meter where a budget is given."""

    web: WebSearch | None = None
    budget: Budget | None = None
    cancel: Cancel = field(default_factory=Never)
    preferred: tuple[PreferredForm, ...] = ()
    rules: Llm | None = None
    sensitive_terms: tuple[str, ...] | None = None

    def deps(self, emit: Callable[[Event], None] | None = None) -> Deps:
        length = next((one.form.length for one in self.preferred if one.form.length), None)
        units = next((one.form.units for one in self.preferred if one.form.units), None)
        made = replace(super().deps(emit), web=self.web, preferred=self.preferred, length=length, units=units)
        made = replace(made, rules=self.rules, sensitive_terms=self.sensitive_terms, cross_encoder=cross_encoder())
        return replace(made, meter=RunMeter(self.budget, made.emit, self.cancel)) if self.budget else made


@pytest.fixture
def empty() -> SystemWorld:
    return SystemWorld()


@pytest.fixture
def world() -> SystemWorld:
    return two_documents()


def two_documents() -> SystemWorld:
    """A handbook in English and a manual in Chinese."""
    made = SystemWorld()
    made.library.add("handbook.pdf", *HANDBOOK, title="Station Handbook")
    made.library.add("manual.pdf", *MANUAL, title="运行手册")
    for name, type in (("KelpNet", "TECHNOLOGY"), ("Lena Vogt", "PERSON"), ("校准层", "CONCEPT")):
        made.graph.add(name, type)
    return made


@pytest.fixture
def walked(world: SystemWorld) -> SystemWorld:
    return with_edges(world)


def with_edges(world: SystemWorld) -> SystemWorld:
    """The world with edges between its entities."""
    graph = WalkedGraph(world.library, world.graph.entities)
    graph.connect("KelpNet", "Lena Vogt")
    graph.connect("KelpNet", "校准层")
    world.graph = graph
    return world


@cache
def compiled(workflow: str) -> "Compiled":
    return compile_workflow(workflow_named(workflow))


def run(
    workflow: str,
    world: World,
    question: str,
    history: Sequence[str | Turn] = (),
    llm: Llm | None = None,
    **fields: object,
) -> RunView:
    """history: questions and answers in turn; llm answers instead of the world's."""
    graph = compiled(workflow)
    turns = tuple(said if isinstance(said, Turn) else _turn(said, at) for at, said in enumerate(history))
    world.events.clear()

    def deps(emit: Callable[[Event], None]) -> Deps:
        made = world.deps(emit)
        return replace(made, llm=llm) if llm else made

    execute(Execution(lambda: graph, state_of(question, history=turns, **fields), deps), world.events.append)
    return fold(world.events)


def _turn(said: str, at: int) -> Turn:
    return Turn("assistant", said, run_id="r1") if at % 2 else Turn("user", said)


def every_pair(*axes: Iterable[object]) -> Iterator[tuple[Any, ...]]:
    """Few rows, a value of each axis in each, in which every value meets every value of the other axes.

    The first ones hold each value about equally often.
    """
    values = [list(axis) for axis in axes]
    rows = {row: set(combinations(enumerate(row), 2)) for row in product(*(range(len(axis)) for axis in values))}
    left = set().union(*rows.values())
    drawn: Counter[tuple[int, int]] = Counter()
    while left:
        row = max(rows, key=lambda each: (len(rows[each] & left), -sum(drawn[value] for value in enumerate(each))))
        left -= rows[row]
        drawn.update(enumerate(row))
        yield tuple(axis[at] for axis, at in zip(values, row, strict=True))


def half_slow(rows: Iterable[tuple[Any, ...]]) -> list[ParameterSet]:
    """The second half is tried by `make test-slow`."""
    drawn = list(rows)
    half = len(drawn) // 2
    return [pytest.param(*row, marks=[pytest.mark.slow] * (at >= half)) for at, row in enumerate(drawn)]


def path(view: RunView) -> list[str]:
    return [step.node for step in view.steps]


def decisions(view: RunView, node: str) -> list[str]:
    """What each visit of the node decided."""
    return [step.outcome for step in view.steps if step.node == node]
