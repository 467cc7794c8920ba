"""Parts of the Memory page: proposals, pairs, filters, undo, paged list, export and import, empty state."""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from functools import partial

import streamlit as st

from core.documents.model import KnowledgeBase
from core.memory.contradictions import contradicts
from core.memory.files import as_csv, as_json, read_memories
from core.memory.keeping import contrary_to, nearest, quoted, stored
from core.memory.model import Memory, MemoryKind, MemoryStatus
from core.memory.ports import MemoryStore
from core.memory.relevance import found_by_words, listed
from core.platform.clock import utc_now
from core.platform.errors import ServiceError
from pages.components.memory.card import add_form, forget_button, memory_card
from pages.components.memory.state import accept, reject, supersede, undo, undoable
from pages.components.run.run_words import sentence
from pages.components.shell.boundary import refusals_shown, sentence_of
from pages.components.shell.downloads import download_button
from pages.components.shell.language import language, t
from pages.components.shell.services import services
from pages.components.shell.text import markdown_of, render
from pages.components.shell.widgets import choice, offset_of_page, search_field

PAGE_SIZE = 20
NEAREST = 3
"""Memories that are shown where none is found."""
OVER = (MemoryStatus.EXPIRED, MemoryStatus.REJECTED, MemoryStatus.SUPERSEDED)
"""Statuses that are listed only on request."""
EVERY = "every"
"""The choice of every status."""
STATUSES = ("", *(status for status in MemoryStatus if status is not MemoryStatus.FORGOTTEN), EVERY)
SCOPES = ("", "everywhere", "base", "thread")
KINDS = ("", *MemoryKind)
_FILTERS = ("memory-query", "memory-kind", "memory-status", "memory-scope")
_ROUND, _TOLD = "memory-import-round", "memory-imported"


Write = Callable[[Sequence[Memory], Mapping[str, str]], str]
ALIKE = 0.2
"""Cosine distance up to which two memories are suggested to be merged."""
MOST_PAIRS = 5
MOST_PROPOSED = 50
REASONS = ("untrue", "trivial", "private", "outdated")
_APART = "memory-kept-apart"
_MOST_APART = 500


def inbox(store: MemoryStore, memories: list[Memory]) -> None:
    """Draw the proposals; nothing if there are none."""
    waiting = [memory for memory in memories if memory.status is MemoryStatus.PROPOSED]
    if not waiting:
        return
    proposed = waiting[:MOST_PROPOSED]
    in_force = [memory for memory in memories if memory.status is MemoryStatus.ACTIVE]
    with st.container(border=True, key="memory-inbox"):
        st.markdown(f":material/inbox: {t('memory.inbox', count=len(waiting))}")
        chosen = [memory for memory in proposed if _checkbox(memory, in_force)]
        with st.container(horizontal=True, vertical_alignment="bottom"):
            none = not chosen
            st.button(
                t("memory.accept_chosen", count=len(chosen)),
                key="accept-chosen",
                type="primary",
                disabled=none,
                on_click=accept,
                args=(store, *chosen),
            )
            words, reasons = t("memory.reject_why"), ("", *REASONS)
            reason = choice(words, reasons, "reject-reason", lambda it: t(f"memory.rejected.{it or 'none'}"), width=210)
            st.button(
                t("memory.reject_chosen", count=len(chosen)),
                key="reject-chosen",
                disabled=none,
                on_click=reject,
                args=(store, *chosen),
                kwargs={"reason": f"memory.rejected.{reason}" if reason else ""},
            )


def _checkbox(memory: Memory, in_force: list[Memory]) -> bool:
    """Chosen at first, unless what it would replace was said later."""
    contrary = contrary_to(memory, in_force, services().models.meanings)
    others = quoted([one.text for one in contrary], language())
    replaces = t("memory.would_replace", text=others) if others else ""
    said = [markdown_of(words) for words in (sentence(memory.reason) if memory.reason else "", replaces) if words]
    why = "".join(f" — *{words}*" for words in said)
    is_last = all(one.created_at <= memory.created_at for one in contrary)
    return st.checkbox(f"{markdown_of(memory.text, 300)}{why}", value=is_last, key=f"choose-{memory.id}")


def suggestions(store: MemoryStore) -> None:
    """Draw pairs of similar or contradicting memories, of which the reader chooses one."""
    try:
        pairs = [pair for pair in store.alike(ALIKE, 4 * MOST_PAIRS) if _key(pair[0], pair[1]) not in _apart()]
    except ServiceError:
        return  # the search above says why meanings cannot be compared
    if not pairs:
        return
    with st.expander(t("memory.alike", count=len(pairs[:MOST_PAIRS])), icon=":material/join:"):
        for older, newer, _ in pairs[:MOST_PAIRS]:
            _pair(store, older, newer)


