"""The settings in use, and their changes while the process runs."""

import threading
from collections.abc import Mapping

from core.settings.preferences import preferences_stamp, write_preferences
from core.settings.settings import Settings, changed_settings, load_settings


class Configuration:
    def __init__(self, settings: Settings) -> None:
        self.settings = settings
        self.lock = threading.RLock()
        """Held while a part of the application is made."""
        self._stamp = preferences_stamp(settings.data)

    def changed(self, changes: Mapping[str, str | None]) -> Settings:
        """The settings as they would be. Raises ConfigurationError."""
        return changed_settings(self.settings.data, changes)

    def keep(self, changes: Mapping[str, str | None]) -> None:
        """Works by the changes from now on, here and in other processes. Raises ConfigurationError, keeping nothing."""
        self.changed(changes)
        write_preferences(self.settings.data, changes)
        self.refresh()

    def refresh(self) -> None:
        """Takes up what was changed in the data folder's settings, by this process or another one."""
        stamp = preferences_stamp(self.settings.data)
        if stamp == self._stamp:
            return
        with self.lock:
            self.settings = load_settings(self.settings.data)
            self._stamp = stamp
