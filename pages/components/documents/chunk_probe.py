"""Tests a question against one document's chunks: the hits and scores of the retriever, best first."""

from collections.abc import Sequence
from itertools import accumulate

import streamlit as st

from core.documents.model import Chunk, Document
from core.platform.language.terms import query_terms
from core.search.model import Hit
from pages.components.documents.facts import has_pages
from pages.components.documents.quote import passage_html
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import Html, label, render

SHOWN = 12
LONGEST = 1_600
"""Longest excerpt of a chunk, in characters; few are longer."""
SOURCES = ("lexical", "vector")


def probe(document: Document, chunks: Sequence[Chunk], question: str) -> None:
    if not question.strip():
        st.caption(t("documents.chunks.ask_explain"))
        return
    with st.spinner(t("documents.chunks.asking")):
        hits = services().search.retriever.probe(document.base_id, question, SHOWN, [document.id])
    if not hits:
        st.caption(t("documents.chunks.no_hit"))
        return
    known = {chunk.id: chunk for chunk in chunks}
    best_first = sorted(hits, key=lambda hit: -hit.score)  # the search spreads them over the parts of a question
    rows = [(hit, known[hit.chunk_id]) for hit in best_first if hit.chunk_id in known]
    st.html(render("documents/chunk.html", "ranked", hits=_hits(document, rows, query_terms(question))))
    if any(not chunk.enabled for _, chunk in rows):
        st.caption(t("documents.chunks.off_explain"))


def _hits(
    document: Document, rows: Sequence[tuple[Hit, Chunk]], words: Sequence[str]
) -> list[tuple[int, str, list[str], Html]]:
    """Rank (0 for a disabled chunk), score, the place and the searches that found it, and the text."""
    ranks = accumulate(int(chunk.enabled) for _, chunk in rows)
    return [
        (
            rank if chunk.enabled else 0,
            f"{hit.score:.0%}",
            _facts(document, hit, chunk),
            passage_html(chunk.text, words, LONGEST),
        )
        for rank, (hit, chunk) in zip(ranks, rows, strict=True)
    ]


def _facts(document: Document, hit: Hit, chunk: Chunk) -> list[str]:
    return [
        t("documents.chunks.number", number=chunk.index + 1),
        *([t("documents.page.number", page=chunk.page + 1)] if has_pages(document) else []),
        *([label(chunk.section[-1], 60)] if chunk.section else []),
        *(t(f"documents.chunks.by_{source}") for source in SOURCES if source in hit.sources),
    ]
