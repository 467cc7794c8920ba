"""The parsers that there are: the one table that settings, command line, pages and forecasts read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import TYPE_CHECKING

from core.platform.plugins import Plugin, UnusablePluginError, load_plugins

if TYPE_CHECKING:
    from core.documents.ports.parsing import DocumentParser
    from core.platform.settings.settings import Settings


@dataclass(frozen=True, slots=True)
class ParserEntry:
    name: str
    page_seconds: float
    """Average time of one page, for forecasts."""
    needs: str = ""
    """The setting without which it cannot be asked."""
    remote: bool = False
    """Waits for a service instead of working on this machine."""
    leaves_machine: bool = False
    """Files are sent to somebody else."""
    every_page_read: bool = False
    """Text recognition on every page; chosen for one document, never the default."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ParserPlugin(ParserEntry):
    """A parser of an installed package; its own settings are its own matter, such as environment variables."""

    title: str
    summary: str
    make: Callable[[Settings, Path], DocumentParser]
    """(settings, folder for results in progress) -> parser."""


BUILT_IN_PARSER = "built-in"
OWN_PARSERS = {
    entry.name: entry
    for entry in (
        ParserEntry(BUILT_IN_PARSER, 0.35),  # measured on two busy cores
        # MinerU's times are of its service, whose queue nobody knows
        ParserEntry("mineru-cloud", 1.5, needs="mineru_api_token", remote=True, leaves_machine=True),
        ParserEntry("mineru-server", 1.5, needs="mineru_self_hosted_url", remote=True),
        ParserEntry("built-in-ocr", 0.1, every_page_read=True),  # the reading of pictures is counted apart
    )
}
"""By name, in the order in which they are offered; core/app/parsers.py makes them."""


@cache
def parsers() -> dict[str, ParserEntry]:
    """All parsers by name, those of plug-ins last."""
    return {**OWN_PARSERS, **{plugin.name: plugin.item for plugin in plugin_parsers() if plugin.item}}


@cache
def plugin_parsers() -> tuple[Plugin[ParserPlugin], ...]:
    return load_plugins("parser", ParserPlugin, OWN_PARSERS, _check)


def _check(plugin: ParserPlugin) -> None:
    if plugin.needs:
        raise UnusablePluginError("A plug-in cannot need a setting of the app.")


def default_parsers() -> tuple[str, ...]:
    """Names that the setting can have."""
    return tuple(entry.name for entry in parsers().values() if not entry.every_page_read)


def known_parser(name: str) -> str:
    """Raises ValueError for a name that cannot be the setting."""
    if name != BUILT_IN_PARSER and name not in default_parsers():
        raise ValueError(f"must be one of {', '.join(default_parsers())}")
    return name
