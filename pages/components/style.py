"""The one stylesheet: read from the file beside it, put into every page, in the theme's own colours."""

from functools import cache
from pathlib import Path

import streamlit as st


def add_style() -> None:
    st.html(f"<style>{stylesheet()}</style>")


@cache
def stylesheet() -> str:
    return Path(__file__).with_suffix(".css").read_text(encoding="utf-8")
