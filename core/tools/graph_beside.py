"""The entities of a type that are mentioned together with a named one, those in the most passages first."""

from __future__ import annotations

from core.builtin.graph.answers import kind_word, one_kind_word
from core.builtin.graph.numbered import Numbered, bulleted
from core.builtin.quoting.quotable_spans import readable
from core.domain.knowledge import Entity
from core.state import Deps
from core.texts import text
from core.tools.graph_list import COUNTED, SHOWN, WEIGHED, Listed

READ = 1_000
"""Neighbours among which those of the type are looked for, the strongest first."""


def graph_beside(deps: Deps, one: Entity, type: str, language: str, numbered: Numbered) -> Listed | None:
    """None where no passage mentions it together with one of the type."""
    near = [each.entity for each in deps.graph.neighbours(one.id, 1, READ) if each.entity.type == type]
    shared = {each: deps.graph.shared_chunks(one.id, each.id, COUNTED) for each in near[:WEIGHED]}
    shown = sorted((each for each in shared if shared[each]), key=lambda each: -len(shared[each]))[:SHOWN]
    if not shown:
        return None
    key = "one" if len(near) == 1 else "all" if len(near) == len(shown) else "some"
    kind = one_kind_word(type, language) if len(near) == 1 else kind_word(type, language)
    name = readable(one.name)
    said = text(f"answer.graph.beside_{key}", language, name=name, kind=kind, count=len(near), shown=len(shown))
    lines = bulleted([_told(deps, each, shared[each], language, numbered) for each in shown])
    answer = f"{said}\n\n{lines}\n\n{text('answer.graph.beside_found', language)}"
    return Listed(answer, tuple(shown))


def _told(deps: Deps, entity: Entity, chunk_ids: list[str], language: str, numbered: Numbered) -> str:
    key = f"answer.graph.listed_passages_{'one' if len(chunk_ids) == 1 else 'many'}"
    said = text(key, language, name=readable(entity.name), count=len(chunk_ids))
    return " ".join([said, *map(numbered.mark, deps.passages.get(chunk_ids[:1]))])
