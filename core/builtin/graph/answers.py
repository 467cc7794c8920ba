"""Turns results of the graph tools into an answer: entities with types, hop by hop, and connections."""

import json
import re
from collections.abc import Iterator, Sequence

from core.builtin.graph.cues import topic
from core.domain.tool_use import ToolUse
from core.texts import text

MAX_LISTED = 30
"""Limit of entities named in an answer."""
_ENTITY = re.compile(r'^\[(?P<type>\w+)\] "?(?P<name>.+?)"?(?: \(confidence=[^()]*\))?$')
_LISTED = re.compile(r"^• (?P<name>.+?) \(confidence=[^()]*\)$")
_TYPE = re.compile(r"^(?P<type>\w+) entities \(")
_START = re.compile(r"^Neighbors of '(?P<name>.+)' \[(?P<type>\w+)\] within")
_HOP = re.compile(r"^Hop (?P<hop>\d) — (?P<count>\d+) related")
_OVERVIEW = "=== "
_LABELS = {
    "Nodes (entities)": "nodes",
    "Edges (relations)": "edges",
    "Relation type": "relations",
    "Graph density": "density",
    "Entity type distribution": "types",
    "Top-5 most connected entities (by degree centrality)": "centre",
}
_PADDING = re.compile(r"\s+(?=:)|centrality=")


def knows(use: ToolUse) -> bool:
    """Whether the tool found something in the graph."""
    return bool(use.result) and not use.result.startswith(("No entity", "Error"))


def as_sentence(result: str) -> str:
    """A tool's result as one sentence, with entities as an answer names them."""
    lines = (_ENTITY.sub(r"\g<name> (\g<type>)", line.strip()) for line in result.splitlines())
    return f"{' '.join(' '.join(lines).split())}."


def from_tools(question: str, language: str, names: Sequence[str], used: Sequence[ToolUse]) -> Iterator[str]:
    """Yields the answer in pieces; names: entities in the question."""
    last = next((use for use in reversed(used) if knows(use)), None)
    if last is None:
        yield text("answer.graph.unknown", language, topic=_asked(question, names, used))
    elif last.result.startswith(_OVERVIEW):
        yield text("answer.graph.overview", language) + "\n"
        yield from _overview(last.result, language)
    elif _START.match(last.result):
        yield from _around(last.result, language, names)
    else:
        yield text("answer.graph.found", language) + "\n"
        yield from _entities(last.result)


def _asked(question: str, names: Sequence[str], used: Sequence[ToolUse]) -> str:
    given = json.loads(used[-1].arguments) if used else {}
    return next((str(value) for value in given.values()), "") or topic(question, names)


def _overview(result: str, language: str) -> Iterator[str]:
    for line in filter(None, result.splitlines()[1:]):
        label, _, value = line.partition(":")
        if label in _LABELS:
            yield f"\n- {text(f'answer.graph.label.{_LABELS[label]}', language)}: {value.strip()}".rstrip()
        else:
            yield f"\n  - {_PADDING.sub('', line.strip())}"


def _around(result: str, language: str, names: Sequence[str]) -> Iterator[str]:
    lines = result.splitlines()
    start = _START.match(lines[0])
    name, type = (start["name"], start["type"]) if start else ("", "")
    hops = _hops(lines)
    for other in (other for other in names if other != name):
        hop = next((hop for hop, shown in hops.items() if any(it == other for it, _ in shown)), 0)
        key = "answer.graph.joined" if hop else "answer.graph.apart"
        yield text(key, language, one=name, other=other, hop=hop) + "\n\n"
    if not hops:
        yield text("answer.graph.alone", language, name=name, type=type)
        return
    yield text("answer.graph.neighbours", language, name=name, type=type) + "\n"
    for hop, shown in hops.items():
        if len(hops) > 1:
            yield "\n" + text("answer.graph.hop", language, hop=hop) + "\n"
        for other, other_type in shown:
            yield f"\n- {other} ({other_type})"
        yield "\n"


def _hops(lines: Sequence[str]) -> dict[int, list[tuple[str, str]]]:
    """Entities shown per hop, with types."""
    found: dict[int, list[tuple[str, str]]] = {}
    hop = 0
    for line in lines[1:]:
        if match := _HOP.match(line):
            hop = int(match["hop"])
            found[hop] = []
        elif hop and (match := _ENTITY.match(line.strip())):
            found[hop].append((match["name"], match["type"]))
    return found


def _entities(result: str) -> Iterator[str]:
    lines = result.splitlines()
    of_type = _TYPE.match(lines[0])
    for line in lines[1 : 1 + MAX_LISTED]:
        if match := _ENTITY.match(line.strip()):
            yield f"\n- {match['name']} ({match['type']})"
        elif (match := _LISTED.match(line.strip())) and of_type:
            yield f"\n- {match['name']} ({of_type['type']})"
