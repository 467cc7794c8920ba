"""The scope of a question: documents and entities chosen next to the field or mentioned with @."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace

import streamlit as st

from core.platform.language.terms import terms
from core.runs.execution.mentions import mentioned
from core.runs.model import Run, RunOptions
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import label, markdown_of

MAX_DOCUMENTS = 300
"""Documents offered in the list; any other can be named with @."""
MAX_ENTITIES = 60
"""The same for entities."""
MAX_BASES = 4
MAX_CHIPS = 4
_DOCUMENT, _ENTITY, _BASE = "document", "entity", "base"
_ICONS = {_DOCUMENT: ":material/description:", _ENTITY: ":material/hub:", _BASE: ":material/library_books:"}
_One = tuple[str, str]
"""(kind, id) of a chosen document, entity or base."""


@dataclass(frozen=True, slots=True)
class ChatScope:
    """Documents, entities and bases to which a question is limited; an empty scope limits nothing."""

    base_id: str = ""
    """The knowledge base of the scope; it does not apply to another one."""
    documents: tuple[str, ...] = ()
    entities: tuple[str, ...] = ()
    bases: tuple[str, ...] = ()
    """Further bases that are searched too."""

    def __len__(self) -> int:
        return len(self.documents) + len(self.entities)

    def within(self, base_id: str) -> "ChatScope":
        return self if base_id == self.base_id else ChatScope(base_id)


Take = Callable[[ChatScope], None]
"""Stores a scope as the chosen one."""


def scoped(question: str, base_id: str, chosen: ChatScope) -> RunOptions:
    """The documents and entities that the question names with @, in place of those chosen before."""
    held = chosen.within(base_id)
    if "@" not in question:
        return RunOptions(documents=held.documents, entities=held.entities, bases=held.bases)
    named = services().graph.named_in(base_id, question, MAX_ENTITIES)
    entities = tuple(entity.id for entity in named if mentioned(question, entity.name))
    documents = tuple(id for id, name in _perhaps_named(base_id, question).items() if mentioned(question, name))
    return RunOptions(documents=documents or held.documents, entities=entities or held.entities, bases=held.bases)


def _perhaps_named(base_id: str, question: str) -> dict[str, str]:
    """Names of the documents that the picker lists, and of those that what follows an @ may begin with."""
    asked = [terms(words.replace("-", " ").replace("_", " ")) for words in question.split("@")[1:]]
    names = {" ".join(words[:stop]) for words in asked for stop in range(1, len(words) + 1)}
    stored = services().library.documents
    called = stored.some(base_id, stored.called(base_id, names))
    return _documents(base_id) | {document.id: document.name for document in called}


def standing(held: ChatScope) -> ChatScope:
    """The scope without what no longer exists, which is said; a merged entity is the one it became part of."""
    there = _names(held)
    kept = [one for one in _pairs(held) if one in there]
    became = [one for one in there if one[0] == _ENTITY and one not in kept]
    bases = tuple(id for id in held.bases if (_BASE, id) in there)
    left = replace(_within(held, kept + became), bases=bases)
    if len(left) + len(left.bases) < len(held) + len(held.bases):
        st.toast(t("chat.scope.gone"), icon=":material/info:")
    return left


def scope_of(run: Run) -> ChatScope:
    """What the run was limited to, by a choice or a name with @."""
    return scope_within(run.base_id, run.options)


def scope_within(base_id: str, options: RunOptions) -> ChatScope:
    return ChatScope(base_id, options.documents, options.entities, options.bases)


def limited_to(scope: ChatScope, options: RunOptions) -> RunOptions:
    return replace(options, documents=scope.documents, entities=scope.entities, bases=scope.bases)


def unnamed(held: ChatScope, question: str) -> ChatScope:
    """The scope without what the question names with @."""
    named = scoped(question, held.base_id, ChatScope(held.base_id))
    documents = tuple(id for id in held.documents if id not in named.documents)
    return replace(held, documents=documents, entities=tuple(id for id in held.entities if id not in named.entities))


def scope_picker(held: ChatScope, take: Take, turn: int) -> None:
    """Draw the choice of documents, entities and further bases. turn: changes after a choice made elsewhere."""
    base_id = held.base_id
    with st.popover(_words(held), icon=":material/alternate_email:", help=t("chat.scope.help"), key="scope"):
        documents = _documents(base_id)
        names = {(_DOCUMENT, id): name for id, name in documents.items()}
        entities = services().graph.search(base_id, "", MAX_ENTITIES)
        names |= {(_ENTITY, entity.id): entity.name for entity in entities}
        names |= {one: name for one, name in _names(held).items() if one[0] != _BASE}
        key = f"scope-{base_id}-{turn}"
        st.multiselect(
            t("chat.scope.label"),
            list(names),
            default=[one for one in _pairs(held) if one in names],
            format_func=lambda one: _offered(one, names.get(one, one[1])),
            placeholder=t("chat.scope.hint"),
            key=key,
            on_change=lambda: take(_within(held, st.session_state[key])),
        )
        if len(documents) == MAX_DOCUMENTS:
            st.caption(t("chat.scope.cut", count=MAX_DOCUMENTS))
        st.caption(t("chat.scope.typed"))
        _other_bases(held, take, turn)


def _offered(one: _One, name: str) -> str:
    """Label of a choice in a list, which shows no icons."""
    shown = label(name, 60)
    return t("chat.scope.entity", name=shown) if one[0] == _ENTITY else shown


def scope_chips(held: ChatScope, take: Take) -> None:
    """Draw the parts of the scope as chips that a click removes."""
    names = _names(held)
    with st.container(horizontal=True, width="content", gap="xsmall", key="scope-chips"):
        for one, name in list(names.items())[:MAX_CHIPS]:
            st.button(
                f"{markdown_of(name, 30)} :material/close:",
                icon=_ICONS[one[0]],
                key=f"scope-drop-{one[1]}",
                help=t("chat.scope.drop", name=markdown_of(name, 60)),
                on_click=take,
                args=(_without(held, one),),
            )
        if len(names) > MAX_CHIPS:
            st.caption(f"+{len(names) - MAX_CHIPS}", width="content")


def _pairs(held: ChatScope) -> list[_One]:
    return [(_DOCUMENT, id) for id in held.documents] + [(_ENTITY, id) for id in held.entities]


def _within(held: ChatScope, picked: Sequence[_One]) -> ChatScope:
    documents, entities = (tuple(id for kind, id in picked if kind == wanted) for wanted in (_DOCUMENT, _ENTITY))
    return replace(held, documents=documents, entities=entities)


def _without(held: ChatScope, gone: _One) -> ChatScope:
    within = _within(held, [one for one in _pairs(held) if one != gone])
    return replace(within, bases=tuple(id for id in held.bases if (_BASE, id) != gone))


def _names(held: ChatScope) -> dict[_One, str]:
    """Names of all chosen parts that still exist."""
    chosen = services().library.documents.some(held.base_id, held.documents) if held.documents else []
    documents = {document.id: document.name for document in chosen}
    names = {(_DOCUMENT, id): documents[id] for id in held.documents if id in documents}
    if held.entities:
        drawn = services().graph.view(held.base_id, held.entities, 0, len(held.entities)).entities
        names |= {(_ENTITY, entity.id): entity.name for entity in drawn}
    bases = {base.id: base.name for base in services().library.bases.all()} if held.bases else {}
    return names | {(_BASE, id): bases[id] for id in held.bases if id in bases}


def _words(held: ChatScope) -> str:
    if len(held):
        return t("chat.scope.some", count=len(held))
    return t("chat.scope.bases_count", count=len(held.bases)) if held.bases else t("chat.scope.all")


def _other_bases(held: ChatScope, take: Take, turn: int) -> None:
    """Draw the choice of further bases, if there are others."""
    others = {base.id: base.name for base in services().library.bases.all() if base.id != held.base_id}
    if not others:
        return
    key = f"scope-bases-{held.base_id}-{turn}"
    st.multiselect(
        t("chat.scope.bases"),
        list(others),
        default=[id for id in held.bases if id in others],
        format_func=lambda id: label(others[id], 60),
        max_selections=MAX_BASES,
        placeholder=t("chat.scope.bases_hint"),
        help=t("chat.scope.bases_help"),
        key=key,
        on_change=lambda: take(replace(held, bases=tuple(st.session_state[key]))),
    )


def _documents(base_id: str) -> dict[str, str]:
    return services().library.documents.ready_names(base_id, MAX_DOCUMENTS)
