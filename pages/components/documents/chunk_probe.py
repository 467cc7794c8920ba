"""Tests a question against one document's chunks: hits, order and scores of the retriever."""

from collections.abc import Sequence

import streamlit as st

from core.documents.model import Chunk, Document
from core.platform.language.terms import query_terms
from core.search.model import Hit
from pages.components.documents.facts import has_pages
from pages.components.documents.quote import passage_html
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import html_of, label

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
    rows = [(hit, known[hit.chunk_id]) for hit in hits if hit.chunk_id in known]
    st.html(f'<ol class="gt-ranked">{"".join(_rows(document, rows, query_terms(question)))}</ol>')
    if any(not chunk.enabled for _, chunk in rows):
        st.caption(t("documents.chunks.off_explain"))


def _rows(document: Document, rows: Sequence[tuple[Hit, Chunk]], words: Sequence[str]) -> list[str]:
    made: list[str] = []
    rank = 0
    for hit, chunk in rows:
        rank += chunk.enabled
        made.append(hit_html(document, hit, chunk, rank, words))
    return made


def hit_html(document: Document, hit: Hit, chunk: Chunk, rank: int, words: Sequence[str]) -> str:
    """Rank (none for disabled chunks), score as a bar and in per cent, the searches that found it, and the text."""
    facts = [t("documents.chunks.number", number=chunk.index + 1)]
    facts += [t("documents.page.number", page=chunk.page + 1)] if has_pages(document) else []
    facts += [label(chunk.section[-1], 60)] if chunk.section else []
    facts += [t(f"documents.chunks.by_{source}") for source in SOURCES if source in hit.sources]
    told = "".join(f"<li>{html_of(fact)}</li>" for fact in facts)
    off = "" if chunk.enabled else f'<li class="gt-chip is-weak">{html_of(t("documents.chunks.off"))}</li>'
    text = passage_html(chunk.text, words, LONGEST)
    score = f'<div class="gt-score"><i style="width: {hit.score:.0%}"></i></div><em>{hit.score:.0%}</em>'
    return (
        f'<li class="{"" if chunk.enabled else "is-off"}"><b>{rank if chunk.enabled else "–"}</b>'
        f'{score}<ul class="gt-facts">{told}{off}</ul><div class="gt-chunk">{text}</div></li>'
    )