def _pair(store: MemoryStore, older: Memory, newer: Memory) -> None:
    words = t("memory.contrary" if contradicts(newer, older, services().models.meanings) else "memory.same")
    st.html(render("memory/memory.html", "pair", words=words, older=older.text, newer=newer.text))
    key = f"{older.id}-{newer.id}"
    with st.container(horizontal=True, gap="xsmall"):
        st.button(t("memory.keep_first"), key=f"first-{key}", on_click=supersede, args=(store, newer, older))
        st.button(t("memory.keep_second"), key=f"second-{key}", on_click=supersede, args=(store, older, newer))
        st.button(t("memory.keep_both"), key=f"both-{key}", type="tertiary", on_click=_keep_apart, args=(older, newer))


def _apart() -> list[object]:
    kept = services().storage.access.preferences.all().get(_APART)
    return kept if isinstance(kept, list) else []


def _keep_apart(older: Memory, newer: Memory) -> None:
    services().storage.access.preferences.keep(_APART, [*_apart(), _key(older, newer)][-_MOST_APART:])


def _key(older: Memory, newer: Memory) -> str:
    return " ".join(sorted((older.id, newer.id)))


@dataclass(frozen=True, slots=True)
class Filter:
    query: str = ""
    kind: str = ""
    status: str = ""
    """Empty for every one that is not over."""
    scope: str = ""
    """`everywhere`, `base` or `thread`; empty for all."""

    @property
    def narrows(self) -> bool:
        return bool(self.query.strip() or self.kind or self.status or self.scope)


def adding(store: MemoryStore) -> None:
    with st.container(horizontal=True, wrap=False, width="content"):
        with st.popover(t("memory.add"), icon=":material/add:", type="primary", key="memory-add"):
            add_form(store)
        transfer(store)


def filter_bar() -> Filter:
    with st.container(horizontal=True, vertical_alignment="center", key="memory-bar"):
        query = search_field(t("memory.search"), "memory-query")
        with st.container(horizontal=True, wrap=False, width=450):  # beside each other, also on a second line
            status = _choice("status", STATUSES)
            kind = _choice("kind", KINDS)
            scope = _choice("scope", SCOPES)
    return Filter(query, kind, status, scope)


def undo_bar(store: MemoryStore) -> None:
    """Draw the button that restores the memory deleted, declined or replaced last."""
    gone = undoable(store)
    if not gone:
        return
    with st.container(horizontal=True, vertical_alignment="center", key="memory-undo"):
        first, *others = gone
        words = t(f"memory.{_what_became_of(store, first)}", text=markdown_of(first.text, 80))
        more = f" {t('memory.deleted_more', count=len(others))}" if others else ""
        st.caption(f"{words}{more}", width="content")
        st.button(t("memory.undo"), icon=":material/undo:", type="tertiary", on_click=undo, args=(store,), key="undo")


def _what_became_of(store: MemoryStore, memory: Memory) -> str:
    current = stored(store, [memory.id])
    if not current:
        return "deleted"
    return "replaced" if current[0].status is MemoryStatus.SUPERSEDED else "declined"


def memory_list(store: MemoryStore, wanted: Filter, base: KnowledgeBase | None) -> None:
    names = {each.id: each.name for each in services().library.bases.all()}
    others = names.keys() - {base.id if base else ""}
    everything = of_base(store.find(), others)
    if not everything:
        _nothing_yet()
        return
    all_listed = shown(everything, Filter(status=wanted.status if wanted.status in (*OVER, EVERY) else ""))
    if wanted.query.strip():
        fitting = shown(of_base(_searched(store, wanted.query), others), wanted)
        if fitting:
            forget_button(store, fitting, wanted.query)
        _fitting(store, fitting, len(all_listed), names)
        if not fitting:
            _nearest(store, wanted, others, names)
        return
    if wanted.narrows:
        _fitting(store, shown(everything, wanted), len(all_listed), names)
        return
    inbox(store, everything)
    place = st.container()
    if not all_listed:
        st.caption(t("memory.none.found"))
    listed = [memory for memory in all_listed if memory.status is not MemoryStatus.PROPOSED]
    if len(listed) > PAGE_SIZE:
        st.caption(t("memory.count", shown=len(listed), count=len(all_listed)))
    _cards(store, _page(listed), names)
    with place:  # drawn last, because meanings are compared for it
        suggestions(store)


def _fitting(store: MemoryStore, fitting: list[Memory], every: int, names: Mapping[str, str]) -> None:
    if not fitting:
        st.caption(t("memory.none.found"))
        st.button(t("memory.none.clear"), on_click=_clear_filters)
        return
    st.caption(t("memory.count", shown=len(fitting), count=every))
    _cards(store, _page(fitting), names)


