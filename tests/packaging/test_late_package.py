"""What a package imports at its top waits until something in it is asked for."""

import sys
from importlib import import_module
from pathlib import Path

import pytest

from core.bootstrap.late_package import put_off


def test_a_module_of_it_is_imported_without_the_rest(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "heavy_package"
    folder.mkdir()
    (folder / "__init__.py").write_text("from heavy_package.heavy import THING\n")
    (folder / "heavy.py").write_text("THING = 1\n")
    (folder / "small.py").write_text("NAME = 'small'\n")
    monkeypatch.syspath_prepend(tmp_path)
    put_off("heavy_package")
    put_off("heavy_package")
    assert import_module("heavy_package.small").NAME == "small"
    assert "heavy_package.heavy" not in sys.modules
    assert import_module("heavy_package").THING == 1
    with pytest.raises(AttributeError):
        import_module("heavy_package").missing  # noqa: B018  # asking is the point


def test_a_package_that_is_missing_stays_missing() -> None:
    put_off("no_such_package")
    with pytest.raises(ModuleNotFoundError):
        import_module("no_such_package")
