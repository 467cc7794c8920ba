"""Every tool is one file; what a model is shown of it and when rules call it follow from that file."""

import json
from dataclasses import replace
from pathlib import Path

import pytest

from core.agents.state import Deps, State
from core.agents.tools import registry
from core.agents.tools.registry import names_of, next_call, session_tools, tools
from core.agents.tools.tool import AnyTool, Tool, ToolArguments, ToolOutcome, Toolset, ToolSituation
from tests.fakes import World, state_of

FOLDER = Path(registry.__file__).parent


def test_a_tool_is_the_file_of_its_name() -> None:
    assert all((FOLDER / f"{tool.name}.py").is_file() for tool in tools())


def test_each_system_has_its_tools() -> None:
    found = {toolset: names_of(toolset) for toolset in Toolset}
    assert found == {
        Toolset.GRAPH: ("search_entities", "get_neighbors", "get_entities_by_type", "describe_graph"),
        Toolset.SEARCH: ("knowledge_search", "search_documents", "web_search"),
        Toolset.DOCUMENTS: ("retrieve_documents",),
        Toolset.FORMS: ("get_form_download_links", "export_form_file"),
        Toolset.PROGRAMS: ("find_path",),
    }


@pytest.mark.parametrize("tool", tools(), ids=lambda tool: tool.name)
def test_a_model_is_told_what_every_argument_is(tool: AnyTool) -> None:
    schema = tool.schema()
    assert schema.description
    assert all(about.get("description") for about in schema.parameters["properties"].values())
    assert "title" not in json.dumps(schema.parameters)
    assert all(name in str(tool) for name in [tool.name, *schema.parameters["properties"]])


@pytest.mark.parametrize("tool", tools(), ids=lambda tool: tool.name)
@pytest.mark.parametrize("given", ["[]", "null", "{", "[" * 100_000, '"text"'])
def test_arguments_that_are_no_object_are_told_not_raised(tool: AnyTool, given: str) -> None:
    outcome = tool.run(given, state_of("?"), World().deps())
    assert outcome.text.startswith(f"Error: the arguments of {tool.name} do not fit")


@pytest.mark.parametrize(
    ("question", "tool", "arguments"),
    [
        ("有哪些TECHNOLOGY类型的实体？", "get_entities_by_type", {"entity_type": "TECHNOLOGY"}),
        ("Which TECHNOLOGY entities are there?", "get_entities_by_type", {"entity_type": "TECHNOLOGY"}),
        ("有哪些SENSOR类型的实体？", "get_entities_by_type", {"entity_type": "SENSOR"}),
        ("列出PERSON类型", "get_entities_by_type", {"entity_type": "PERSON"}),
        ("Give me an overview of the graph", "describe_graph", {}),
        ("What is KelpNet?", "search_entities", {"query": "KelpNet"}),
    ],
)
def test_a_rule_calls_the_tool_that_a_question_is_for(question: str, tool: str, arguments: dict[str, str]) -> None:
    offered = session_tools(Toolset.GRAPH, state_of(question), World().deps())
    called, given = next_call(offered, ToolSituation(question, types=("CONCEPT", "SENSOR")))
    assert (called, json.loads(given)) == (tool, arguments)


class _Word(ToolArguments):
    word: str


def _echo(arguments: _Word, state: State, deps: Deps) -> ToolOutcome:
    del state, deps
    return ToolOutcome(arguments.word)


def test_a_tool_of_its_own_is_tried_before_the_last_resort() -> None:
    """All that a new tool of the graph agent needs is its file."""
    echo = Tool("echo", "say it again", Toolset.GRAPH, 90, _Word, _echo, lambda asked: _Word(word=asked.question))
    offered = (*session_tools(Toolset.GRAPH, state_of("?"), World().deps()), echo)
    assert next_call(offered, ToolSituation("What is KelpNet?")) == ("echo", '{"word": "What is KelpNet?"}')
    assert echo.run('{"word": 5}', state_of("?"), World().deps()).text == "5"
    silent = replace(echo, next=lambda _: None)
    assert next_call((silent,), ToolSituation("?")) == ("", "")
