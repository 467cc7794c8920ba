"""What lists have in common: a field for searching, and pages."""

import streamlit as st


def search_field(words: str, key: str, hint: str = "", width: int = 0, live: bool = True) -> str:
    """What is typed into a field without a visible label. hint: in the field, instead of the words; 0: whole width."""
    typed = st.text_input(
        words,
        key=key,
        type="search",
        live=live,
        placeholder=hint or words,
        icon=":material/search:",
        label_visibility="collapsed",
        width=width or "stretch",
    )
    return typed or ""


def offset_of_page(count: int, size: int, key: str, first: int = 0) -> int:
    """Offset of the chosen page of a list; draws the choice if there are several. first: an entry of the first one."""
    pages = -(-count // size)
    number = st.pagination(pages, default=first // size + 1, key=f"{key}-{pages}") if pages > 1 else 1
    return (number - 1) * size
