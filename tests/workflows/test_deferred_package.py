"""A package whose submodules are imported without its own code, until something of it is used."""

import sys
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from core.workflows.deferred_package import defer


@pytest.fixture
def package(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    folder = tmp_path / "heavy_package"
    folder.mkdir()
    (folder / "__init__.py").write_text("from heavy_package.other import THING\nOWN = 2\n")
    (folder / "other.py").write_text("THING = 1\n")
    (folder / "light.py").write_text("TYPE = 3\n")
    monkeypatch.syspath_prepend(tmp_path)
    yield folder.name
    for name in ("heavy_package", "heavy_package.other", "heavy_package.light"):
        sys.modules.pop(name, None)


def test_a_submodule_is_imported_without_the_package(package: str) -> None:
    defer(package)
    assert import_module(f"{package}.light").TYPE == 3
    assert f"{package}.other" not in sys.modules


def test_what_is_used_of_the_package_loads_it(package: str) -> None:
    defer(package)
    assert (sys.modules[package].OWN, sys.modules[package].THING) == (2, 1)
    with pytest.raises(AttributeError, match="missing"):
        _ = sys.modules[package].missing


def test_a_package_that_is_loaded_or_not_installed_is_left_alone(package: str) -> None:
    loaded = import_module(package)
    defer(package)
    defer("no_such_package")
    assert sys.modules[package] is loaded
    assert "no_such_package" not in sys.modules
