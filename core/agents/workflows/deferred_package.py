"""Modules whose code runs on first use of an attribute; submodules of a package are imported without it."""

import sys
from collections.abc import Mapping
from importlib.util import find_spec, module_from_spec
from threading import RLock
from types import MappingProxyType, ModuleType
from typing import Any

_NOTHING: Mapping[str, Any] = MappingProxyType({})
_IS_PACKAGE = "__path__"
"""Attribute that every import of a name requests of a module."""
_waiting: dict[str, "_Deferred"] = {}


def defer(name: str, known: Mapping[str, Any] = _NOTHING) -> None:
    """No effect on a loaded or missing module. known: attributes that do not run the code."""
    if name in sys.modules or not (spec := find_spec(name)) or not spec.loader:
        return
    module = module_from_spec(spec)
    _waiting[name] = _Deferred(module, known)
    sys.modules[name] = module


def is_deferred(name: str) -> bool:
    """Whether its code has still to run."""
    return name in _waiting


def attribute_of(name: str, attribute: str) -> Any:
    """The attribute as the module's own code defines it. Raises AttributeError, ImportError."""
    if deferred := _waiting.get(name):
        deferred.run()
    return getattr(sys.modules[name], attribute)


def forget(name: str, attribute: str) -> None:
    """Makes a known attribute run the code from now on."""
    if deferred := _waiting.get(name):
        vars(deferred.module).pop(attribute, None)


class _Deferred:
    """Like the LazyLoader of Python 3.12, but without reading the module's source."""

    def __init__(self, module: ModuleType, known: Mapping[str, Any]) -> None:
        self.module = module
        self._lock = RLock()
        self._has_begun = False
        self._asked = self._attribute
        vars(module).update(known, __getattr__=self._asked)

    def run(self) -> None:
        """Other threads wait until it has run; code that it imports sees what there is so far."""
        module, spec = self.module, self.module.__spec__
        with self._lock:
            if self._has_begun or not spec or not spec.loader:
                return
            self._has_begun = True
            spec.loader.exec_module(module)
            if vars(module).get("__getattr__") is self._asked:
                del vars(module)["__getattr__"]
            _waiting.pop(module.__name__, None)

    def _attribute(self, name: str) -> Any:
        if name != _IS_PACKAGE:
            self.run()
        if name in vars(self.module):
            return vars(self.module)[name]
        if (own := vars(self.module).get("__getattr__")) not in (None, self._asked):
            return own(name)
        raise AttributeError(f"module {self.module.__name__!r} has no attribute {name!r}")
