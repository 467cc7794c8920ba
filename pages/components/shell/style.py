"""Adds the style sheets beside this file to the pages, in the colours of the theme."""

from pathlib import Path

import streamlit as st

FOLDER = Path(__file__).parent


def add_style() -> None:
    """As a file, because Streamlit takes the lines of a text apart, for every page."""
    st.html(FOLDER / "style.css")


def stylesheet() -> str:
    return (FOLDER / "style.css").read_text(encoding="utf-8")


def add_runs_style() -> None:
    """What the Runs page adds."""
    st.html(FOLDER / "runs.css")


def add_page_style() -> None:
    """What the Graph and Documents pages add."""
    for name in ("graph.css", "documents.css"):
        st.html(FOLDER / name)
