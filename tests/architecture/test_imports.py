"""Imports run one way: pages -> core, adapters behind ports, the domain alone."""

import ast
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SDKS = {
    "alembic", "chromadb", "dbos", "docvortex", "httpx", "jieba", "langchain", "langchain_core", "langchain_openai",
    "langextract", "onnxruntime", "openai", "pypdfium2", "pyvis", "sqlalchemy", "tantivy", "tavily", "tokenizers",
}  # fmt: skip
RULES: dict[str, set[str]] = {
    "core": {"streamlit", "pages", "app"},
    "core/nodes": SDKS | {"core.adapters", "core.bootstrap", "core.workflows"},
    "core/workflows": SDKS | {"core.adapters", "core.bootstrap"},
    "core/tools": SDKS | {"core.adapters", "core.bootstrap"},
    "core/kg": SDKS | {"core.adapters", "core.bootstrap", "langgraph"},
    "core/memory": SDKS | {"core.adapters", "core.bootstrap", "langgraph"},
    "core/retrieval": SDKS | {"core.adapters", "langgraph"},
    "core/extraction": SDKS | {"core.adapters", "core.bootstrap", "langgraph"},
    "core/ingest": SDKS | {"core.adapters", "langgraph"},
    "pages": SDKS | {"core.adapters"},
}


def imported(path: Path) -> Iterator[str]:
    """Every module a file names, inside functions too."""
    for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)


def within(name: str, layer: str) -> bool:
    return name == layer or name.startswith(f"{layer}.")


@pytest.mark.parametrize("folder", sorted(RULES))
def test_layer_does_not_reach_outwards(folder: str) -> None:
    breaches = [
        f"{path.relative_to(ROOT)} imports {name}"
        for path in sorted((ROOT / folder).rglob("*.py"))
        for name in imported(path)
        if any(within(name, layer) for layer in RULES[folder])
    ]
    assert breaches == []


def test_domain_stands_on_the_standard_library_alone() -> None:
    allowed = set(sys.stdlib_module_names) | {"core"}
    outside = {
        f"{path.name} imports {name}"
        for path in (ROOT / "core" / "domain").glob("*.py")
        for name in imported(path)
        if name.split(".")[0] not in allowed or (within(name, "core") and not within(name, "core.domain"))
    }
    assert outside == set()


def test_only_the_composition_root_and_adapters_know_adapters() -> None:
    allowed = {"core/bootstrap.py"}
    breaches = {
        f"{relative} imports {name}"
        for path in (ROOT / "core").rglob("*.py")
        for name in imported(path)
        if within(name, "core.adapters")
        and (relative := path.relative_to(ROOT).as_posix()) not in allowed
        and not relative.startswith("core/adapters/")
    }
    assert breaches == set()
