"""Answers from the evidence; without an answer, shows the closest passages or says that nothing was found."""

from collections.abc import Iterator
from dataclasses import replace

from core.agents.nodes.answer.generate import generate
from core.agents.nodes.answer.nearest_passages import UNFOLDED, NearestPassages, nearest_passages
from core.agents.nodes.answer.search_scope import (
    documents_that_mention,
    other_base_with_words,
    ready_documents,
    search_scope,
)
from core.agents.nodes.check.check_answer import CheckOutcome, checked
from core.agents.nodes.check.evaluate_compliance import may_be_shown
from core.agents.nodes.evidence import passages_of, view_of
from core.agents.nodes.memory.memories import all_told, offered
from core.agents.nodes.memory.telling import memories_near
from core.agents.nodes.runtime import asked_once, noted
from core.agents.nodes.search.retrieve import LIMIT, THRESHOLDS
from core.agents.nodes.search.web_search import FOUND_NOTHING, OFF, WebOutcome, web_search
from core.agents.state import Deps, Draft, NodeRuntime, Note, Route, State, Update
from core.agents.tools.results.graph_list import none_listed
from core.graph.questions import GraphQuestion
from core.models.ports import BUILT_IN
from core.platform.language.detect import same_script
from core.platform.texts import text
from core.runs.model import AnswerOutcome, Length
from core.search.model import BY_READER, Hit

NOTHING = (AnswerOutcome.CLOSEST, AnswerOutcome.NOT_FOUND, AnswerOutcome.UNJUDGED, AnswerOutcome.UNREADY)
CONSIDERED = 12
"""Number of passages considered."""


def not_found(state: State, runtime: NodeRuntime) -> Update:
    deps = runtime.context
    if draft := documents_that_mention(state, deps):
        reason = noted(AnswerOutcome.ANSWERED, "run.reason.mentions", documents=len(draft.citations))
        return draft.shown_with(reason)
    draft = _draft(state, deps, _closest(state, deps))
    if offer := offered(state, deps):
        draft = replace(draft, answer=f"{offer}\n\n{draft.answer}")
    outcome, suggestions = draft.outcome or AnswerOutcome.NOT_FOUND, len(draft.passages)
    return draft.shown_with(
        noted(outcome, f"run.reason.{outcome}", searches=state.search.retrievals, suggestions=suggestions)
    )


def closest_or_mentions(state: State, deps: Deps) -> Draft:
    """The draft without an offer to keep what the message states."""
    return documents_that_mention(state, deps) or _draft(state, deps, _closest(state, deps))


def _draft(state: State, deps: Deps, closest: NearestPassages) -> Draft:
    lines = [_above(closest, state, deps)] if closest.shown else _what_was_searched(state, deps)
    if closest.is_short:
        deps.shaped.add((Length.SHORTER, lines[0]))
    lines = [*_told_first(state, deps), *lines]
    if state.search.web_fault:
        lines.append(text(state.search.web_fault, state.language))
    is_abroad = closest.is_abroad if closest.shown else bool(state.search.hits) and not _any_in_script(state, deps)
    if is_abroad and deps.llm.engine == BUILT_IN:
        lines.append(text("answer.not_found.language", state.language))
    if elsewhere := other_base_with_words(state, deps):
        lines.append(elsewhere)
    return replace(
        state.draft,
        answer="\n\n".join(lines),
        citations=closest.citations,
        unsupported=(),
        parts=(),
        passages=closest.shown,
        outcome=AnswerOutcome.CLOSEST if closest.shown else not_found_outcome(deps, state.base_id),
    )


def _told_first(state: State, deps: Deps) -> Iterator[str]:
    """What was told of it, and what the graph says, above what the search found."""
    if told := memories_near(state, deps):
        yield all_told(told, state.language, "answer.direct.told_near")
    if unlisted := _unlisted(state, deps):
        yield unlisted
    if apart := state.search.asked.apart:
        yield text("answer.graph.apart", state.language, one=apart[0], other=apart[1])


def _unlisted(state: State, deps: Deps) -> str:
    """A sentence that the graph has none of the names asked for; empty for other questions."""
    asked = state.search.asked
    if asked.kind is not GraphQuestion.LIST or not ready_documents(deps, state.base_id):
        return ""
    return none_listed(deps, state.base_id, asked.type, asked.documents or state.search.documents, state.language)


def _above(closest: NearestPassages, state: State, deps: Deps) -> str:
    """The sentence that introduces the passages."""
    at_once = sum(not passage.folded for passage in closest.shown)
    key = "answer.closest" if at_once > 1 else "answer.closest_one"
    if closest.is_abroad or closest.is_far:
        key = "answer.closest_abroad" if closest.is_abroad else "answer.closest_far"
    return text(key, state.language, scope=search_scope(state, deps, closest.citations))


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
    return replace(state.draft, answer=said, citations=(), unsupported=(), parts=(), passages=(), outcome=outcome)


