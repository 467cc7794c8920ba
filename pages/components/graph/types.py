"""Entities in words: colour and shape of each type, names with them, and names in a text as links into the graph."""

import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from urllib.parse import quote

import streamlit as st

from core.graph.model import ENTITY_TYPES, Entity
from pages.components.graph.state import ENTITY
from pages.components.shell.language import t
from pages.components.shell.text import NO_HTML, Draw, Html, escaped, label, markdown_of, render

OTHER = "OTHER"
SIGNS = {
    "TECHNOLOGY": ("blue", "●"),
    "CONCEPT": ("violet", "◆"),
    "PERSON": ("red", "▲"),
    "ORGANIZATION": ("yellow", "■"),
    "LOCATION": ("green", "▼"),
    "EVENT": ("orange", "◆"),
    "CREATIVE_WORK": ("gray", "■"),
    OTHER: ("gray", "●"),
}
SHORTEST = 2
"""Minimum length of a name: a single character is too ambiguous."""
_LATIN = "A-Za-z0-9\u00c0-\u024f"


def type_sign(type_name: str) -> str:
    """Markdown for a label."""
    color, sign = SIGNS.get(type_name, SIGNS[OTHER])
    return f":{color}[{sign}]"


def type_title(type_name: str) -> str:
    """The type's name in the interface language; plain text, untrusted when the type is not one of ours."""
    return t(f"graph.type.{type_name}") if type_name in ENTITY_TYPES else label(type_name) or t(f"graph.type.{OTHER}")


def entity_label(entity: Entity, detail: str = "") -> str:
    """Markdown for a button or a pill: sign, name and a quiet detail."""
    quiet = f" :small[:gray[{markdown_of(detail)}]]" if detail else ""
    return f"{type_sign(entity.type)} {markdown_of(entity.name, 60)}{quiet}"


def counts_of(entity: Entity) -> str:
    """Counts of mentions and documents in words."""
    if entity.mentions == 1:
        return t("graph.panel.counts_once")
    counts = "graph.panel.counts_one" if entity.documents == 1 else "graph.panel.counts"
    return t(counts, mentions=entity.mentions, documents=entity.documents)


def entity_chips(entities: Sequence[Entity], key: str, act: Callable[[str], None], counted: bool = False) -> None:
    """Draw names as buttons that call act with the id. counted: with the number of their mentions."""
    with st.container(horizontal=True, gap="xxsmall", key=f"graph-chips-{key}"):
        for entity in entities:
            words = entity_label(entity, str(entity.mentions) if counted else "")
            st.button(words, key=f"chip-{key}-{entity.id}", on_click=act, args=(entity.id,))


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
