"""Memories that bear on the question are recalled; none is a valid result, and none counts as used by that."""

from core.agents.nodes.memory.recall_memory import recall_memory
from core.memory.model import MemoryKind
from core.platform.errors import ServiceError
from core.runs.events import Degraded, MemoriesRecalled
from tests.agents.nodes.conftest import Call
from tests.fakes import BASE, World, memory_of, state_of


def test_no_memory_is_said_and_touches_nothing(call: Call, world: World) -> None:
    update = call(recall_memory, state_of("What is KelpNet?"))
    assert update["memory_ids"] == ()
    assert update["note"].reason == "run.reason.memory_none"
    assert world.memories.touched == []


def test_the_best_three_are_recalled_and_not_yet_counted(call: Call, world: World) -> None:
    for text in ("I work on buoys", "My buoys are red", "The buoys I like", "Buoys bore me", "Cats are nice"):
        world.memories.save(memory_of(text))
    update = call(recall_memory, state_of("What of the buoys?"))
    assert len(update["memory_ids"]) == 3
    assert world.memories.touched == []
    assert "m-Cats are nice" not in update["memory_ids"]
    (event,) = world.of(MemoriesRecalled)
    assert isinstance(event, MemoriesRecalled)
    assert [memory_id for memory_id, _ in event.memories] == list(update["memory_ids"])


def test_a_conclusion_of_an_older_index_comes_after_one_of_the_current_one(call: Call, world: World) -> None:
    world.library.reindexed(5)
    old = memory_of("buoys drift", MemoryKind.CONCLUSION, base_id=BASE, index_version=1, importance=7)
    new = memory_of("buoys drift today", MemoryKind.CONCLUSION, base_id=BASE, index_version=5)
    world.memories.save(old)
    world.memories.save(new)
    update = call(recall_memory, state_of("Do buoys drift?"))
    assert update["memory_ids"] == (new.id, old.id)
    assert ("outdated", "1") in update["note"].details


def test_memory_can_be_switched_off(call: Call, world: World) -> None:
    world.memories.save(memory_of("I work on buoys"))
    update = call(recall_memory, state_of("buoys?", use_memory=False))
    assert update["memory_ids"] == ()
    assert update["note"].outcome == "off"


def test_a_failing_store_does_not_end_the_question(call: Call, world: World) -> None:
    world.memories.failure = ServiceError("llm.timeout")
    update = call(recall_memory, state_of("buoys?"))
    assert update["note"].outcome == "failed"
    assert world.of(Degraded) == [Degraded("recall_memory", "llm.timeout")]
