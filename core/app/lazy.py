"""Parts of the application that are made when they are first used, by the settings in use."""

import threading
from collections.abc import Callable, Mapping
from typing import Any, Generic, Self, TypeVar, overload

from core.platform.settings.preferences import FilePreferences, PreferenceStore
from core.platform.settings.settings import Settings, settings_with

Part = TypeVar("Part")


class Configuration:
    """The settings in use, and their changes while the process runs."""

    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.lock = threading.RLock()
        """Held while a part of the application is made."""
        self._store: PreferenceStore = FilePreferences(settings.data)
        self._stamp = self._store.stamp()

    def share(self, store: PreferenceStore) -> None:
        """Reads and writes changes in a store that processes share. Raises ConfigurationError."""
        with self.lock:
            self._store, self._stamp = store, -1
            self.refresh()

    def kept(self) -> dict[str, str]:
        """What was changed in the app, by environment variable name."""
        return self._store.read()

    def changed(self, changes: Mapping[str, str | None]) -> Settings:
        """The settings as they would be. Raises ConfigurationError."""
        return settings_with(self.settings.data, self._store.read(), changes)

    def keep(self, changes: Mapping[str, str | None]) -> None:
        """Applies the changes from now on, here and in other processes. Raises ConfigurationError, keeping nothing."""
        self.changed(changes)
        self._store.write(changes)
        self.refresh()

    def refresh(self) -> None:
        """Reads the settings again if this process or another one has changed them."""
        stamp = self._store.stamp()
        if stamp == self._stamp:
            return
        with self.lock:
            self.settings = settings_with(self.settings.data, self._store.read())
            self._stamp = stamp


class Area:
    """Some of the application's parts; all areas share one configuration and its lock."""

    def __init__(self, configuration: Configuration) -> None:
        self.configuration = configuration
        self.parts: dict[str, tuple[Settings, Any]] = {}
        """By name, each with the settings it was made by."""

    @property
    def settings(self) -> Settings:
        return self.configuration.settings

    def made(self, name: str) -> bool:
        return name in self.parts


class lazy(Generic[Part]):  # used like property
    """A property that is computed once, also when two threads ask at the same time."""

    follows_settings = False

    def __init__(self, make: Callable[[Any], Part]) -> None:
        self.make = make
        self.name = make.__name__

    @overload
    def __get__(self, owner: None, kind: type) -> Self: ...
    @overload
    def __get__(self, owner: Area, kind: type) -> Part: ...
    def __get__(self, owner: Area | None, kind: type) -> "Part | Self":
        if owner is None:
            return self
        found = owner.parts.get(self.name)  # without the lock: a page must not wait while another part is being made
        if found is None or (self.follows_settings and found[0] is not owner.settings):
            found = self._made(owner)
        return found[1]

    def _made(self, owner: Area) -> tuple[Settings, Part]:
        """Now, or by another thread since."""
        with owner.configuration.lock:
            found = owner.parts.get(self.name)
            if found is None or (self.follows_settings and found[0] is not owner.settings):
                settings = owner.settings
                found = owner.parts[self.name] = (settings, self.make(owner))
            return found


class configured(lazy[Part]):  # used like property
    """A lazy part that is made again after a change of the settings."""

    follows_settings = True
