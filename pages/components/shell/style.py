"""Adds the style sheets beside this file to the pages, in the colours of the theme."""

from functools import cache
from pathlib import Path

import streamlit as st


def add_style() -> None:
    st.html(f"<style>{stylesheet()}</style>")


def stylesheet() -> str:
    return _sheet("style.css")


def add_runs_style() -> None:
    """What the Runs page adds."""
    st.html(f"<style>{_sheet('runs.css')}</style>")


def add_page_style() -> None:
    """What the Graph and Documents pages add."""
    st.html(f"<style>{_sheet('graph.css', 'documents.css')}</style>")


@cache
def _sheet(*names: str) -> str:
    """In one line, because Streamlit goes through the lines of what it is given for every page."""
    lines = [line for name in names for line in _read(name).splitlines()]
    return " ".join(line.strip() for line in lines)


def _read(name: str) -> str:
    return (Path(__file__).parent / name).read_text(encoding="utf-8")
