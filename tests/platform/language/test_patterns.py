"""Expressions that are compiled late find what compiled ones find, and none has a mistake."""

import re
from importlib import import_module
from pathlib import Path

import pytest

from core.platform.language.patterns import _Uncompiled, pattern

ROOT = Path(__file__).parents[3]
USERS = sorted(
    ".".join(path.relative_to(ROOT).with_suffix("").parts)
    for path in (ROOT / "core").rglob("*.py")
    if re.search(r"import .*\b(?:pattern|any_of)\b", path.read_text(encoding="utf-8"))
)


def test_it_finds_what_a_compiled_one_finds() -> None:
    late, compiled = pattern(r"(?P<word>ab+)", re.IGNORECASE), re.compile(r"(?P<word>ab+)", re.IGNORECASE)
    for _ in range(2):
        match = late.search("xABBy")
        assert match
        assert match.groupdict() == {"word": "ABB"}
    assert late.sub("-", "abab") == compiled.sub("-", "abab")
    assert (late.pattern, late.flags, late.groups) == (compiled.pattern, compiled.flags, compiled.groups)


def test_nothing_is_compiled_before_it_is_used() -> None:
    broken = pattern("(")
    with pytest.raises(re.error):
        broken.search("")


@pytest.mark.parametrize("module", USERS)
def test_none_has_a_mistake(module: str) -> None:
    held = list(vars(import_module(module)).values())
    held += [each for table in held if isinstance(table, dict) for each in table.values()]
    held += [each for row in held if isinstance(row, tuple | list) for each in row]
    for each in held:
        if isinstance(each, _Uncompiled):
            assert re.compile(each.pattern, each.flags)


def test_the_modules_that_use_them_are_found() -> None:
    assert "core.rulebook.understanding.questions" in USERS
