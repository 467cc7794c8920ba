"""Memory: everything that the product remembers for a knowledge base, to search, correct and delete."""

import streamlit as st

from pages.components.documents.bases import base_picker, current_base
from pages.components.memory.list import adding, filter_bar, memory_list, undo_bar
from pages.components.shell.frame import require_frame
from pages.components.shell.language import t
from pages.components.shell.services import services

require_frame()

store = services().memories
base = current_base()
with st.container(horizontal=True, vertical_alignment="center", key="memory-header"):
    st.title(t("frame.rooms.memory"), anchor=False, width="content")
    st.space("stretch")
    if base:
        base_picker(base)
    adding(store)
st.caption(t("memory.promise"))
wanted = filter_bar()
undo_bar(store)
memory_list(store, wanted, base)
