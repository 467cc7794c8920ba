"""The answer of the rules, or the passages that they find, shown while a model works."""

from dataclasses import replace

from core.agents.nodes.answer.not_found import answer_from_evidence, closest_or_mentions
from core.agents.nodes.check.evaluate_compliance import may_be_shown
from core.agents.nodes.plan.references import referenced_documents
from core.agents.nodes.search.grade_evidence import EvidenceOutcome, grade_evidence
from core.agents.nodes.search.retrieve import retrieve
from core.agents.nodes.search.rewrite_query import rewrite_query
from core.agents.nodes.understood import understood_in
from core.agents.state import SEARCHES, Deps, Draft, Route, SearchState, State
from core.models.ports import Llm
from core.rulebook.messages import Question
from core.runs.model import AnswerOutcome

_SHOWN = {AnswerOutcome.ANSWERED, AnswerOutcome.CLOSEST}
_ELSEWHERE = {Route.DIRECT, Route.OUT_OF_SCOPE, Route.WEB, Route.FORM}
"""Routes that do not search the documents."""


def without_model(state: State, deps: Deps) -> Draft | None:
    """None if the rules find nothing that may be shown unchecked, or the question is unresolved or no search."""
    question = state.standalone_question
    is_unresolved = bool(state.history) and not state.resolved_question and Question(question).leans_on_history
    if deps.rules is None or is_unresolved or state.search.route in _ELSEWHERE or state.draft.choices:
        return None
    if not understood_in(state, deps).is_question:
        return None
    draft = _drafted(state, deps, deps.rules)
    told = "\n".join((draft.answer, *(passage.text for passage in draft.passages)))
    return draft if draft.outcome in _SHOWN and may_be_shown(state.question, told, deps) else None


def _drafted(state: State, deps: Deps, rules: Llm) -> Draft:
    """One search and answer as in the default workflow without a model; emits no events and offers to keep nothing."""
    from langgraph.runtime import Runtime

    quiet = replace(deps, llm=rules, rules=None, small_model=False, web=None, emit=lambda _: None, shaped=set())
    runtime, question = Runtime(context=quiet), state.standalone_question
    documents = state.search.documents or referenced_documents(state.base_id, question, quiet)
    usual = Route.HIERARCHICAL if Question(question).kind.is_about_whole_documents else Route.CHUNKS
    route = state.search.route if state.search.route in SEARCHES else usual
    search = SearchState(route=route, documents=documents, asked=state.search.asked)
    state = replace(state, search=search, draft=Draft())
    for node in (rewrite_query, retrieve, grade_evidence):
        state = replace(state, **node(state, runtime))
    if state.note.outcome == EvidenceOutcome.FOUND:
        return answer_from_evidence(state, runtime)["draft"]
    return closest_or_mentions(state, quiet)
