"""Adds the style sheets beside this file to the pages, in the colours of the theme."""

from functools import cache
from pathlib import Path

import streamlit as st


def add_style() -> None:
    st.html(f"<style>{stylesheet()}</style>")


@cache
def stylesheet() -> str:
    return Path(__file__).with_suffix(".css").read_text(encoding="utf-8")


def add_runs_style() -> None:
    """What the Runs page adds."""
    st.html(f"<style>{_runs_sheet()}</style>")


@cache
def _runs_sheet() -> str:
    return (Path(__file__).parent / "runs.css").read_text(encoding="utf-8")


def add_page_style() -> None:
    """What the Graph and Documents pages add."""
    st.html(f"<style>{_sheet()}</style>")


@cache
def _sheet() -> str:
    return "\n".join(
        (Path(__file__).parent / name).read_text(encoding="utf-8") for name in ("graph.css", "documents.css")
    )
