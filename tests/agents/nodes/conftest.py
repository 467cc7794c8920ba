"""Nodes called by themselves, on the ports in memory."""

from collections.abc import Callable

import pytest
from langgraph.runtime import Runtime

from core.agents.state import Deps, State, Update
from tests.fakes import World

Node = Callable[[State, "Runtime[Deps]"], Update]
Call = Callable[[Node, State], Update]

HANDBOOK = (
    ("Purpose", "The Marlow Sound Observatory watches a narrow inlet for algal blooms. It was founded in 2011."),
    ("KelpNet", "KelpNet is a neural network that estimates the share of Karenia. It was developed by Lena Vogt."),
    ("Calibration", "Each buoy is lifted, cleaned and calibrated every 90 days."),
    ("预警", "红色预警由值班员提出，经站长林雨晴批准后发布。校准层是指为每个浮标单独拟合的一组参数。"),
)


@pytest.fixture
def world() -> World:
    """A base with one handbook, English and Chinese."""
    made = World()
    made.library.add("handbook.pdf", *HANDBOOK, title="Station Handbook")
    made.graph.add("KelpNet", "TECHNOLOGY", aliases=("Kelp Network",))
    made.graph.add("Lena Vogt", "PERSON")
    return made


@pytest.fixture
def call(world: World) -> Call:
    def run(node: Node, state: State) -> Update:
        return node(state, Runtime(context=world.deps()))

    return run
