"""Telemetry notes how a question was handled."""

from core.agents.nodes.telemetry import prompt_version, telemetry
from tests.agents.nodes.conftest import Call
from tests.fakes import World, state_of


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


def test_it_notes_the_version_of_each_prompt_that_a_model_was_sent(call: Call, world: World) -> None:
    world.meter.calls += ["plan_tools", "generate", "plan_tools", "not_a_prompt"]
    noted = dict(call(telemetry, state_of("x"))["note"].details)["prompts"]
    assert noted == f"plan_tools {prompt_version('plan_tools')}, generate {prompt_version('generate')}"
    assert prompt_version("plan_tools") != prompt_version("generate") != prompt_version()
