"""Traditional characters as simplified ones."""

from core.rulebook.relations.traditional import simplify


def test_simplifying_keeps_the_length() -> None:
    text = "臺灣大學與乾隆皇帝，𠀀 and ABC"
    assert len(simplify(text)) == len(text)
    assert simplify(text).startswith("台湾大学与乾隆")
