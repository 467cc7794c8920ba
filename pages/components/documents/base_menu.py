"""Menu for creating, renaming, sharing and deleting knowledge bases."""

from collections.abc import Callable

import streamlit as st

from core.documents.lifecycle.trash import DAYS
from core.documents.model import KnowledgeBase
from core.graph.naming import classes_text, entity_classes
from core.platform.errors import InputError
from core.platform.identity import Role, group_subject
from pages.components.documents.bases import CURRENT, use_base
from pages.components.documents.facts import counted_in_words
from pages.components.documents.notices import attempt, notify, performed
from pages.components.shell.boundary import succeeds
from pages.components.shell.identity import role_in
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.sign_in import sign_in_configured
from pages.components.shell.text import label, markdown_of
from pages.components.shell.widgets import decided, dialog

MAX_NAME = 80
MAX_WHOM = 120
_NAME, _CLASSES = "base-name", "base-classes"


def base_menu(current: KnowledgeBase) -> None:
    chosen = st.menu_button(
        t("documents.base.menu"),
        _offered(role_in(current.id)),
        format_func=lambda name: t(f"documents.base.{name}"),
        icon=":material/folder_managed:",
        key="base-menu",
    )
    if chosen:
        ask(chosen, None if chosen == "create" else current)


def ask(what: str, base: KnowledgeBase | None) -> None:
    """Open the dialog that creates a base, or renames, shares or deletes this one, or takes its entity classes."""
    titles = {"share": t("people.share.title", name=markdown_of(base.name, 60))} if base else {}
    titles["delete"] = t("documents.base.delete_title")
    dialog(titles.get(what, t(f"documents.base.{what}")))(_DIALOGS[what])(base)


def _offered(role: Role) -> tuple[str, ...]:
    """Entries of the menu; readers may only see with whom the base is shared."""
    change = ("rename", "classes") if role.includes(Role.EDITOR) else ()
    share = ("share",) if sign_in_configured() else ()
    return ("create", *change, *share, *(("delete",) if role is Role.OWNER else ()))


def _name_form(base: KnowledgeBase | None) -> None:
    """The form for the name of a new knowledge base, or a new name for this one."""
    kind = "rename" if base else "create"
    with st.form("base-name-form", border=False):  # Enter sends it
        old = base.name if base else ""
        name = st.text_input(t("documents.base.name"), old, max_chars=MAX_NAME, key=_NAME)
        words = t(f"documents.base.{kind}_do")
        sent = st.form_submit_button(words, type="primary", key="base-name-do")
    if sent and succeeds(lambda: _give_name(base, name or "")):  # a refusal below the field, which keeps the name
        st.rerun()


def _classes_form(base: KnowledgeBase) -> None:
    """The entity classes that a model is asked for."""
    st.caption(t("documents.base.classes_explain"))
    old = classes_text(base.entity_types)
    words = t("documents.base.classes_label")
    st.text_area(words, old, height=180, max_chars=1_000, key=_CLASSES, on_change="ignore")
    with st.container(horizontal=True):
        words = t("documents.base.classes_do")
        if st.button(words, type="primary", key="classes-do", on_click=_keep_classes, args=(base, None)):
            st.rerun()
        standard = t("documents.base.classes_standard")
        if base.entity_types and st.button(
            standard, type="tertiary", key="classes-standard", on_click=_keep_classes, args=(base, "")
        ):
            st.rerun()


def _keep_classes(base: KnowledgeBase, text: str | None) -> None:
    """Save the classes; None takes the text from the field."""
    typed = str(st.session_state[_CLASSES]) if text is None else text
    attempt(lambda: services().library.bases.set_entity_types(base.id, entity_classes(typed)))


def _deletion(base: KnowledgeBase) -> None:
    """What will be deleted and how long it can be restored."""
    documents = sum(services().library.documents.counts(base.id).values())
    entities = services().graph.stats(base.id).entities
    counts = {
        "documents": counted_in_words("documents", documents),
        "entities": counted_in_words("entities", entities),
    }
    st.markdown(t("documents.base.delete_what", name=markdown_of(label(base.name)), **counts))
    st.caption(t("documents.delete.undo", days=DAYS))
    if decided(t("documents.base.delete_do"), t("documents.delete.keep"), "base-delete"):
        _delete(base)
        st.rerun()


def _give_name(base: KnowledgeBase | None, name: str) -> None:
    """Rename the base, or create one."""
    bases = services().library.bases
    if base:
        bases.rename(base.id, name)
    else:
        use_base(bases.create(name).id)


def _delete(base: KnowledgeBase) -> None:
    st.session_state.pop(CURRENT, None)
    if performed(lambda: services().lifecycle.base_removal.remove(base.id)):
        notify("deleted", t("documents.delete.done", name=label(base.name)), deleted_base=base.id)


def _shares(base: KnowledgeBase) -> None:
    """With whom the base is shared; its owner changes that."""
    shares = services().storage.access.shares
    is_owner = shares.role(base.id) is Role.OWNER
    listed = shares.of_base(base.id)
    if not listed:
        st.caption(t("people.share.nobody"))
    for share in listed:
        with st.container(horizontal=True, vertical_alignment="center", key=f"share-{share.subject}"):
            st.markdown(f"**{markdown_of(share.name, 60)}** · {t(f'people.role.{share.role}')}")
            words = t("people.share.withdraw")
            if is_owner and st.button(words, key=f"withdraw-{share.subject}", type="tertiary"):
                shares.withdraw(base.id, share.subject)
                st.rerun(scope="fragment")
    if is_owner:
        _share_form(base)
    else:
        st.caption(t("people.not_owner"))


def _share_form(base: KnowledgeBase) -> None:
    with st.form("share-add", border=False, clear_on_submit=True):
        whom = st.text_input(t("people.share.whom"), max_chars=MAX_WHOM, key="share-whom")
        role = st.radio(
            t("people.share.role"), list(Role), format_func=lambda each: t(f"people.role.{each}"), key="share-role"
        )
        wants_share = st.form_submit_button(t("people.share.do"), type="primary", key="share-do")
    share = services().storage.access.shares.share
    if wants_share and succeeds(lambda: share(base.id, _subject(whom), role or Role.READER)):
        st.rerun(scope="fragment")


def _subject(whom: str) -> str:
    """Subject of a share: a person by address, or else a group by name. Raises InputError."""
    wanted = whom.strip()
    if "@" not in wanted:
        return group_subject(wanted)
    person = services().storage.access.people.called(wanted)
    if person is None:
        raise InputError("people.subject")
    return person.id


_DIALOGS: dict[str, Callable[..., None]] = {
    "create": _name_form,
    "rename": _name_form,
    "classes": _classes_form,
    "share": _shares,
    "delete": _deletion,
}
