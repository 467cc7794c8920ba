"""A whole run of a workflow on the ports in memory, its events collected."""

from collections.abc import Callable

import pytest

from core.domain.runs import Turn
from core.runs.runner import Execution, execute
from core.runs.view import RunView, fold
from core.texts import known, text
from core.workflows.registry import workflow_named
from core.workflows.workflow import compile_workflow
from tests.fakes import World, state_of

Ask = Callable[..., RunView]

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


@pytest.fixture
def world() -> World:
    made = World()
    made.library.add("handbook.pdf", *HANDBOOK, title="Station Handbook")
    made.library.add("manual.pdf", *MANUAL, title="运行手册")
    for name, type in (("KelpNet", "TECHNOLOGY"), ("Lena Vogt", "PERSON"), ("校准层", "CONCEPT")):
        made.graph.add(name, type)
    return made


@pytest.fixture
def ask(world: World) -> Ask:
    graph = compile_workflow(workflow_named("adaptive"))

    def run(question: str, *history: str, **fields: object) -> RunView:
        """history: questions and answers in turn."""
        world.events.clear()
        turns = tuple(Turn("assistant" if at % 2 else "user", text) for at, text in enumerate(history))
        execute(Execution(lambda: graph, state_of(question, history=turns, **fields), world.deps), world.events.append)
        view = fold(world.events)
        assert_readable(view)
        return view

    return run


def assert_readable(view: RunView) -> None:
    """Whatever the trace says is in the catalogue, and no placeholder is left open."""
    for step in view.steps:
        assert all(known(f"run.detail.{name}") for name, _ in step.details), step
        if known(step.reason):
            text(step.reason, "zh-hant", **dict(step.details))
        assert all(known(passage.reason) for passage in step.rejected), step


def path(view: RunView) -> list[str]:
    return [step.node for step in view.steps]
