"""Imports run one way, as the table says: pages -> core, adapters behind ports, the domain alone."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.import_table import FOUNDATION, LAYERS, Layer

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "app.py", *(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py"))
)
OWN = ("app", "core", "pages")


@cache
def imported(file: str) -> frozenset[str]:
    """Every module a file names, inside functions too."""
    return frozenset(_imported(file))


def _imported(file: str) -> Iterator[str]:
    for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from _named(node.module, [alias.name for alias in node.names])


def _named(module: str, names: list[str]) -> Iterator[str]:
    """`from core.kg import files` names the module core.graph.files.json_files, `from core.graph.files.json_files import NODES` core.graph.files.json_files."""
    folder = ROOT.joinpath(*module.split("."))
    for name in names:
        is_module = (folder / name).is_dir() or (folder / f"{name}.py").is_file()
        yield f"{module}.{name}" if is_module else module


def within(name: str, layer: str, separator: str) -> bool:
    return name == layer or name.startswith(f"{layer}{separator}")


@cache
def layer_of(file: str) -> Layer | None:
    layers = [layer for layer in LAYERS if within(file, layer.path, "/")]
    return max(layers, key=lambda layer: len(layer.path), default=None)


def allowed(layer: Layer) -> set[str]:
    own = layer.path.removesuffix(".py").replace("/", ".")
    names = layer.core.split()
    if own.removeprefix("core.") not in FOUNDATION:
        names += FOUNDATION
    return {own, "core", *(name if name in OWN else f"core.{name}" for name in names), *layer.packages.split()}


def is_allowed(name: str, layer: Layer) -> bool:
    if name.split(".")[0] in sys.stdlib_module_names:
        return True
    return any(name == other if other == "core" else within(name, other, ".") for other in allowed(layer))


@pytest.mark.parametrize("layer", LAYERS, ids=lambda layer: layer.path)
def test_a_layer_imports_what_the_table_allows(layer: Layer) -> None:
    breaches = {
        f"{file} imports {name}"
        for file in FILES
        if layer_of(file) == layer
        for name in imported(file)
        if not is_allowed(name, layer)
    }
    assert breaches == set()


def test_every_file_belongs_to_a_layer() -> None:
    known = {"core/__init__.py"}
    assert [file for file in FILES if layer_of(file) is None and file not in known] == []


def test_every_package_of_the_table_is_used() -> None:
    used = {name.split(".")[0] for file in FILES for name in imported(file)}
    assert {name for layer in LAYERS for name in layer.packages.split()} - used == set()


def test_the_architecture_document_shows_the_table() -> None:
    lines = (ROOT / "core" / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()
    start = lines.index("| layer | may import from core | packages |")
    shown = lines[start + 2 :]
    assert shown[: shown.index("")] == [layer.row for layer in LAYERS]
