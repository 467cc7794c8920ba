"""The README keeps up with the code."""

from pathlib import Path

import pytest
from pydantic import AliasChoices

from core.agents.tools.registry import names_of
from core.agents.tools.tool import Toolset
from core.agents.workflows.drawing import draw
from core.agents.workflows.registry import workflows
from core.models.local.catalogue import shipped
from core.models.local.sizing import needed_memory
from core.platform.settings.settings import Settings
from core.platform.texts import text
from core.runs.execution.worker import QUEUE_SECONDS
from tests.agents.workflows.mermaid import mermaid

ROOT = Path(__file__).parents[2]
README = (ROOT / "README.md").read_text(encoding="utf-8")
TOOLS = names_of(Toolset.GRAPH)


@pytest.mark.parametrize("name", sorted(workflows()))
def test_it_draws_every_workflow_as_it_is_wired(name: str) -> None:
    workflow = workflows()[name]
    assert f"### `{name}`: {text(workflow.title, 'en')}" in README
    assert text(workflow.summary, "en") in README
    assert mermaid(draw(workflow)).strip() in README


def test_it_names_every_setting() -> None:
    aliases = [field.validation_alias for field in Settings.model_fields.values()]
    names = [str(name) for alias in aliases if isinstance(alias, AliasChoices) for name in alias.choices]
    assert [name for name in names if f"`{name}`" not in README] == []


def test_it_names_every_tool_of_the_graph_agent() -> None:
    assert [tool for tool in TOOLS if f"`{tool}`" not in README] == []


def test_it_tells_the_size_and_memory_of_the_model_on_this_machine_as_the_settings_do() -> None:
    (model,) = (each for each in shipped().values() if each.offered)
    context = Settings.model_fields["local_model_context"].default
    needed = needed_memory(model.size, model.context_bytes, context)
    assert f"{model.size / 1e9:.1f} GB, {model.licence.split()[0]}" in README
    assert f"needs about {needed / 1e9:.1f} GB of memory" in README


def test_it_tells_how_long_a_question_waits_for_its_turn() -> None:
    assert f"waits for up to {QUEUE_SECONDS:.0f} seconds" in README


def test_every_image_it_shows_is_there() -> None:
    shown = [part.split(")")[0] for part in README.split("](")[1:] if part.split(")")[0].endswith(".png")]
    assert shown
    assert [path for path in shown if not (ROOT / path).is_file()] == []
