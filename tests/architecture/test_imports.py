"""Imports run one way: pages, interfaces, app, subjects, platform; a subject shows others its public modules alone."""

import ast
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from tests.architecture.import_table import (
    DECLARATIONS,
    FACADES,
    FRONT_ENDS,
    FURTHER_DECLARATIONS,
    PACKAGES,
    PUBLIC,
    SUBJECTS,
    Subject,
)

ROOT = Path(__file__).parents[2]
FILES = sorted(
    path.relative_to(ROOT).as_posix()
    for path in (ROOT / "app.py", *(ROOT / "core").rglob("*.py"), *(ROOT / "pages").rglob("*.py"))
)
OWN = ("app", "core", "pages")
DECLARED = [[name] for name in DECLARATIONS]


@cache
def imported(file: str) -> frozenset[str]:
    """Names of all modules that a file imports, inside functions too."""
    return frozenset(_imported(file))


def _imported(file: str) -> Iterator[str]:
    for node in ast.walk(ast.parse((ROOT / file).read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield from _named(node.module, [alias.name for alias in node.names])


def _named(module: str, names: list[str]) -> Iterator[str]:
    """`from core.graph import naming` and `from core.graph.naming import key` both import core.graph.naming."""
    folder = ROOT.joinpath(*module.split("."))
    for name in names:
        is_module = (folder / name).is_dir() or (folder / f"{name}.py").is_file()
        yield f"{module}.{name}" if is_module else module


def own_imports(file: str) -> set[str]:
    return {name for name in imported(file) if name.split(".")[0] in OWN and name != "core"}


def within(name: str, place: str, separator: str = ".") -> bool:
    return name == place or name.startswith(f"{place}{separator}")


def module_of(file: str) -> str:
    return file.removesuffix(".py").removesuffix("/__init__").replace("/", ".")


def place_of(module: str) -> str:
    """The subject or front end of a module, as a path without an ending."""
    parts = module.split(".")
    return "/".join(parts[:2]) if parts[0] == "core" else parts[0]


def is_declaration(module: str) -> bool:
    inside = module.removeprefix("core.")
    return inside.split(".")[1:2] in DECLARED or any(within(inside, one) for one in FURTHER_DECLARATIONS)


def is_store(module: str) -> bool:
    return "store" in module.split(".")[2:3]


def is_public(module: str) -> bool:
    inside = ".".join(module.split(".")[2:])
    return any(within(inside, one) for one in PUBLIC.get(place_of(module), "").split())


def may_import(subject: Subject, file: str, name: str) -> bool:
    place = place_of(name)
    if place in (subject.path, "core/platform") or is_declaration(name):
        return True
    if is_store(module_of(file)) and is_store(name):
        return True  # one transaction may reach over subjects
    return place.removeprefix("core/") in subject.uses.split() and is_public(name)


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: subject.path)
def test_a_subject_imports_only_declarations_and_public_modules_of_others(subject: Subject) -> None:
    breaches = {
        f"{file} imports {name}"
        for file in FILES
        if within(file, subject.path, "/")
        for name in own_imports(file)
        if not may_import(subject, file, name)
    }
    assert breaches == set()


@pytest.mark.parametrize("path", FACADES)
def test_a_facade_is_the_only_way_in(path: str) -> None:
    own = path.replace("/", ".")
    breaches = {
        f"{file} imports {name}"
        for file in FILES
        if not within(file, path, "/")
        for name in own_imports(file)
        if within(name, own) and not (is_public(name) or is_declaration(name))
    }
    assert breaches == set()


@pytest.mark.parametrize("path", FACADES)
def test_the_modules_of_a_facade_lie_above_the_folders_that_only_they_open(path: str) -> None:
    above = {file.stem for file in (ROOT / path).glob("*.py")} - {"__init__", *DECLARATIONS}
    assert above == set(PUBLIC[path].split())


def test_subjects_use_only_those_listed_before_them() -> None:
    names = [subject.path.removeprefix("core/") for subject in SUBJECTS]
    for place, subject in enumerate(SUBJECTS):
        assert set(subject.uses.split()) <= set(names[:place])


def test_declarations_import_only_declarations_and_the_platform() -> None:
    breaches = {
        f"{file} imports {name}"
        for file in FILES
        if is_declaration(module_of(file))
        for name in own_imports(file)
        if not (place_of(name) == "core/platform" or is_declaration(name))
    }
    assert breaches == set()


def test_stores_are_used_by_stores_and_the_composition_root_alone() -> None:
    breaches = {
        f"{file} imports {name}"
        for file in FILES
        if not is_store(module_of(file)) and place_of(module_of(file)) != "core/app"
        for name in own_imports(file)
        if is_store(name)
    }
    assert breaches == set()


def test_a_front_end_imports_no_later_one() -> None:
    order = [path.removesuffix(".py") for path in FRONT_ENDS]
    breaches = {
        f"{file} imports {name}"
        for file in FILES
        if (place := place_of(module_of(file))) in order
        for name in own_imports(file)
        if place_of(name) in order[order.index(place) + 1 :]
    }
    assert breaches == set()


def test_every_file_belongs_to_a_subject_or_a_front_end() -> None:
    places = {subject.path for subject in SUBJECTS} | {path.removesuffix(".py") for path in FRONT_ENDS} | {"core"}
    assert [file for file in FILES if place_of(module_of(file)) not in places] == []


def packages_allowed(file: str) -> set[str]:
    return {name for folder, names in PACKAGES.items() if within(file, folder, "/") for name in names.split()}


def foreign(file: str) -> set[str]:
    names = {name.split(".")[0] for name in imported(file)}
    return {name for name in names if name not in OWN and name not in sys.stdlib_module_names}


def test_packages_are_imported_only_where_the_table_allows() -> None:
    breaches = {f"{file} imports {name}" for file in FILES for name in foreign(file) - packages_allowed(file)}
    assert breaches == set()


def test_every_package_of_the_table_is_used_there() -> None:
    for folder, names in PACKAGES.items():
        used = {name for file in FILES if within(file, folder, "/") for name in foreign(file)}
        assert set(names.split()) - used == set(), folder


def test_the_architecture_document_shows_the_table() -> None:
    lines = (ROOT / "core" / "ARCHITECTURE.md").read_text(encoding="utf-8").splitlines()
    start = lines.index("| subject | uses | public to others |")
    shown = lines[start + 2 :]
    assert shown[: shown.index("")] == [subject.row for subject in SUBJECTS]
