"""Links to documents, pages and passages, shared by graph, chat and document list."""

import streamlit as st

DOCUMENT, PAGE, CHUNK = "document", "page", "chunk"


def document_query(document_id: str, page: int | None = None, chunk_id: str = "") -> dict[str, str]:
    """Query parameters of the Documents page; `page` is 0-based, the address 1-based."""
    query = {DOCUMENT: document_id}
    if page is not None:
        query[PAGE] = str(page + 1)
    if chunk_id:
        query[CHUNK] = chunk_id
    return query


def open_document(document_id: str, page: int | None = None, chunk_id: str = "") -> None:
    """Switches to the document; does not return."""
    st.switch_page("pages/documents.py", query_params=document_query(document_id, page, chunk_id))


def close_document() -> None:
    """Returns to the list by removing the document from the address."""
    for name in (DOCUMENT, PAGE, CHUNK):
        st.query_params.pop(name, None)
