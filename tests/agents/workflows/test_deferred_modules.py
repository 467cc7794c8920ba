"""A package whose submodules are imported without its own code, until something of it is used."""

import sys
import threading
from collections.abc import Iterator
from importlib import import_module
from pathlib import Path

import pytest

from core.agents.workflows.langgraph_loading import attribute_of, defer, forget, is_deferred


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


def test_a_name_is_known_until_it_is_forgotten_or_the_code_runs(package: str) -> None:
    defer(package, {"OWN": "known", "THING": "known"})
    module = import_module(package)
    assert module.OWN == "known"
    forget(package, "THING")
    assert is_deferred(package)
    assert (module.THING, module.OWN) == (1, 2)
    assert not is_deferred(package)
    assert attribute_of(package, "OWN") == 2


def test_a_name_can_be_asked_for_as_the_code_has_it(package: str) -> None:
    defer(package, {"OWN": "known"})
    assert attribute_of(package, "OWN") == 2
    assert sys.modules[package].OWN == 2


def test_importing_a_name_alone_does_not_run_the_code(package: str, tmp_path: Path) -> None:
    defer(f"{package}.light", {"TYPE": "known"})
    from heavy_package.light import TYPE  # type: ignore[import-not-found]  # it is made here

    assert TYPE == "known"
    assert is_deferred(f"{package}.light")


def test_a_thread_waits_for_code_that_another_one_runs(package: str, tmp_path: Path) -> None:
    (tmp_path / package / "light.py").write_text(
        "import threading\nthreading.stand_begun.set()\nthreading.stand_on.wait(10)\nTYPE = 3\n"
    )
    import_module(package)
    name = f"{package}.light"
    defer(name)
    begun, on, seen = threading.Event(), threading.Event(), list[int]()
    vars(threading).update(stand_begun=begun, stand_on=on)
    first = threading.Thread(target=lambda: attribute_of(name, "TYPE"))
    second = threading.Thread(target=lambda: seen.append(sys.modules[name].TYPE))
    try:
        first.start()
        assert begun.wait(10)
        second.start()
        assert seen == []
        on.set()
        first.join(10)
        second.join(10)
    finally:
        del threading.stand_begun, threading.stand_on  # type: ignore[attr-defined]  # given above
    assert seen == [3]
