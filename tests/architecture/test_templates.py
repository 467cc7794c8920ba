"""Templates escape every value, and Python calls their macros by the names and parameters that they have."""

import ast
import re
from collections.abc import Iterator, Mapping
from functools import cache
from pathlib import Path

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


def calls() -> Iterator[tuple[str, ast.Call]]:
    """Of functions by a plain name, in the pages, with the file."""
    for path in (ROOT / "pages").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name):
                yield path.relative_to(ROOT).as_posix(), node


def rendered() -> Iterator[tuple[str, tuple[str, str], set[str]]]:
    """File, (template, macro) and the names of the values of each call of render()."""
    for file, call in calls():
        if isinstance(call.func, ast.Name) and call.func.id == "render":
            template, macro = (ast.literal_eval(part) for part in call.args)
            yield file, (template, macro), {str(keyword.arg) for keyword in call.keywords}


def test_no_template_takes_a_value_for_html() -> None:
    for name, template in parsed().items():
        assert {it.name for it in template.find_all(nodes.Filter)} <= FILTERS, name
        assert [*template.find_all(nodes.ScopedEvalContextModifier)] == [], name


def test_values_in_attributes_are_quoted() -> None:
    assert [path.name for path in sources() if re.search(r"=\s*\{[{%]", path.read_text("utf-8"))] == []


def test_one_module_alone_declares_a_string_to_be_html() -> None:
    makers = {file for file, call in calls() if isinstance(call.func, ast.Name) and call.func.id in {"Html", "Markup"}}
    assert makers == {DOOR.relative_to(ROOT).as_posix()}


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
