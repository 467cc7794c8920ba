"""The names that a question may lean on."""

import pytest

from core.agents.nodes.plan.references import known_names
from core.graph.model import Entity
from core.runs.model import Turn
from tests.fakes import World, state_of


def test_what_was_said_last_is_looked_at_before_what_was_said_earlier(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    looked_at: list[str] = []

    def named_in(base_id: str, text: str, limit: int) -> list[Entity]:
        looked_at.append(text)
        return []

    monkeypatch.setattr(world.graph, "named_in", named_in)
    turns = (Turn("user", "Who leads it?"), Turn("assistant", "Lena Vogt [1]."))
    known_names(state_of("Where does she work?"), world.deps(), turns, "Where does she work?")
    assert looked_at == ["Where does she work?\nLena Vogt [1].\nWho leads it?"]


def test_persons_are_known_by_their_type(world: World) -> None:
    said = known_names(state_of(""), world.deps(), (), "Did Lena Vogt develop KelpNet?")
    assert (said.things, said.people) == (("Lena Vogt", "KelpNet"), ("Lena Vogt",))
