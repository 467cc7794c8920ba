"""Installed packages add tools, workflows and parsers; one that cannot be used is left out with its reason."""

import json
import logging
import re
import subprocess
import sys
import tomllib
from collections.abc import Iterator, Mapping
from importlib import invalidate_caches
from pathlib import Path
from typing import Any

import pytest

from core.agents.tools import registry as tool_registry
from core.agents.tools.registry import names_of, next_call, session_tools, tools_of
from core.agents.tools.tool import Toolset, ToolSituation
from core.agents.workflows import registry as workflow_registry
from core.agents.workflows.registry import CompiledWorkflows, workflow_named, workflows
from core.app.parsers import parser_named
from core.interfaces.cli.main import main, parser
from core.interfaces.http.mcp.server import filled_prompt, listed_prompts
from core.interfaces.http.mcp.tools import program_tools
from core.platform import plugins
from core.platform.errors import ConfigurationError
from core.platform.settings import parsers as parser_table
from core.platform.settings import settings as settings_module
from core.platform.settings.preferences import FilePreferences
from core.platform.settings.settings import configured_parsers, load_settings, settings_with
from core.platform.texts import text
from pages.components.chat.workflow_choices import promise_of, title_of, welcome_of
from pages.components.documents.upload import parser_name, parser_summary
from tests.fakes import World, state_of
from tests.fakes import plugins as fake_plugins
from tests.fakes.parsing import FakeParser

ROOT = Path(__file__).parents[2]
CACHED = (
    plugins._entry_points,
    tool_registry.plugin_tools,
    tool_registry.tools,
    workflow_registry.plugin_workflows,
    workflow_registry.workflows,
    parser_table.plugin_parsers,
    parser_table.parsers,
)
TOOL = """
from core.agents.tools.tool import NoArguments, Tool, ToolOutcome, Toolset

def tool(name):
    return Tool(name, "Say hello.", Toolset.GRAPH, 0, NoArguments, lambda *_: ToolOutcome("Hello."), lambda _: None)

TOOL = tool("greeting")
"""
WORKFLOW = """
from core.agents.workflows.workflow import Workflow
from core.agents.workflows.tool_loop import wire

def workflow(name, wire=wire):
    return Workflow(name, 0, wire, (), "Short way", "Calls tools.", "Ask away.")

WORKFLOW = workflow("short_way")
"""
PARSER = """
from core.platform.settings.parsers import ParserPlugin
from tests.fakes.parsing import FakeParser

PARSER = ParserPlugin(
    name="paragraphs", page_seconds=2.0, title="Paragraphs", summary="Reads text.", make=lambda *_: FakeParser()
)
"""


