"""Says that the documents do not answer, what was searched, and which passages come closest."""

from __future__ import annotations

from typing import TYPE_CHECKING

from core.domain.documents import DocumentStatus
from core.domain.events import AnswerReady
from core.domain.passages import Citation, Hit, Passage
from core.domain.runs import AnswerOutcome
from core.nodes.deciding import noted
from core.nodes.reading import passages_of
from core.nodes.rules.citing import citations_of
from core.nodes.rules.coverage import same_script
from core.nodes.rules.quoting import choose_quotes
from core.ports import BUILT_IN
from core.state import Deps, State, Update
from core.texts import text

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

CLOSEST = 3
CLOSE = 0.15
"""A retriever's score below which a passage has nothing to do with the question."""


def not_found(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    closest = _closest(state, deps)
    lines = _what_was_searched(state, deps)
    if state.web_fault:
        lines.append(text(state.web_fault, state.language))
    quotes = [_line(state, number, passage) for number, passage in enumerate(closest, 1)]
    if quotes:
        lines.append("\n".join([text("answer.not_found.closest", state.language), "", *quotes]))
    if closest and deps.llm.engine == BUILT_IN and not any(same_script(state.question, p.chunk.text) for p in closest):
        lines.append(text("answer.not_found.language", state.language))
    answer = "\n\n".join(lines)
    citations: tuple[Citation, ...] = citations_of(answer, closest)
    deps.emit(AnswerReady(answer, citations))
    return {
        "answer": answer,
        "citations": citations,
        "outcome": AnswerOutcome.NOT_FOUND.value,
        "note": noted("not_found", "run.reason.not_found", searches=state.retrievals, suggestions=len(closest)),
    }


def _what_was_searched(state: State, deps: Deps) -> list[str]:
    """The question as a reader knows it; the queries made of it are for searches to read, and stand in the run."""
    base = deps.library.base(state.base_id).name
    documents = deps.library.documents(state.base_id)
    ready = sum(document.status is DocumentStatus.READY for document in documents)
    if not ready:
        key = "answer.not_found.unready" if documents else "answer.not_found.empty"
        return [text(key, state.language, base=base)]
    asked = state.resolved_question or state.question
    wordings = len(set(state.tried_queries))
    key = "answer.not_found.searched_again" if wordings > 1 else "answer.not_found.searched"
    return [text(key, state.language, base=base, documents=ready, asked=asked, wordings=wordings)]


def _closest(state: State, deps: Deps) -> tuple[Passage, ...]:
    scores = {hit.chunk_id: hit.score for hit in state.hits} | {item.chunk_id: item.score for item in state.rejected}
    best = sorted((item for item in scores.items() if item[1] >= CLOSE), key=lambda item: (-item[1], item[0]))
    return passages_of([Hit(chunk_id, score) for chunk_id, score in best[:CLOSEST]], deps)


def _line(state: State, number: int, passage: Passage) -> str:
    quotes = choose_quotes(state.resolved_question or state.question, [passage])
    words = quotes[0].text if quotes else " ".join(passage.chunk.text.split())[:200]
    return f"- “{words}” [{number}]"
