"""Telemetry notes how a question was handled, on this machine only."""

from core.nodes.telemetry import prompt_version, telemetry
from tests.fakes import state_of
from tests.nodes.conftest import Call


def test_it_notes_route_language_engine_and_prompts(call: Call) -> None:
    state = state_of("x", route="graph", language="zh-hans", retrievals=2, corrections=1, outcome="answered")
    note = call(telemetry, state)["note"]
    assert note.outcome == "answered"
    details = dict(note.details)
    assert details["engine"] == "built-in"
    assert (details["route"], details["language"]) == ("graph", "zh-hans")
    assert (details["searches"], details["corrections"]) == ("2", "1")
    assert details["prompts"] == prompt_version()
    assert len(prompt_version()) == 8
