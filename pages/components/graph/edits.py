"""Records, undoes and redoes edits of the graph and reports the result."""

from collections.abc import Callable, Sequence
from itertools import pairwise

import streamlit as st

from core.graph.edits import EditKind, GraphEdit, LoggedEdit
from core.graph.model import Entity
from pages.components.graph.state import graph_state
from pages.components.graph.types import type_title
from pages.components.shell.boundary import succeeds
from pages.components.shell.identity import may_edit
from pages.components.shell.language import joined, t
from pages.components.shell.services import services
from pages.components.shell.text import label, markdown_of

_NOTICE = "graph-notice"
_NAMED = 3
"""Limit of names in a sentence."""


def record(base_id: str, make: Callable[[], Sequence[GraphEdit]]) -> bool:
    """Record the edits as one batch; a refusal is shown at the form."""
    return succeeds(lambda: _record(base_id, make()))


def _record(base_id: str, edits: Sequence[GraphEdit]) -> None:
    if edits:
        services().graph_edits.record(base_id, edits)
    notify(words_of(edits) if edits else t("graph.edit.nothing"))


def say_kept(into: Entity) -> None:
    """Say, before a merge, whose name and type are kept."""
    st.caption(t("graph.edit.kept", name=markdown_of(into.name, 40), type=markdown_of(type_title(into.type))))


def may_change(base_id: str) -> bool:
    """Whether the reader may edit this graph; a past graph is read-only."""
    return not graph_state().scope.until and may_edit(base_id)


def undo(base_id: str, edits: Sequence[LoggedEdit]) -> None:
    """Undo edits; those that somebody else has undone meanwhile are skipped."""
    services().graph_edits.set_undone(base_id, [each.number for each in edits], True)
    notify(t("graph.edit.undone", what=words_of([each.edit for each in edits])))


def redo(base_id: str, edits: Sequence[LoggedEdit]) -> None:
    services().graph_edits.set_undone(base_id, [each.number for each in edits], False)
    notify(t("graph.edit.redone", what=words_of([each.edit for each in edits])))


def show_notice() -> None:
    """Show the notice of the last action, once."""
    if words := st.session_state.pop(_NOTICE, ""):
        st.toast(markdown_of(words, 300), icon=":material/check:")


def words_of(edits: Sequence[GraphEdit]) -> str:
    """Sentence that describes the edits: untrusted plain text."""
    changes = {number: key for number, pair in enumerate(pairwise(edits), 1) if (key := _change(*pair))}
    told = [(edit, changes.get(number, edit.kind)) for number, edit in enumerate(edits) if number + 1 not in changes]
    first = _sentence(*told[0])
    return first if len(told) == 1 else t("graph.edit.several", first=first, count=len(told) - 1)


def _change(denied: GraphEdit, stated: GraphEdit) -> str:
    """How the second edit gives what the first removes in another form; empty if it does not."""
    if (denied.kind, stated.kind) != (EditKind.DENY, EditKind.STATE):
        return ""
    before, after = ([entity.id for entity in edit.entities] for edit in (denied, stated))
    return "reworded" if before == after else "reversed" if before == after[::-1] else ""


def notify(words: str) -> None:
    """Keep a notice for the next drawing of the page. words: plain text."""
    st.session_state[_NOTICE] = words


def _sentence(edit: GraphEdit, key: str) -> str:
    """key: the kind of the edit, or how it changes a relation."""
    names = [label(entity.name, 60) for entity in edit.entities]
    text = type_title(edit.text) if edit.kind is EditKind.RETYPE else label(edit.text)
    others = names[1:] if edit.kind in (EditKind.MERGE, EditKind.STATE, EditKind.DENY) else names
    listed = joined(others[:_NAMED]) + ("…" if len(others) > _NAMED else "")
    return t(f"graph.edit.log.{key}", name=names[0], names=listed, text=text)
