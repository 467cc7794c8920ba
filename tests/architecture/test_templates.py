"""Templates escape every value, and Python calls their macros by the names and parameters that they have."""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

import pytest
from jinja2 import nodes

from pages.components.shell.templates import FOLDER, environment

ROOT = Path(__file__).parents[2]
DOOR = ROOT / "pages" / "components" / "shell" / "text.py"


@cache
def parsed() -> Mapping[str, nodes.Template]:
    """By the name of the template."""
    return {path.relative_to(FOLDER).as_posix(): environment().parse(path.read_text("utf-8")) for path in sources()}


FILTERS = {"t", "cut", "int", "round", "lower", "string", "length", "format"}
"""None of them makes HTML; others, as `safe`, `tojson` and `urlize`, do."""


def sources() -> list[Path]:
    return sorted(FOLDER.rglob("*.html"))


def macros() -> dict[tuple[str, str], nodes.Macro]:
    return {(name, macro.name): macro for name, each in parsed().items() for macro in each.find_all(nodes.Macro)}


@cache
def trees() -> Mapping[str, ast.Module]:
    """Of the pages, by file."""
    paths = [*(ROOT / "pages").rglob("*.py"), ROOT / "app.py"]
    return {path.relative_to(ROOT).as_posix(): ast.parse(path.read_text("utf-8")) for path in paths}


def rendered() -> Iterator[tuple[str, tuple[str, str], set[str]]]:
    """File, (template, macro) and the names of the values of each call of render()."""
    for file, tree in trees().items():
        for call in calls(tree, "render"):
            if isinstance(call.func, ast.Name):
                template, macro = (ast.literal_eval(part) for part in call.args)
                yield file, (template, macro), {str(keyword.arg) for keyword in call.keywords}


def calls(tree: ast.Module, *names: str) -> Iterator[ast.Call]:
    """Of functions and methods of these names."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and (getattr(node.func, "id", "") or getattr(node.func, "attr", "")) in names:
            yield node


def test_no_template_takes_a_value_for_html() -> None:
    for name, template in parsed().items():
        assert {it.name for it in template.find_all(nodes.Filter)} <= FILTERS, name
        assert [*template.find_all(nodes.ScopedEvalContextModifier)] == [], name


def test_values_in_attributes_are_quoted() -> None:
    assert [path.name for path in sources() if re.search(r"=\s*\{[{%]", path.read_text("utf-8"))] == []


def makes_html(tree: ast.Module) -> Iterator[str]:
    """Source of what declares a string to be HTML, or writes it: calls, references, imports and literals."""
    spared = {id(node.value) for node in ast.walk(tree) if isinstance(node, ast.Expr)}  # docstrings
    spared |= {id(given) for call in calls(tree, "isinstance", "compile") for given in call.args}
    for node in ast.walk(tree):
        match node:
            case ast.alias("markupsafe" | "Markup") | ast.alias("Html", str()):
                yield ast.unparse(node)
            case ast.Call(func, arguments):
                parts = [func, *arguments, *(keyword.value for keyword in node.keywords)]
                yield from (ast.unparse(node) for part in parts if _is_html(part) and id(part) not in spared)
            case ast.Attribute(value) if _is_html(value):
                yield ast.unparse(node)
            case ast.Constant(str(words)) if id(node) not in spared and re.match(r"\s*</?[a-z!]", words, re.IGNORECASE):
                yield words


def _is_html(node: ast.expr) -> bool:
    name = node.attr if isinstance(node, ast.Attribute) else getattr(node, "id", "")
    return name in {"Html", "Markup"}


def test_one_module_alone_makes_html() -> None:
    makers = {file: [*makes_html(tree)] for file, tree in trees().items()}
    assert makers.pop(DOOR.relative_to(ROOT).as_posix())
    assert {file: made for file, made in makers.items() if made} == {}


@pytest.mark.parametrize(
    "source",
    [
        "Html(words)",
        "text.Html(words)",
        "import markupsafe",
        "from markupsafe import Markup as Safe",
        "from pages.components.shell.text import Html as Safe",
        "lines = map(Html, words)",
        "html = Html.format",
        'html = f"<p>{words}</p>"',
        'html = "<i hidden></i>"',
        'html = words + "</div>"',
    ],
)
def test_every_way_of_making_html_is_seen(source: str) -> None:
    assert [*makes_html(ast.parse(source))]


def test_types_and_patterns_make_no_html() -> None:
    source = '"""Draws <p>."""\ndef f(words: Html) -> list[Html]: ...\nisinstance(words, Html)\nre.compile("<p>")'
    assert [*makes_html(ast.parse(source))] == []


def test_every_macro_is_called_with_its_parameters() -> None:
    known = macros()
    wrong = []
    for file, place, given in rendered():
        macro = known.get(place)
        names = [str(argument.name) for argument in macro.args] if macro else []
        needed = set(names[: len(names) - len(macro.defaults)]) if macro else set()
        if not macro or not needed <= given <= set(names):
            wrong.append((file, place, sorted(given ^ needed)))
    assert wrong == []


def test_every_macro_is_used() -> None:
    used = {place for _, place, _ in rendered()}
    for name, template in parsed().items():
        imported = {
            imported[0] if isinstance(imported, tuple) else imported: str(each.template.value)
            for each in template.find_all(nodes.FromImport)
            if isinstance(each.template, nodes.Const)
            for imported in each.names
        }
        called = {call.node.name for call in template.find_all(nodes.Call) if isinstance(call.node, nodes.Name)}
        assert set(imported) <= called, name
        used |= {(imported.get(macro, name), macro) for macro in called}
    assert set(macros()) - used == set()