@pytest.fixture
def packages(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """The folder of installed packages; the registries read it on first use."""
    folder = tmp_path / "packages"
    folder.mkdir()
    before = set(sys.modules)
    monkeypatch.syspath_prepend(folder)
    monkeypatch.setattr(logging.root.manager, "disable", logging.NOTSET)  # the parser's child, where tests run it here
    _forget()
    yield folder
    _forget()
    for name in set(sys.modules) - before:
        if str(getattr(sys.modules[name], "__file__", "")).startswith(str(folder)):
            del sys.modules[name]


def _forget() -> None:
    invalidate_caches()
    for cached in CACHED:
        cached.cache_clear()


def install(
    folder: Path, distribution: str, entry_points: Mapping[str, str], module: str, version: str = "1.0"
) -> None:
    """Forgets what was read before: a thread that another test left may have asked meanwhile."""
    fake_plugins.install(folder, distribution, entry_points, module, version)
    _forget()


def left_out() -> dict[str, str]:
    """Reasons by name of the entry point."""
    found: list[plugins.Plugin[Any]] = [
        *tool_registry.plugin_tools(),
        *workflow_registry.plugin_workflows(),
        *parser_table.plugin_parsers(),
    ]
    return {plugin.name: plugin.reason for plugin in found if plugin.reason}


def test_a_tool_is_offered_to_agents_and_programs_after_those_of_the_app(packages: Path) -> None:
    install(packages, "hello", {"graphtalk.tools:greeting": "hello:TOOL"}, TOOL)
    assert names_of(Toolset.GRAPH)[-1] == "greeting"
    assert session_tools(Toolset.GRAPH, state_of("?"), World().deps())[-1].name == "greeting"
    assert "greeting" in [tool.name for tool in program_tools()]
    assert left_out() == {}


def test_a_tool_does_not_replace_a_tool_for_programs(packages: Path) -> None:
    install(packages, "hello", {"graphtalk.tools:remember": "hello:OTHER"}, f"{TOOL}\nOTHER = tool('remember')")
    assert "remember" in names_of(Toolset.GRAPH)
    assert [tool.name for tool in program_tools()].count("remember") == 1


def test_a_workflow_follows_those_of_the_app_and_can_be_asked_by_its_name(packages: Path) -> None:
    install(packages, "short", {"graphtalk.workflows:short_way": "short:WORKFLOW"}, WORKFLOW)
    assert next(iter(workflows())) == "adaptive"
    assert list(workflows())[-1] == "short_way"
    assert workflow_named("short_way").title == "Short way"
    assert "call_model" in CompiledWorkflows().named("short_way").get_graph().nodes


def test_a_parser_can_be_chosen_and_made(packages: Path) -> None:
    install(packages, "texts", {"graphtalk.parsers:paragraphs": "texts:PARSER"}, PARSER)
    settings = settings_with(packages.parent / "data", {}, {"PARSER": "paragraphs"})
    assert settings.parser == "paragraphs"
    assert "paragraphs" in parser_table.default_parsers()
    assert "paragraphs" in configured_parsers(settings, reads_pictures=False)
    assert isinstance(parser_named("paragraphs", settings, packages), FakeParser)
    assert parser().parse_args(["ingest", "file.txt", "--parser", "paragraphs"]).parser == "paragraphs"


def test_a_workflow_is_a_prompt_with_its_own_texts(packages: Path) -> None:
    install(packages, "short", {"graphtalk.workflows:short_way": "short:WORKFLOW"}, WORKFLOW)
    shown = {prompt.name: (prompt.title, prompt.description) for prompt in listed_prompts()}
    assert shown["short_way"] == ("Short way", "Calls tools.")
    assert shown["adaptive"][0] == text("workflow.adaptive.title", "en")
    assert filled_prompt("short_way", {"question": "Who?"}).description == "Calls tools."


def test_pages_show_the_texts_of_a_plugin(packages: Path) -> None:
    install(packages, "short", {"graphtalk.workflows:short_way": "short:WORKFLOW"}, WORKFLOW)
    install(packages, "texts", {"graphtalk.parsers:paragraphs": "texts:PARSER"}, PARSER)
    shown = (title_of("short_way"), promise_of("short_way"), welcome_of("short_way"))
    assert shown == ("Short way", "Calls tools.", "Ask away.")
    assert (parser_name("paragraphs"), parser_summary("paragraphs")) == ("Paragraphs", "Reads text.")


def test_a_parser_that_is_not_installed_is_refused_with_those_that_are(
    packages: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(ConfigurationError, match="must be one of built-in"):
        settings_with(packages.parent / "data", {}, {"PARSER": "paragraphs"})
    with pytest.raises(SystemExit):
        parser().parse_args(["ingest", "file.txt", "--parser", "paragraphs"])
    assert "must be one of built-in, mineru-cloud" in capsys.readouterr().err


def test_a_chosen_parser_that_was_uninstalled_does_not_keep_the_app_from_opening(
    packages: Path, caplog: pytest.LogCaptureFixture
) -> None:
    logging.getLogger(settings_module.__name__).disabled = False
    data = packages.parent / "data"
    data.mkdir(exist_ok=True)
    FilePreferences(data).write({"PARSER": "paragraphs"})
    assert load_settings(data).parser == "built-in"
    assert "The parser paragraphs is not installed any more." in caplog.text


@pytest.mark.parametrize(
    ("entry", "module", "reason"),
    [
        ("graphtalk.tools:greeting", "import nowhere_at_all", "No module named 'nowhere_at_all'"),
        ("graphtalk.tools:greeting", "", "AttributeError"),
        ("graphtalk.tools:greeting", "raise RuntimeError('at import')", "RuntimeError: at import"),
        ("graphtalk.tools:greeting", "TOOL = (", "SyntaxError"),
        ("graphtalk.tools:greeting", "TOOL = 'hello'", "broken:TOOL is not a Tool."),
        ("graphtalk.tools:hello", TOOL, "broken:TOOL has another name than the entry point: greeting."),
        ("graphtalk.tools:find_path", f"{TOOL}\nTOOL = tool('find_path')", "The name is already in use."),
        ("graphtalk.tools:greeting", f"{TOOL}\nobject.__setattr__(TOOL, 'arguments', dict)", "AttributeError"),
        ("graphtalk.workflows:adaptive", f"{WORKFLOW}\nTOOL = workflow('adaptive')", "The name is already in use."),
        (
            "graphtalk.workflows:stuck",
            f"{WORKFLOW}\nTOOL = workflow('stuck', lambda graph: graph.add_node('one', print))",
            "no way on from ['one']",
        ),
        ("graphtalk.parsers:built-in", PARSER, "The name is already in use."),
        (
            "graphtalk.parsers:paragraphs",
            f"{PARSER}\nfrom dataclasses import replace\nTOOL = replace(PARSER, needs='mineru_api_token')",
            "A plug-in cannot need a setting of the app.",
        ),
    ],
)
def test_what_cannot_be_used_is_left_out_and_logged(
    packages: Path, caplog: pytest.LogCaptureFixture, entry: str, module: str, reason: str
) -> None:
    before = (list(workflows()), names_of(*Toolset), list(parser_table.parsers()))
    _forget()
    install(packages, "broken", {entry: "broken:TOOL"}, module)
    name = entry.partition(":")[2]
    assert (list(workflows()), names_of(*Toolset), list(parser_table.parsers())) == before
    assert reason in left_out()[name]
    assert f"{name} of broken 1.0 was left out. " in caplog.text
    assert reason in caplog.text


def test_of_two_plugins_with_the_same_name_the_first_package_has_it(packages: Path) -> None:
    for package in ("second", "first"):
        install(packages, package, {"graphtalk.tools:greeting": f"{package}:TOOL"}, TOOL)
    found = [(plugin.distribution, plugin.reason) for plugin in tool_registry.plugin_tools()]
    assert found == [("first", ""), ("second", "The name is already in use.")]


def test_the_command_lists_what_was_found_where(packages: Path, capsys: pytest.CaptureFixture[str]) -> None:
    data = ["--data", str(packages.parent / "data")]
    assert main([*data, "plugins"]) == 0
    assert capsys.readouterr().out.startswith("No installed package adds a tool")
    _forget()
    install(packages, "hello", {"graphtalk.tools:greeting": "hello:TOOL"}, TOOL, "2.5")
    install(packages, "texts", {"graphtalk.parsers:paragraphs": "nowhere:PARSER"}, PARSER)
    assert main([*data, "plugins"]) == 0
    rows = [line.split() for line in capsys.readouterr().out.splitlines()]
    assert rows[1] == ["tool", "greeting", "hello", "2.5", "loaded"]
    assert rows[2][:6] == ["parser", "paragraphs", "texts", "1.0", "left", "out:"]
    assert main([*data, "plugins", "--json"]) == 0
    listed = json.loads(capsys.readouterr().out)
    assert [(each["name"], each["loaded"]) for each in listed] == [("greeting", True), ("paragraphs", False)]


def test_the_package_of_the_documentation_works(packages: Path) -> None:
    blocks = re.findall(
        r"```(toml|python)\n(.*?)```", (ROOT / "docs/plugins.md").read_text(encoding="utf-8"), re.DOTALL
    )
    (_, project), (_, module) = blocks
    declared = tomllib.loads(project)["project"]
    ((name, value),) = declared["entry-points"]["graphtalk.tools"].items()
    install(packages, value.partition(":")[0], {f"graphtalk.tools:{name}": value}, module, declared["version"])
    tool = next(tool for tool in tools_of(Toolset.GRAPH) if tool.name == name)
    called, arguments = next_call(tools_of(Toolset.GRAPH), ToolSituation("Count words: one two three"))
    assert called == name
    assert tool.run(arguments, state_of("?"), World().deps()).text == "The text has 3 words."
    assert tool.next(ToolSituation("What is KelpNet?")) is None


def test_nothing_is_read_at_import_nor_for_the_settings_and_a_workflow_of_the_app(tmp_path: Path) -> None:
    script = (
        "from core.platform import plugins\n"
        "from core.app.services import Services\nfrom core.interfaces.cli.main import parser\n"
        "from core.platform.settings.settings import load_settings\n"
        "from core.agents.tools import registry\nfrom core.agents.workflows.registry import workflow_named\n"
        "from pathlib import Path\nimport sys\n"
        "parser().parse_args(['ingest', 'file'])\nload_settings(Path(sys.argv[1]))\nworkflow_named('adaptive')\n"
        "print(plugins._entry_points.cache_info().currsize)"
    )
    done = subprocess.run(
        [sys.executable, "-c", script, str(tmp_path)], capture_output=True, text=True, cwd=ROOT, timeout=60, check=True
    )
    assert done.stdout.strip() == "0"


def test_entry_points_are_read_once(packages: Path) -> None:
    install(packages, "hello", {"graphtalk.tools:greeting": "hello:TOOL"}, TOOL)
    assert left_out() == {}
    assert len(workflows()) == len(list(workflows()))
    assert plugins._entry_points.cache_info().misses == 1
    assert load_settings(packages.parent / "data").parser == "built-in"
