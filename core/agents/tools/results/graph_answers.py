"""Turns results of the graph tools, and what documents say of entities, into sentences with numbered passages."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from core.graph.model import Relation
from core.models.agent_ports import ToolUse
from core.platform.texts import known, text
from core.rulebook.messages import Question
from core.rulebook.quotes import citations_of, readable
from core.search.model import Citation, Passage

MAX_LISTED = 30
"""Limit of entities in a list."""
NEAREST = 6
"""Entities of a hop that a sentence names."""
_ENTITY = re.compile(r'^\[(?P<type>\w+)\] "?(?P<name>.+?)"?(?: \(confidence=[^()]*\))?$')
_LISTED = re.compile(r"^• (?P<name>.+?) \(confidence=[^()]*\)$")
_OF_ONE_TYPE = re.compile(r"^(?P<type>\w+) entities \((?P<count>\d+)?")
_START = re.compile(r"^Neighbors of '(?P<name>.+)' \[(?P<type>\w+)\] within")
_HOP = re.compile(r"^Hop (?P<hop>\d) — (?P<count>\d+) related")
_OVERVIEW = "=== "
_FIGURE = re.compile(r"^(?P<label>Nodes|Edges) \([a-z]+\): (?P<count>\d+)")
_OF_TYPE = re.compile(r"^  (?P<type>\S+) *: (?P<count>\d+)$")
_CENTRAL = re.compile(r"^  \[\w+\] (?P<name>.+) \(centrality=")


def knows(use: ToolUse) -> bool:
    """Whether the tool found something in the graph."""
    return bool(use.result) and not use.result.startswith(("No entity", "Error"))


def as_sentence(result: str) -> str:
    """A tool's result as one sentence, with entities as an answer names them."""
    lines = (_ENTITY.sub(r"\g<name> (\g<type>)", line.strip()) for line in result.splitlines())
    return f"{' '.join(' '.join(lines).split())}."


def from_tools(
    question: str, language: str, names: Sequence[str], used: Sequence[ToolUse], connections: Sequence[str] = ()
) -> Iterator[str]:
    """Yields the answer in pieces.

    names: entities in the question; connections: findings about them or about the graph's groups, a sentence each.
    """
    last = next((use for use in reversed(used) if knows(use)), None)
    if last is None:
        yield text("answer.graph.unknown", language, topic=_asked(question, names, used))
    elif last.result.startswith(_OVERVIEW):
        yield "\n\n".join([_overview(last.result, language), *connections])
    elif _START.match(last.result):
        yield from _around(last.result, language, names, connections)
    else:
        yield from _entities(last.result, language)


def _asked(question: str, names: Sequence[str], used: Sequence[ToolUse]) -> str:
    given = json.loads(used[-1].arguments) if used else {}
    return next((str(value) for value in given.values()), "") or Question(question).topic(names)


def _overview(result: str, language: str) -> str:
    lines = result.splitlines()
    figures = {found["label"]: found["count"] for line in lines if (found := _FIGURE.match(line))}
    types = [(found["type"], int(found["count"])) for line in lines if (found := _OF_TYPE.match(line))]
    central = [found["name"] for line in lines if (found := _CENTRAL.match(line))]
    kinds = [
        text("answer.graph.of_type", language, type=counted_kind_word(type, language, count), count=count)
        for type, count in types
    ]
    entities = text("documents.count.entities", language, count=figures["Nodes"])
    said = [
        text("answer.graph.overview", language, entities=entities, count=figures["Edges"]),
        text("answer.graph.kinds", language, kinds=listed(kinds, language)) if kinds else "",
        text("answer.graph.central", language, names=listed(central, language)) if central else "",
    ]
    return (" " if language == "en" else "").join(filter(None, said))


def kind_word(type: str, language: str) -> str:
    """What entities of a type are called; a type of the user's own is called what it is."""
    key = f"answer.graph.kind.{type}"
    return text(key, language) if known(key) else type


def counted_kind_word(type: str, language: str, count: int) -> str:
    """What so many entities of a type are called."""
    if count != 1:
        return kind_word(type, language)
    key = f"graph.type.{type}"
    return text(key, language).lower() if known(key) else type


def _around(result: str, language: str, names: Sequence[str], connections: Sequence[str]) -> Iterator[str]:
    lines = result.splitlines()
    start = _START.match(lines[0])
    name = start["name"] if start else ""
    if len(names) > 1 and connections:
        yield "\n\n".join(connections)
        return
    hops = _hops(lines)
    if not hops:
        yield text("answer.graph.alone", language, name=name)
        return
    yield _nearest(name, hops[1], _counted(lines), language)
    for hop, shown in hops.items():
        if hop > 1 and shown:
            names_of_hop = listed([other for other, _ in shown[:NEAREST]], language)
            yield "\n\n" + text("answer.graph.farther", language, names=names_of_hop)
    for sentence in connections:
        yield f"\n\n{sentence}"


def _nearest(name: str, shown: Sequence[tuple[str, str]], count: int, language: str) -> str:
    near = [other for other, _ in shown[:NEAREST]]
    if count > len(near):
        others = count - len(near)
        return text("answer.graph.nearest_of", language, name=name, names=listed(near, language), count=others)
    return text("answer.graph.nearest", language, name=name, names=listed(near, language))


def _counted(lines: Sequence[str]) -> int:
    """How many entities are one hop away, shown or not."""
    first = next((found for line in lines if (found := _HOP.match(line))), None)
    return int(first["count"]) if first else 0


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


def _entities(result: str, language: str) -> Iterator[str]:
    lines = result.splitlines()
    of_type = _OF_ONE_TYPE.match(lines[0])
    found = [
        match["name"] for line in lines[1:] if (match := _ENTITY.match(line.strip()) or _LISTED.match(line.strip()))
    ]
    shown = found[:MAX_LISTED]
    if of_type:
        total = max(int(of_type["count"] or 0), len(found))
        kind = kind_word(of_type["type"], language)
        key = "answer.graph.all_of_type" if total == len(shown) else "answer.graph.some_of_type"
        yield text(key, language, kind=kind, count=total, shown=len(shown)) + "\n"
    else:
        yield text("answer.graph.found", language) + "\n"
    for name in shown:
        yield f"\n- {name}"


def listed(names: Sequence[str], language: str) -> str:
    """Return "A, B and C"; empty without names."""
    if len(names) < 2:
        return "".join(names)
    first = text("answer.graph.comma", language).join(names[:-1])
    return text("answer.graph.and", language, first=first, last=names[-1])


def statement(relation: Relation, names: Mapping[str, str], language: str) -> str:
    """Who states what. names: of the ends, by id."""
    source, target = readable(names[relation.source_id]), readable(names[relation.target_id])
    key = "answer.graph.by_hand" if relation.by_hand else "answer.graph.stated"
    return text(key, language, source=source, relation=readable(relation.relation), target=target)


@dataclass
class Numbered:
    passages: list[Passage] = field(default_factory=list)

    def mark(self, passage: Passage) -> str:
        ids = [known.chunk.id for known in self.passages]
        if passage.chunk.id not in ids:
            self.passages.append(passage)
            return f"[{len(self.passages)}]"
        return f"[{ids.index(passage.chunk.id) + 1}]"

    def quoted(self, words: str, passage: Passage) -> str:
        return f"“{readable(words)}” {self.mark(passage)}"

    def citations(self, answer: str) -> tuple[Citation, ...]:
        return citations_of(answer, self.passages)


def bulleted(lines: Sequence[str]) -> str:
    return "\n".join(f"- {line}" for line in lines)
