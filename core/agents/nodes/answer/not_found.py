"""Shows the closest passages as search results, or says that the search found no answer."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from core.agents.nodes.answer.documents_that_mention import documents_that_mention
from core.agents.nodes.answer.search_scope import other_base_with_words, ready_documents, search_scope
from core.agents.nodes.evidence import passages_of, view_of
from core.agents.nodes.runtime import asked_once, noted
from core.agents.nodes.search.retrieve import LIMIT
from core.agents.state import Deps, Draft, State, Update
from core.models.ports import BUILT_IN
from core.platform.language.detect import same_script
from core.platform.texts import text
from core.rulebook.assessing.citing import citations_of
from core.rulebook.assessing.sentence_ranking import Quote
from core.runs.model import AnswerOutcome
from core.search.model import Citation, Hit, Passage

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

NOTHING = (AnswerOutcome.CLOSEST, AnswerOutcome.NOT_FOUND, AnswerOutcome.UNJUDGED, AnswerOutcome.UNREADY)
Closest = tuple[tuple[Passage, str], ...]
"""Passages with their nearest sentences."""
LOOKED_AT = 12
"""Number of passages considered."""
CLOSE = 0.05
"""Passages with a lower retrieval score are unrelated to the question; across languages related ones are near it."""


def not_found(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    if draft := documents_that_mention(state, deps):
        reason = noted(AnswerOutcome.ANSWERED, "run.reason.mentions", documents=len(draft.citations))
        return {"draft": draft, "shown": draft.published(), "note": reason}
    closest = _closest(state, deps)
    draft = _draft(state, deps, closest)
    outcome = draft.outcome or AnswerOutcome.NOT_FOUND
    return {
        "draft": draft,
        "shown": draft.published(),
        "note": noted(outcome, f"run.reason.{outcome}", searches=state.search.retrievals, suggestions=len(closest)),
    }


def _draft(state: State, deps: Deps, closest: Closest) -> Draft:
    lines = [text("answer.closest", state.language)] if closest else _what_was_searched(state, deps)
    if apart := state.search.asked.apart:
        lines.insert(0, text("answer.graph.apart", state.language, one=apart[0], other=apart[1]))
    if state.search.web_fault:
        lines.append(text(state.search.web_fault, state.language))
    passages = tuple({passage.chunk.id: passage for passage, _ in closest}.values())
    if closest:
        lines.append("\n".join(f"- “{words}” [{passages.index(passage) + 1}]" for passage, words in closest))
    if state.search.hits and deps.llm.engine == BUILT_IN and not _any_in_script(state, deps):
        lines.append(text("answer.not_found.language", state.language))
    if elsewhere := other_base_with_words(state, deps):
        lines.append(elsewhere)
    answer = "\n\n".join(lines)
    citations: tuple[Citation, ...] = citations_of(answer, passages)
    outcome = AnswerOutcome.CLOSEST if closest else not_found_outcome(deps, state.base_id)
    return replace(state.draft, answer=answer, citations=citations, unsupported=(), parts=(), outcome=outcome)


def nothing_found(state: State, deps: Deps, answer: str) -> Draft:
    """Drafts the reply; claims that nothing was found only if the passages were actually judged."""
    if closest := closest_by_rules(state, deps):
        return closest
    outcome = not_found_outcome(deps, state.base_id)
    said = answer
    if outcome is AnswerOutcome.UNREADY:
        said = unready(deps, state.base_id, state.language)
    elif outcome is AnswerOutcome.UNJUDGED:
        said = unjudged(state, deps)
    return replace(state.draft, answer=said, citations=(), unsupported=(), parts=(), outcome=outcome)


def closest_by_rules(state: State, deps: Deps) -> Draft | None:
    """What comes closest, where no model has judged it: rules cannot tell that nothing answers.

    None if nothing is near, or the compliance check has held it back.
    """
    by_rules = deps.llm.engine == BUILT_IN or deps.meter.failure()
    closest = _closest(state, deps) if by_rules and not state.draft.violations else ()
    return _draft(state, deps, closest) if closest else None


def not_found_outcome(deps: Deps, base_id: str) -> AnswerOutcome:
    """Why there is no answer: nothing could be searched, nothing was judged, or nothing was found."""
    if not ready_documents(deps, base_id):
        return AnswerOutcome.UNREADY
    return AnswerOutcome.UNJUDGED if deps.meter.failure() else AnswerOutcome.NOT_FOUND


def unready(deps: Deps, base_id: str, language: str) -> str:
    """What there is to search: nothing, or nothing yet."""
    any_there = deps.documents.find(base_id, limit=1)
    key = "answer.not_found.unready" if any_there else "answer.not_found.empty"
    return text(key, language, base=asked_once(deps, deps.bases.get, base_id).name)


def unjudged(state: State, deps: Deps) -> str:
    base = asked_once(deps, deps.bases.get, state.base_id).name
    return text("answer.unjudged", state.language, base=base, asked=state.standalone_question)


def _what_was_searched(state: State, deps: Deps) -> list[str]:
    """The question in the reader's words; the queries derived from it are shown in the run."""
    if not ready_documents(deps, state.base_id):
        return [unready(deps, state.base_id, state.language)]
    asked = state.standalone_question
    if deps.meter.failure():
        return [unjudged(state, deps)]
    wordings = len(set(state.search.tried_queries))
    key = "answer.not_found.searched_again" if wordings > 1 else "answer.not_found.searched"
    return [text(key, state.language, scope=search_scope(state, deps), asked=asked, wordings=wordings)]


def _closest(state: State, deps: Deps) -> Closest:
    """Empty if not even the best might answer."""
    found = [(hit.chunk_id, hit.score) for hit in state.search.hits]
    found += [(item.chunk_id, item.score) for item in state.search.rejected]
    own: set[str] = set()
    if state.search.retrievals > 1:  # the last search was for other words
        again = deps.retriever.chunks(state.base_id, state.standalone_question, LIMIT, state.search.documents)
        found += [(hit.chunk_id, hit.score) for hit in again]
        own = {hit.chunk_id for hit in again}
    scores: dict[str, float] = {}
    for chunk_id, score in found:
        scores[chunk_id] = max(score, scores.get(chunk_id, CLOSE))
    near = (Hit(*item) for item in scores.items() if item[1] > CLOSE)
    hits = sorted(near, key=lambda hit: (hit.chunk_id not in own, -hit.score, hit.chunk_id))
    view = view_of(state.standalone_question, passages_of(hits[:LOOKED_AT], deps), deps)
    if not view.may_answer:
        return ()
    return tuple((view.passages[quote.passage], _marked(quote)) for quote in view.closest)


def _marked(quote: Quote) -> str:
    """The text, its likeliest sentence in bold."""
    if not quote.likeliest or "*" in quote.text:
        return quote.text
    return quote.text.replace(quote.likeliest, f"**{quote.likeliest}**", 1)


def _any_in_script(state: State, deps: Deps) -> bool:
    return any(same_script(state.question, p.chunk.text) for p in passages_of(state.search.hits, deps))
