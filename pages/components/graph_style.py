"""The look of the Graph and Documents pages, read from the files beside it."""

from functools import cache
from pathlib import Path

import streamlit as st


def add_graph_style() -> None:
    st.html(f"<style>{_sheet()}</style>")


@cache
def _sheet() -> str:
    return "\n".join(
        (Path(__file__).parent / name).read_text(encoding="utf-8") for name in ("graph.css", "document.css")
    )
