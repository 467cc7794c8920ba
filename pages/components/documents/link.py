"""Ways to a document, a page and a passage of it; the same from the graph, the chat and the list."""

import streamlit as st

DOCUMENT, PAGE, CHUNK = "document", "page", "chunk"


def document_query(document_id: str, page: int | None = None, chunk_id: str = "") -> dict[str, str]:
    """Query of the Documents page; `page` is 0-based, the address counts from 1 like people do."""
    query = {DOCUMENT: document_id}
    if page is not None:
        query[PAGE] = str(page + 1)
    if chunk_id:
        query[CHUNK] = chunk_id
    return query


def open_document(document_id: str, page: int | None = None, chunk_id: str = "") -> None:
    """Go there; does not return."""
    st.switch_page("pages/documents.py", query_params=document_query(document_id, page, chunk_id))


def close_document() -> None:
    """Back to the list: the address forgets the document."""
    for name in (DOCUMENT, PAGE, CHUNK):
        st.query_params.pop(name, None)