def _cards(store: MemoryStore, memories: Sequence[Memory], names: Mapping[str, str]) -> None:
    for memory in memories:
        memory_card(store, memory, names.get(memory.base_id, ""))


def _nearest(store: MemoryStore, wanted: Filter, others: Collection[str], names: Mapping[str, str]) -> None:
    """Draw those of the filters that come nearest in meaning, where meanings can be compared."""
    near = [memory for memory, _ in nearest(store, wanted.query)]
    fitting = shown(of_base(near, others), wanted)
    if fitting:
        st.caption(t("memory.none.nearest"))
    _cards(store, sorted(fitting, key=near.index)[:NEAREST], names)


def _searched(store: MemoryStore, query: str) -> list[Memory]:
    """Memories with words of the query, then those that mean it."""
    try:
        found = store.search(query)
    except ServiceError as error:
        st.caption(t("memory.by_word_only", reason=markdown_of(sentence_of(error))))
        found = found_by_words(query, store.find(), utc_now())
    return listed(query, found)


def of_base(memories: Sequence[Memory], other_bases: Collection[str]) -> list[Memory]:
    """Memories that apply everywhere, to the open knowledge base, or to a deleted one."""
    return [memory for memory in memories if memory.base_id not in other_bases]


def shown(memories: Sequence[Memory], wanted: Filter) -> list[Memory]:
    """Memories of the kind, status and scope; proposals first, then pinned ones, else in the given order."""
    fitting = [memory for memory in memories if _fits(memory, wanted)]
    return sorted(fitting, key=lambda m: (m.status is not MemoryStatus.PROPOSED, not m.pinned))


def scope_of(memory: Memory) -> str:
    return "thread" if memory.in_thread_only else "base" if memory.base_id else "everywhere"


def _fits(memory: Memory, wanted: Filter) -> bool:
    status = memory.status == wanted.status if wanted.status else memory.status not in OVER
    return (
        (status or wanted.status == EVERY)
        and wanted.kind in ("", memory.kind)
        and wanted.scope in ("", scope_of(memory))
    )


def _choice(name: str, options: tuple[str, ...]) -> str:
    words = t(f"memory.{name}.label")
    return choice(words, options, f"memory-{name}", lambda value: t(f"memory.{name}.{value or 'all'}")) or ""


def _clear_filters() -> None:
    for key in _FILTERS:
        st.session_state[key] = ""  # assigned, because a browser keeps what is only forgotten here


def _page(memories: list[Memory]) -> list[Memory]:
    start = offset_of_page(len(memories), PAGE_SIZE, "memory-page")
    return memories[start : start + PAGE_SIZE]


def _nothing_yet() -> None:
    with st.container(key="memory-empty"):
        title, text = t("memory.none.title"), t("memory.none.text")
        st.html(render("parts.html", "empty", icon="neurology", title=title, text=text))
        with st.container(horizontal_alignment="center"):
            st.page_link("pages/chat.py", label=t("memory.none.tell"), icon=":material/forum:", width="content")


def transfer(store: MemoryStore) -> None:
    with st.popover(t("memory.transfer"), icon=":material/swap_vert:", key="memory-transfer"):
        with st.container(horizontal=True):
            for kind, write, media in (("json", as_json, "application/json"), ("csv", as_csv, "text/csv")):
                words, make = t("memory.export", kind=kind.upper()), partial(_everything, store, write)
                download_button(words, f"memories.{kind}", media, make, "memories.exported", key=f"export-{kind}")
        turn = st.session_state.setdefault(_ROUND, 0)
        file = st.file_uploader(t("memory.import"), ("json", "csv"), key=f"memory-import-{turn}", max_upload_size=5)
        if file:
            _take(store, file.getvalue())
        if told := st.session_state.get(_TOLD):
            st.caption(told)


def _everything(store: MemoryStore, write: Write) -> str:
    return write(store.find(), {base.id: base.name for base in services().library.bases.all()})


def _take(store: MemoryStore, data: bytes) -> None:
    """Import memories; existing ones stay unchanged."""
    bases = {base.name: base.id for base in services().library.bases.all()}
    with refusals_shown():
        found = read_memories(data, bases, utc_now())
        kept = store.find()
        known = {memory.id for memory in kept} | {memory.text for memory in kept}
        fresh = {memory.id: memory for memory in found if memory.id not in known and memory.text not in known}
        for memory in fresh.values():
            store.save(memory)
        st.session_state[_TOLD] = t("memory.imported", count=len(fresh), known=len(found) - len(fresh))
        st.session_state[_ROUND] += 1
        st.rerun()
