"""The scope of a question: documents and entities chosen beside the field or mentioned with @."""

from collections.abc import Sequence
from dataclasses import dataclass

import streamlit as st

from core.graph.model import Entity
from core.runs.execution.mentions import mentioned
from core.runs.model import RunOptions
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import label

MAX_DOCUMENTS = 300
MAX_ENTITIES = 60
"""Offered in the list; every entity can be named with @."""
MAX_BASES = 4
_DOCUMENT, _ENTITY = "document", "entity"


@dataclass(frozen=True, slots=True)
class ChatScope:
    """Empty limits nothing."""

    base_id: str = ""
    """Another knowledge base has other documents: there the scope does not hold."""
    documents: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    """Others that are searched too."""

    def __len__(self) -> int:
        return len(self.documents) + len(self.entities)

    def within(self, base_id: str) -> "ChatScope":
        return self if base_id == self.base_id else ChatScope(base_id)


def scoped(question: str, base_id: str, chosen: ChatScope) -> RunOptions:
    """What was chosen, and what the question names with @."""
    held = chosen.within(base_id)
    documents, entities = list(held.documents), list(held.entities)
    if "@" in question:
        named = services().graph.named_in(base_id, question, MAX_ENTITIES)
        entities += [entity.id for entity in named if mentioned(question, entity.name)]
        documents += [id for id, name in _documents(base_id).items() if mentioned(question, name)]
    return RunOptions(
        documents=tuple(dict.fromkeys(documents)), entities=tuple(dict.fromkeys(entities)), bases=held.bases
    )


def scope_picker(base_id: str, chosen: ChatScope) -> ChatScope:
    """Draws the choice; returns it as it is now."""
    held = chosen.within(base_id)
    with st.popover(_words(held), icon=":material/alternate_email:", help=t("chat.scope.help"), key="scope"):
        names = {(_DOCUMENT, id): name for id, name in _documents(base_id).items()}
        entities = services().graph.search(base_id, "", MAX_ENTITIES)
        names |= {(_ENTITY, entity.id): entity.name for entity in entities}
        names |= {(_ENTITY, entity.id): entity.name for entity in _held(base_id, held.entities)}
        default = [(_DOCUMENT, id) for id in held.documents] + [(_ENTITY, id) for id in held.entities]
        picked = st.multiselect(
            t("chat.scope.label"),
            list(names),
            default=[one for one in default if one in names],
            format_func=lambda one: f"{_icon(one[0])} {label(names.get(one, one[1]), 60)}",
            placeholder=t("chat.scope.hint"),
            key=f"scope-{base_id}",
        )
        st.caption(t("chat.scope.typed"))
        bases = _other_bases(base_id, held)
    return ChatScope(
        base_id,
        tuple(id for kind, id in picked if kind == _DOCUMENT),
        tuple(id for kind, id in picked if kind == _ENTITY),
        bases,
    )


def _held(base_id: str, entity_ids: tuple[str, ...]) -> Sequence[Entity]:
    """Those that were chosen elsewhere, such as a community of the graph."""
    return services().graph.view(base_id, entity_ids, 0, len(entity_ids)).entities if entity_ids else ()


def _words(held: ChatScope) -> str:
    if len(held):
        return t("chat.scope.some", count=len(held))
    return t("chat.scope.bases_count", count=len(held.bases)) if held.bases else t("chat.scope.all")


def _other_bases(base_id: str, held: ChatScope) -> tuple[str, ...]:
    """Draws the choice of bases that are searched too, where there are others."""
    others = {base.id: base.name for base in services().library.bases.all() if base.id != base_id}
    if not others:
        return ()
    picked = st.multiselect(
        t("chat.scope.bases"),
        list(others),
        default=[id for id in held.bases if id in others],
        format_func=lambda id: label(others[id], 60),
        max_selections=MAX_BASES,
        placeholder=t("chat.scope.bases_hint"),
        help=t("chat.scope.bases_help"),
        key=f"scope-bases-{base_id}",
    )
    return tuple(picked)


def _documents(base_id: str) -> dict[str, str]:
    return services().library.documents.ready_names(base_id, MAX_DOCUMENTS)


def _icon(kind: str) -> str:
    return ":material/description:" if kind == _DOCUMENT else ":material/hub:"
