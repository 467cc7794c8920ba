"""The Runs page: find, replay, compare and delete runs."""

import streamlit as st

from pages.components.runs.page import draw_runs
from pages.components.shell.frame import require_frame
from pages.components.shell.language import t

require_frame()

st.title(t("frame.rooms.runs"), anchor=False, width="content")
draw_runs()
