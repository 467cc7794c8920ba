"""Searches the web once; if that yields nothing, the documents are searched, or the run ends without an answer."""

from dataclasses import replace

from core.agents.nodes.answer.not_found import nothing_found
from core.agents.nodes.runtime import noted
from core.agents.nodes.search.web_search import FOUND_NOTHING, OFF, WebOutcome, web_search
from core.agents.state import NodeRuntime, Note, Route, State, Update
from core.platform.texts import text
from core.runs.model import AnswerOutcome

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
