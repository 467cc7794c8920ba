"""`python -m benchmarks.count_patterns [FOLDER...]`: patterns and word lists in the Python files below these folders.

Without one, those of the built-in engine, and their sum.

A pattern is what is given to `re.compile`, `pattern` or `any_of`, its alternatives are counted by their bars. A word
list is a collection of at least eight strings, or a text file of words, one a line; labelled examples are none.
"""

import ast
import re
import sys
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

ENGINE = ("rulebook", "platform/language", "memory", "agents/nodes", "documents/extraction")
"""Folders of core that understand text without a model; before the rebuild, without the first."""
LISTED = 8
"""Strings that make a list of words."""
EXAMPLES = "examples"
"""The folder of labelled examples."""
_BAR = re.compile(r"(?<!\\)\|")
_COMPILERS = {"compile", "pattern", "any_of"}


def counted(folder: Path) -> Counter[str]:
    counts: Counter[str] = Counter()
    for path in sorted(folder.rglob("*.py")):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            counts.update(_of_pattern(node) or _of_list(node))
    for path in sorted([*folder.rglob("*.txt"), *folder.rglob("*.tsv")]):
        if EXAMPLES in path.parts:
            continue
        counts.update({"lists": 1, "words": len(path.read_text(encoding="utf-8").splitlines())})
    return counts


def _of_pattern(node: ast.AST) -> dict[str, int]:
    if not isinstance(node, ast.Call) or getattr(node.func, "attr", getattr(node.func, "id", "")) not in _COMPILERS:
        return {}
    texts = [text for argument in node.args for text in _strings(argument)]
    return {"patterns": 1, "alternatives": sum(len(_BAR.findall(text)) for text in texts) + len(node.args)}


def _of_list(node: ast.AST) -> dict[str, int]:
    if isinstance(node, ast.Dict):
        parts = [*filter(None, node.keys), *node.values]
    elif isinstance(node, ast.Set | ast.Tuple | ast.List):
        parts = list(node.elts)
    elif isinstance(node, ast.Call) and getattr(node.func, "attr", "") == "split":
        parts = [ast.Constant(word) for text in _strings(node.func) for word in text.split()]
    else:
        return {}
    words = [part for part in parts if isinstance(part, ast.Constant) and isinstance(part.value, str)]
    return {"lists": 1, "words": len(words)} if len(words) >= LISTED else {}


def _strings(node: ast.AST) -> Iterator[str]:
    for part in ast.walk(node):
        if isinstance(part, ast.Constant) and isinstance(part.value, str):
            yield part.value


def _say(name: str, counts: Counter[str]) -> None:
    sys.stdout.write(f"{name}: " + ", ".join(f"{counts[key]} {key}" for key in sorted(counts)) + "\n")


if __name__ == "__main__":
    folders = [Path(name) for name in sys.argv[1:]] or [Path("core", name) for name in ENGINE]
    total: Counter[str] = Counter()
    for folder in folders:
        total += counted(folder)
        _say(str(folder), counted(folder))
    _say("all", total)
