"""All tools: modules of this folder with a TOOL, and those of installed packages."""

from collections.abc import Sequence
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from core.agents import tools as folder
from core.agents.state import Deps, State
from core.agents.tools.tool import AnyTool, Tool, Toolset, ToolSituation, as_json
from core.platform.plugins import Plugin, load_plugins


@cache
def tools() -> tuple[AnyTool, ...]:
    """Tools by their order, those of plug-ins last."""
    added = [plugin.item for plugin in plugin_tools() if plugin.item]
    return (*own_tools(), *sorted(added, key=_place))


@cache
def plugin_tools() -> tuple[Plugin[AnyTool], ...]:
    return load_plugins("tool", Tool, {tool.name for tool in own_tools()}, Tool.schema)


@cache
def own_tools() -> tuple[AnyTool, ...]:
    """Tools of this folder. Raises ValueError for duplicate names."""
    modules = (import_module(f"{folder.__name__}.{module.name}") for module in iter_modules(folder.__path__))
    found = [tool for module in modules if isinstance(tool := getattr(module, "TOOL", None), Tool)]
    names = [tool.name for tool in found]
    if twice := {name for name in names if names.count(name) > 1}:
        raise ValueError(f"tools with the same name: {sorted(twice)}")
    return tuple(sorted(found, key=_place))


def _place(tool: AnyTool) -> tuple[int, str]:
    return tool.order, tool.name


def tools_of(*toolsets: Toolset) -> tuple[AnyTool, ...]:
    return tuple(tool for tool in tools() if tool.toolset in toolsets)


def names_of(*toolsets: Toolset) -> tuple[str, ...]:
    return tuple(tool.name for tool in tools_of(*toolsets))


def session_tools(toolset: Toolset, state: State, deps: Deps) -> tuple[AnyTool, ...]:
    """Tools of the set that are available in this session."""
    return tuple(own for tool in tools_of(toolset) for own in tool.for_session(tool, state, deps))


def next_call(offered: Sequence[AnyTool], situation: ToolSituation) -> tuple[str, str]:
    """The next call without a model: (tool, arguments as JSON); ("", "") if the agent has to answer."""
    for tool in sorted(offered, key=lambda tool: tool.last_resort):
        if (arguments := tool.next(situation)) is not None:
            return tool.name, as_json(arguments)
    return "", ""
