"""The documents name files, modules, commands and dependencies that exist."""

import re
import tomllib
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
EXTRAS = PROJECT["optional-dependencies"]
REQUIREMENTS = (*PROJECT["dependencies"], *EXTRAS["api"], *EXTRAS["people"], *EXTRAS["shared"])
DECISIONS = sorted((ROOT / "docs/decisions").glob("[0-9]*.md"), reverse=True)
STATUS = re.compile(r"(\d{4}-\d\d-\d\d) · (in force|superseded by \[)")
IN_FORCE = [f"docs/decisions/{file.name}" for file in DECISIONS if " · in force" in file.read_text(encoding="utf-8")]
"""A superseded decision may name what is gone."""
DOCUMENTS = (
    "README.md",
    "CONTRIBUTING.md",
    "core/ARCHITECTURE.md",
    "deploy/README.md",
    "benchmarks/README.md",
    "docs/dependencies.md",
    "docs/plugins.md",
    "docs/threats.md",
    "docs/decisions/README.md",
    *IN_FORCE,
)
PATH = re.compile(r"(?<![\w./-])((?:core|pages|tests|assets|benchmarks|docs)/[\w./-]*\w|app\.py)(?![\w<{])")
MODULE = re.compile(r"(?<![\w./-])((?:core|pages|tests|benchmarks)(?:\.[a-z_][a-z0-9_]*)+)(?![\w(<])")
LINK = re.compile(r"\]\((?!https?:)([^)#\s]+)")
TARGET = re.compile(r"`make (\w+)`|^make (\w+)$", re.MULTILINE)


def read(document: str) -> str:
    return (ROOT / document).read_text(encoding="utf-8")


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_path_it_names_exists(document: str) -> None:
    assert [path for path in PATH.findall(read(document)) if not (ROOT / path).exists()] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_module_it_names_exists(document: str) -> None:
    assert [module for module in MODULE.findall(read(document)) if not is_module(module)] == []


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_file_it_links_to_exists(document: str) -> None:
    folder = (ROOT / document).parent
    assert [target for target in LINK.findall(read(document)) if not (folder / target).exists()] == []


def is_module(dotted: str) -> bool:
    """A module, a package, or a name that a module defines."""
    path = ROOT.joinpath(*dotted.split("."))
    if path.is_dir() or path.with_suffix(".py").is_file():
        return True
    source = path.parent.with_suffix(".py")
    return (
        source.is_file()
        and re.search(rf"^(def|class) {path.name}\b|^{path.name}\b", source.read_text(), re.M) is not None
    )


@pytest.mark.parametrize("document", DOCUMENTS)
def test_every_make_target_it_names_exists(document: str) -> None:
    targets = set(re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE))
    named = {one or other for one, other in TARGET.findall(read(document))}
    assert named - targets == set()


@pytest.mark.parametrize("decision", DECISIONS, ids=lambda file: file.stem)
def test_every_decision_has_its_date_and_status(decision: Path) -> None:
    title, _, status = decision.read_text(encoding="utf-8").splitlines()[:3]
    found = STATUS.match(status)
    assert title.startswith("# ")
    assert found
    assert decision.name.startswith(f"{found[1]}-")


def test_the_index_lists_every_decision_newest_first() -> None:
    listed = re.findall(r"^- (\S+) \[(.+)\]\((.+)\)$", read("docs/decisions/README.md"), re.MULTILINE)
    titles = {file.name: file.read_text(encoding="utf-8").splitlines()[0] for file in DECISIONS}
    assert {name: f"# {title}" for _, title, name in listed} == titles
    assert all(name.startswith(f"{date}-") for date, _, name in listed)
    assert [date for date, _, _ in listed] == [file.name[:10] for file in DECISIONS]


def test_every_dependency_has_a_row_with_its_reason() -> None:
    rows = read("docs/dependencies.md").split("| package | why it and not another |\n|---|---|\n")[1].split("\n\n")[0]
    explained = {name for row in rows.splitlines() for name in row.split("|")[1].strip().split(", ")}
    declared = {re.split(r"[\[<>=]", requirement)[0] for requirement in REQUIREMENTS}
    assert explained == declared


def test_pre_commit_runs_what_make_check_runs() -> None:
    recipe = read("Makefile").partition("\ncheck:")[2].partition("\n\n")[0]
    commands = [line.strip().replace("$(BIN)", ".venv/bin") for line in recipe.splitlines()[1:]]
    assert re.findall(r"entry: (.*)", read(".pre-commit-config.yaml")) == commands


def test_what_make_test_leaves_out_is_run_by_ci_and_counted_by_make_coverage() -> None:
    makefile, ci = read("Makefile"), read(".ci/run").splitlines()
    runs = {name: makefile.partition(f"\n{name}:")[2].partition("\n\n")[0] for name in ("test-slow", "coverage")}
    assert ci.index("make test-slow") == ci.index("make test") + 1
    assert runs["test-slow"].endswith("-m slow")
    assert "-m ''" in runs["coverage"]


def test_the_changelog_has_this_version_with_its_date() -> None:
    titles = re.findall(r"^## (.*)", read("CHANGELOG.md"), re.MULTILINE)
    assert titles[0] == "Unreleased"
    assert re.fullmatch(rf"{re.escape(PROJECT['version'])} \(\d{{4}}-\d\d-\d\d\)", titles[1])
