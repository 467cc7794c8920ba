"""Export and import of memories."""

from collections.abc import Callable, Mapping, Sequence
from functools import partial

import streamlit as st

from core.memory.files import as_csv, as_json, read_memories
from core.memory.model import Memory
from core.memory.ports import MemoryStore
from core.platform.clock import utc_now
from core.platform.errors import InputError
from pages.components.shell.boundary import show_error
from pages.components.shell.downloads import download_button
from pages.components.shell.language import t
from pages.components.shell.services import services

_ROUND, _TOLD = "memory-import-round", "memory-imported"


Write = Callable[[Sequence[Memory], Mapping[str, str]], str]


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
    try:
        found = read_memories(data, bases, utc_now())
    except InputError as error:
        show_error(error)
        return
    kept = store.find()
    known = {memory.id for memory in kept} | {memory.text for memory in kept}
    fresh = {memory.id: memory for memory in found if memory.id not in known and memory.text not in known}
    for memory in fresh.values():
        store.save(memory)
    st.session_state[_TOLD] = t("memory.imported", count=len(fresh), known=len(found) - len(fresh))
    st.session_state[_ROUND] += 1
    st.rerun()
