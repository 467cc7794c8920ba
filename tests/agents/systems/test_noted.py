"""Every workflow keeps what it says it keeps of the user, and knows it when asked."""

from collections.abc import Iterator

import pytest

from core.agents.workflows.registry import workflows
from core.memory.model import MemoryStatus
from core.models.ports import Llm
from core.runs.events import MemorySaved
from core.runs.model import AnswerOutcome
from tests.agents.systems.conftest import SystemWorld, run
from tests.agents.systems.models import ENGINES, engine
from tests.fakes import memory_of

ACTIVE, PROPOSED = MemoryStatus.ACTIVE, MemoryStatus.PROPOSED
TOLD = [
    ("Remember: my name is Jonas.", "Name: Jonas", ACTIVE),
    ("记住：我叫约纳斯。", "名字：约纳斯", ACTIVE),
    ("Remember that KelpNet was retrained in 2024.", "KelpNet was retrained in 2024", ACTIVE),
    ("My name is Jonas.", "Name: Jonas", ACTIVE),
    ("I have two children", "I have two children", PROPOSED),
]
"""Message, the memory made of it, and whether it is kept at once or offered."""


@pytest.fixture(params=ENGINES)
def llm(request: pytest.FixtureRequest) -> Iterator[Llm]:
    with engine(request.param) as made:
        yield made


@pytest.mark.parametrize("workflow", list(workflows()))
@pytest.mark.parametrize(("message", "kept", "status"), TOLD)
def test_what_the_user_asks_to_remember_is_kept_and_not_searched(
    world: SystemWorld, llm: Llm, workflow: str, message: str, kept: str, status: MemoryStatus
) -> None:
    view = run(workflow, world, message, llm=llm)
    assert view.outcome == AnswerOutcome.DIRECT.value
    assert not view.citations
    assert not any(step.tools or step.kept or step.rejected for step in view.steps)
    (memory,) = world.memories.kept.values()
    assert (memory.text, memory.status) == (kept, status)
    saved = [event for step in view.steps for event in step.saved]
    assert saved == [MemorySaved(memory.id, kept, status.value)]


@pytest.mark.parametrize("workflow", list(workflows()))
def test_what_was_kept_is_known_when_asked_and_counts_as_used(world: SystemWorld, workflow: str) -> None:
    world.memories.save(memory_of("my name is Jonas"))
    view = run(workflow, world, "What is my name?")
    assert "my name is Jonas" in view.answer
    assert world.memories.touched == ["m-my name is Jonas"]


@pytest.mark.parametrize("workflow", list(workflows()))
def test_nothing_is_said_to_be_noted_where_memory_is_off(world: SystemWorld, workflow: str) -> None:
    view = run(workflow, world, "Remember: my name is Jonas.", use_memory=False)
    assert "Noted" not in view.answer
    assert "not keep" in view.answer
    assert world.memories.kept == {}


@pytest.mark.parametrize("workflow", list(workflows()))
def test_a_memory_that_changes_nothing_is_not_counted(world: SystemWorld, workflow: str) -> None:
    world.memories.save(memory_of("I work on KelpNet with Lena Vogt"))
    run(workflow, world, "Who developed KelpNet?")
    assert world.memories.touched == []
