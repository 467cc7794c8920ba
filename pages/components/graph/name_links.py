"""Names of entities in a text as links into the graph."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from urllib.parse import quote

from core.graph.model import Entity
from pages.components.graph.state import ENTITY
from pages.components.graph.types import counts_of, type_title
from pages.components.shell.language import t
from pages.components.shell.text import NO_HTML, Draw, Html, escaped, render

SHORTEST = 2
"""Minimum length of a name: a single character is too ambiguous."""
_LATIN = "A-Za-z0-9\u00c0-\u024f"


@dataclass(frozen=True, slots=True)
class NameLinks:
    """Entities by passage, whose names become links in the passage and its quotes."""

    by_chunk: tuple[tuple[str, tuple[Entity, ...]], ...] = ()

    def of_chunk(self, chunk_id: str) -> Draw:
        return links_to(dict(self.by_chunk).get(chunk_id, ()))

    def of_all(self) -> Draw:
        return links_to(entity for _, entities in self.by_chunk for entity in entities)


NO_NAMES = NameLinks()


def links_to(entities: Iterable[Entity]) -> Draw:
    """Function that draws a text with the entities' names as links; longer names win, then earlier entities.

    Case counts only for names in capitals alone ("IT", "US"), which are other words without them.
    """
    bearers: dict[str, Entity] = {}
    for entity in entities:
        for name in (" ".join(name.split()) for name in (entity.name, *entity.aliases)):
            if len(name) >= SHORTEST:
                bearers.setdefault(name if name.isupper() else _folded(name), entity)
    return (lambda text: _linked(text, bearers)) if bearers else escaped


def _linked(text: str, bearers: Mapping[str, Entity]) -> Html:
    source, words = _folded(text), " ".join(text.split())
    there = sorted((name for name in bearers if name in (words if name.isupper() else source)), key=len, reverse=True)
    if not there:
        return escaped(text)
    pieces: list[Html] = []
    end = 0
    for match in re.finditer("|".join(map(_pattern, there)), text, re.IGNORECASE):
        entity = bearers.get(" ".join(match.group().split())) or bearers[_folded(match.group())]
        pieces += [escaped(text[end : match.start()]), _link(entity, match.group())]
        end = match.end()
    return NO_HTML.join([*pieces, escaped(text[end:])])


def _folded(text: str) -> str:
    return " ".join(text.casefold().split())


def _pattern(name: str) -> str:
    """Pattern of a name as a whole word ("BERT" is not in "RoBERTa"); Chinese words have no such boundaries."""
    before = f"(?<![{_LATIN}])" if re.match(f"[{_LATIN}]", name) else ""
    after = f"(?![{_LATIN}])" if re.match(f"[{_LATIN}]", name[-1]) else ""
    words = r"\s+".join(map(re.escape, name.split()))
    return before + (f"(?-i:{words})" if name.isupper() else words) + after


def _link(entity: Entity, words: str) -> Html:
    """Link with a real address, so that it opens in a new tab; a plain click keeps the session."""
    title = f"{type_title(entity.type)} · {counts_of(entity)} · {t('chat.source.graph')}"
    address = f"graph?{ENTITY}={quote(entity.id, safe='')}"
    return render(
        "graph/graph.html", "name_link", address=address, event=ENTITY, value=entity.id, title=title, words=words
    )
