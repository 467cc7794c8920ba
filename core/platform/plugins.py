"""Plug-ins: objects that installed packages offer through entry points of the groups `graphtalk.<kind>s`.

A plug-in that cannot be used is left out with a reason; it never stops the app.
"""

import logging
from collections.abc import Callable, Collection, Iterator
from dataclasses import dataclass
from functools import cache, partial
from importlib.metadata import EntryPoint, distributions
from typing import Generic, Protocol, TypeVar

from core.platform.errors import attempted

_LOG = logging.getLogger(__name__)
_PREFIX = "graphtalk."
_MAX_REASON = 300
"""Characters of an exception's text that are shown."""


class HasName(Protocol):
    @property
    def name(self) -> str: ...


Item = TypeVar("Item", bound=HasName)


class UnusablePluginError(Exception):
    """The reason why a plug-in is left out, as a sentence."""


@dataclass(frozen=True, slots=True)
class Plugin(Generic[Item]):
    kind: str
    """tool, workflow or parser."""
    name: str
    distribution: str
    version: str
    item: Item | None
    """None if it was left out."""
    reason: str = ""
    """Why it was left out."""


def load_plugins(
    kind: str, item_class: type[Item], taken: Collection[str], check: Callable[[Item], object]
) -> tuple[Plugin[Item], ...]:
    """Load every plug-in of a kind: "tool" for the entry points in `graphtalk.tools`.

    taken: names of the app itself. check: raises an exception for an item that cannot be used.
    """
    names = set(taken)
    found: list[Plugin[Item]] = []
    for entry, distribution, version in _entry_points():
        if entry.group != f"{_PREFIX}{kind}s":
            continue
        loaded = attempted(partial(_load, entry, item_class, names, check))
        if isinstance(loaded, Exception):
            reason = _sentence(loaded)
            _LOG.warning("The %s %s of %s %s was left out. %s", kind, entry.name, distribution, version, reason)
            found.append(Plugin(kind, entry.name, distribution, version, None, reason))
        else:
            names.add(entry.name)
            found.append(Plugin(kind, entry.name, distribution, version, loaded))
    return tuple(found)


def _load(entry: EntryPoint, item_class: type[Item], taken: Collection[str], check: Callable[[Item], object]) -> Item:
    if entry.name in taken:
        raise UnusablePluginError("The name is already in use.")
    item = entry.load()
    if not isinstance(item, item_class):
        raise UnusablePluginError(f"{entry.value} is not a {item_class.__name__}.")
    if item.name != entry.name:
        raise UnusablePluginError(f"{entry.value} has another name than the entry point: {item.name}.")
    check(item)
    return item


def _sentence(error: Exception) -> str:
    if isinstance(error, UnusablePluginError):
        return str(error)
    return " ".join(f"{type(error).__name__}: {error}".split())[:_MAX_REASON]


@cache
def _entry_points() -> tuple[tuple[EntryPoint, str, str], ...]:
    """(entry point, distribution, version), in the order of the distributions' names."""
    return tuple(sorted(_read(), key=lambda found: (found[1], found[0].group, found[0].name)))


def _read() -> Iterator[tuple[EntryPoint, str, str]]:
    """Parsing no other package's file takes half the time of importlib.metadata.entry_points()."""
    for distribution in distributions():
        if f"[{_PREFIX}" in (distribution.read_text("entry_points.txt") or ""):
            for entry in distribution.entry_points:
                yield entry, distribution.name, distribution.version
