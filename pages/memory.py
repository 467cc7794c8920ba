"""Memory: everything that the product remembers, to search, correct and delete."""

import streamlit as st

from pages.components.frame import require_frame
from pages.components.language import t
from pages.components.memory_list import filter_bar, memory_list, undo_bar
from pages.components.services import services

require_frame()

store = services().memories
st.title(t("frame.rooms.memory"), anchor=False)
st.caption(t("memory.promise"))
wanted = filter_bar(store)
undo_bar(store)
memory_list(store, wanted)
