"""Imports submodules of a package without its own `__init__`, which runs once something of it is used."""

import sys
from importlib.util import find_spec, module_from_spec
from typing import Any


def defer(name: str) -> None:
    """Without effect on a package that is loaded already or not installed."""
    if name in sys.modules or not (spec := find_spec(name)) or not spec.loader:
        return
    package = module_from_spec(spec)
    loader = spec.loader

    def load(attribute: str) -> Any:
        if vars(package).pop("__getattr__", None):
            loader.exec_module(package)
        return getattr(package, attribute)

    vars(package)["__getattr__"] = load
    sys.modules[name] = package
