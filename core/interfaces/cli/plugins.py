"""`plugins`: the tools, workflows and parsers of installed packages."""

from argparse import Namespace
from typing import Any

from core.agents.tools.registry import plugin_tools
from core.agents.workflows.registry import plugin_workflows
from core.interfaces.cli.console import say, say_json, table
from core.platform.plugins import Plugin
from core.platform.settings.parsers import plugin_parsers
from core.platform.settings.settings import Settings


def list_plugins(settings: Settings, options: Namespace) -> int:
    del settings
    found: list[Plugin[Any]] = [*plugin_tools(), *plugin_workflows(), *plugin_parsers()]
    if options.json:
        shown = ("kind", "name", "distribution", "version", "reason")
        say_json([{name: getattr(plugin, name) for name in shown} | {"loaded": not plugin.reason} for plugin in found])
    elif found:
        table(
            ("kind", "name", "package", "version", "state"),
            [
                (
                    each.kind,
                    each.name,
                    each.distribution,
                    each.version,
                    f"left out: {each.reason}" if each.reason else "loaded",
                )
                for each in found
            ],
        )
    else:
        say("No installed package adds a tool, a workflow or a parser. docs/plugins.md shows how one does.")
    return 0
