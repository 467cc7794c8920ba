"""Imports Chroma without what it never uses here: a third of its loading, and ten megabytes."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from importlib import import_module
from types import ModuleType
from typing import Any

try:
    import overrides
except ImportError:  # Chroma brings it, as long as it uses it
    overrides = None  # type: ignore[assignment]

_EXPORTER = "opentelemetry.exporter.otlp.proto.grpc.trace_exporter"
"""Chroma's traces leave by gRPC, whose packages it imports even where nobody wants them."""
_COMMAND_LINE = "httpx._main"
"""Of a client that is used as a library."""
_SCHEMAS = "jsonschema"
"""For the configuration of Chroma's own embedding functions, of which none is used."""
_CHECKS = ("override", "overrides")
"""They compare the signatures of Chroma's own classes, method by method, at every start."""


@contextmanager
def lean_imports() -> Iterator[None]:
    """For imports of Chroma inside; afterwards every package is as it was for everybody else."""
    checks = {name: getattr(overrides, name) for name in _CHECKS if hasattr(overrides, name)}
    hidden: dict[str, Any] = {_EXPORTER: _late_exporter(), _COMMAND_LINE: None, _SCHEMAS: _late_schemas()}
    put = {name: module for name, module in hidden.items() if name not in sys.modules}
    sys.modules.update(put)
    for name in checks:
        setattr(overrides, name, _marked)
    try:
        yield
    finally:
        for name, check in checks.items():
            setattr(overrides, name, check)
        for name in put:
            del sys.modules[name]


def _marked(method: Any = None, **_: object) -> Any:
    """As `override` marks a method, which its base class asks for."""
    if method is None:
        return _marked
    method.__override__ = True
    return method


def _late_exporter() -> ModuleType:
    """Stands in for the exporter's module, which is imported where one is really made."""

    def exporter(*args: Any, **options: Any) -> Any:
        return import_module(_EXPORTER).OTLPSpanExporter(*args, **options)

    module = ModuleType(_EXPORTER)
    vars(module)["OTLPSpanExporter"] = exporter
    return module


def _late_schemas() -> ModuleType:
    """Stands in for the package, which is imported where something is really checked."""

    def validate(*args: Any, **options: Any) -> None:
        import_module(_SCHEMAS).validate(*args, **options)

    module = ModuleType(_SCHEMAS)
    vars(module).update(validate=validate, ValidationError=type("ValidationError", (Exception,), {}))
    return module