def closest_by_rules(state: State, deps: Deps) -> Draft | None:
    """The closest passages, because neither rules nor a refusing model can exclude an answer.

    None if there are none, or the compliance check found violations.
    """
    closest = NearestPassages() if state.draft.violations else _closest(state, deps)
    return _draft(state, deps, closest) if closest.shown else None


def not_found_outcome(deps: Deps, base_id: str) -> AnswerOutcome:
    """Why there is no answer: nothing could be searched, nothing was judged, or nothing was found."""
    if not ready_documents(deps, base_id):
        return AnswerOutcome.UNREADY
    return AnswerOutcome.UNJUDGED if deps.meter.failure() else AnswerOutcome.NOT_FOUND


def unready(deps: Deps, base_id: str, language: str) -> str:
    """Says that the knowledge base is empty, or not ready yet."""
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


def _closest(state: State, deps: Deps) -> NearestPassages:
    """Closest passages, in the order of a search for the question itself, because the last query may differ."""
    rejected = (item for item in state.search.rejected if item.reason != BY_READER)
    found = [*state.search.hits, *(Hit(item.chunk_id, item.score) for item in rejected)]
    hits = {hit.chunk_id: hit for hit in sorted(found, key=lambda hit: (-hit.score, hit.chunk_id))}
    ordered = list(hits)
    if state.search.retrievals and ready_documents(deps, state.base_id):
        own = deps.retriever.chunks(state.base_id, state.standalone_question, LIMIT, state.search.documents)
        hits |= {hit.chunk_id: hit for hit in own}
        ordered = [*(hit.chunk_id for hit in own), *ordered]
    nearest = [hits[chunk_id] for chunk_id in dict.fromkeys(ordered)][:CONSIDERED]
    view = view_of(state.standalone_question, passages_of(nearest, deps), deps)
    is_near = view.may_answer or any(hit.score >= THRESHOLDS[-1] for hit in hits.values())
    unfolded = 1 if deps.length is Length.SHORTER else UNFOLDED
    return replace(nearest_passages(view, unfolded), is_far=not is_near)


def _any_in_script(state: State, deps: Deps) -> bool:
    return any(same_script(state.question, p.chunk.text) for p in passages_of(state.search.hits, deps))


def answer_from_evidence(state: State, runtime: NodeRuntime) -> Update:
    """Writes and checks the answer sentence by sentence; without one, shows the closest passages."""
    return settled_answer(state, generate(state, runtime), runtime)


def settled_answer(state: State, written: Update, runtime: NodeRuntime) -> Update:
    """Checks an already written answer sentence by sentence, without another attempt."""
    search = replace(state.search, corrections=runtime.context.max_corrections)
    last_try = replace(replace(state, **written), search=search)
    update = checked(last_try, runtime.context)
    if update["note"].outcome == CheckOutcome.NOTHING:
        return not_found(replace(last_try, search=replace(search, kept=())), runtime)
    return {**written, **update}


def knowledge_fallback(state: State, runtime: NodeRuntime) -> Update:
    deps = runtime.context
    answer = text("answer.not_found.fixed", state.language)
    mentions = None if state.draft.violations else documents_that_mention(state, deps)
    draft = mentions or nothing_found(state, deps, answer)
    told = "\n".join((draft.answer, *(passage.text for passage in draft.passages)))
    if draft.citations and not may_be_shown(state.question, told, deps):
        draft = replace(draft, answer=answer, citations=(), passages=(), outcome=AnswerOutcome.NOT_FOUND)
    searches = state.search.retrievals
    note = noted("not_found", "run.reason.nothing_relevant", searches=searches)
    if draft.outcome is AnswerOutcome.CLOSEST:
        note = noted(draft.outcome, "run.reason.closest", searches=searches, suggestions=len(draft.citations))
    elif draft.outcome is AnswerOutcome.ANSWERED:
        note = noted(draft.outcome, "run.reason.mentions", documents=len(draft.citations))
    return draft.shown_with(note)


_SENTENCES = {OFF: "answer.not_found.no_web", FOUND_NOTHING: "answer.not_found.web_nothing"}


def web_resort(state: State, runtime: NodeRuntime) -> Update:
    found: Update = {"search": state.search, "note": Note()} if state.search.web_fault else web_search(state, runtime)
    search = found["search"]
    if found["note"].outcome == WebOutcome.FOUND:
        query = dict(found["note"].details)["query"]
        return {**found, "search": replace(search, tried_queries=(*search.tried_queries, query))}
    if not state.search.tried_routes:
        return {**found, "search": replace(search, route=Route.CHUNKS)}
    fault = search.web_fault
    key = _SENTENCES.get(fault, "answer.not_found.web_failed")
    answer = text(key, state.language, reason=text(fault, state.language))
    note = noted(WebOutcome.NOTHING, fault, **dict(found["note"].details))
    draft = nothing_found(state, runtime.context, answer)
    if draft.outcome is AnswerOutcome.UNREADY:  # the web was the only place to look, so its reason belongs to it
        draft = replace(draft, answer=f"{draft.answer}\n\n{text(fault, state.language)}")
    return {**found, "draft": draft, "shown": draft.published(), "note": note}
