"""The reply if the knowledge base does not answer: a fixed text, documents with the words, or the closest passages."""

from dataclasses import replace

from core.agents.nodes.answer.not_found import nothing_found
from core.agents.nodes.answer.search_scope import documents_that_mention
from core.agents.nodes.check.evaluate_compliance import may_be_shown
from core.agents.nodes.runtime import noted
from core.agents.state import NodeRuntime, State, Update
from core.platform.texts import text
from core.runs.model import AnswerOutcome


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
