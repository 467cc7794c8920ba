"""Defers a package's own imports when only one of its small modules is needed."""

import sys
from importlib.util import find_spec, module_from_spec
from types import ModuleType
from typing import Any


def put_off(name: str) -> None:
    """The package's own `__init__` runs when something in it is first asked for; its modules are imported as usual.

    Nothing happens if it is imported already, or missing.
    """
    spec = None if name in sys.modules else find_spec(name)
    if spec is None or spec.loader is None:
        return
    package = module_from_spec(spec)
    package.__class__ = _Late
    sys.modules[name] = package


class _Late(ModuleType):
    def __getattr__(self, name: str) -> Any:
        """Only for what is not there yet."""
        if name.startswith("__") or not (self.__spec__ and self.__spec__.loader):
            raise AttributeError(name)
        object.__setattr__(self, "__class__", ModuleType)
        self.__spec__.loader.exec_module(self)
        return getattr(self, name)
