"""Writes the search query; after a rejected answer, from another angle."""

from dataclasses import dataclass, replace

from pydantic import BaseModel, Field

from core.agents.nodes.plan.references import entities_named
from core.agents.nodes.plan.route_query import next_search
from core.agents.nodes.runtime import MAX_NAMES, MAX_QUERY, ask_model, noted
from core.agents.state import Deps, NodeRuntime, State, Update
from core.models.tasks import Task
from core.platform.language.terms import content_terms
from core.rulebook.messages import Question
from core.rulebook.model import QuestionKind
from core.rulebook.vocabulary import other_words
from core.runs.model import Turn

MAX_ANSWER = 1500
"""Longest excerpt of a rejected answer in the prompt, in characters."""
_OVERVIEW_WORDS = {
    "zh": "摘要 引言 前言 总则 目的 适用范围 主要内容 结论",
    "en": "abstract introduction purpose scope main contribution we propose conclusion",
}
_KIND_WORDS = {
    QuestionKind.WHO: {"en": "author director founder name", "zh": "负责人 作者 姓名"},
    QuestionKind.WHEN: {"en": "date year since", "zh": "日期 年份"},
    QuestionKind.WHERE: {"en": "located place city", "zh": "地点 位于"},
    QuestionKind.HOW_MANY: {"en": "number total table", "zh": "数量 表"},
    QuestionKind.WHY: {"en": "because reason due", "zh": "原因 因为"},
    QuestionKind.DEFINITION: {"en": "definition means refers", "zh": "定义 是指"},
    QuestionKind.LIST: {"en": "following include types", "zh": "包括 分为"},
    QuestionKind.HOW: {"en": "method steps procedure", "zh": "方法 步骤"},
}


@dataclass(frozen=True, slots=True)
class RewriteRequest:
    question: str
    language: str = "en"
    history: tuple[Turn, ...] = ()
    tried: tuple[str, ...] = ()
    """Earlier queries that did not lead to an answer."""
    rejected: str = ""
    """The answer that was rejected; empty when nothing was found."""
    reason: str = ""
    """Why it was rejected."""
    names: tuple[str, ...] = ()
    """Names and aliases of the entities in the question."""


class SearchTerms(BaseModel):
    """Search terms."""

    query: str = Field(min_length=1, description="search words in the language of the documents")
    reason: str = Field(default="", description="what is looked for now, in one short sentence")


def _by_angles(request: RewriteRequest) -> SearchTerms:
    """Rule: the question itself, then aliases, synonyms, and words typical of its answer."""
    question = Question(request.question)
    kind, plain, core = question.kind, question.plain, question.essence
    script = "zh" if request.language.startswith("zh") else "en"
    if kind is QuestionKind.RELATION:
        plain = core or plain
    if kind.is_about_whole_documents:
        plain = " ".join((core, *sorted(question.work_terms), _OVERVIEW_WORDS[script])).strip()
    other_names = [name for name in request.names if name.casefold() not in plain.casefold()]
    angles = {
        "run.reason.query_first": plain,
        "run.reason.query_names": " ".join([core, *other_names, *other_words(core)]).strip(),
        "run.reason.query_kind": f"{core} {_KIND_WORDS.get(kind, {}).get(script, '')}".strip(),
        "run.reason.query_core": " ".join(dict.fromkeys(content_terms(core))),
    }
    tried = [set(content_terms(query)) for query in request.tried]
    untried = ((why, words) for why, words in angles.items() if words and set(content_terms(words)) not in tried)
    why, words = next(untried, ("run.reason.query_first", plain))
    return SearchTerms(query=words[:MAX_QUERY] or request.question[:MAX_QUERY], reason=why)


REWRITE = Task("rewrite_query", SearchTerms, _by_angles, max_tokens=500, for_small=False)


def rewrite_query(state: State, runtime: NodeRuntime) -> Update:
    """Writes the first query by rule, later ones by the model."""
    if state.search.tried_queries:
        return _another(state, runtime.context)
    return _planned(state) or _first(state, _by_angles(RewriteRequest(state.standalone_question, state.language)))


def rewrite_by_model(state: State, runtime: NodeRuntime) -> Update:
    """Lets the model write the first query too."""
    deps = runtime.context
    if state.search.tried_queries:
        return _another(state, deps)
    request = RewriteRequest(state.standalone_question, state.language, state.history)
    return _planned(state) or _first(state, ask_model(deps, REWRITE, request))


def query_builder(state: State, runtime: NodeRuntime) -> Update:
    """Also numbers the queries for the retrieval checker."""
    update = rewrite_by_model(state, runtime)
    loop = update["search"].corrections + 1
    note = update["note"]
    return {**update, "note": replace(note, details=(*note.details, ("loop", str(loop))))}


def rewrite_relevance(state: State, runtime: NodeRuntime) -> Update:
    """Rewrites with other words and drops the restriction to documents that the question named."""
    update = rewrite_query(state, runtime)
    return {**update, "search": replace(update["search"], documents=())}


def rewrite_for_route(state: State, runtime: NodeRuntime) -> Update:
    """Also selects another route after a rejected answer."""
    update = rewrite_by_model(state, runtime)
    if not (state.draft.answer or state.search.tried_queries):
        return update
    route = next_search(state, web=runtime.context.web is not None)
    note = update["note"]
    search = update["search"]
    corrections = state.search.corrections + 1
    return {
        **update,
        "search": replace(search, corrections=corrections, route=route.route, kept=(), rejected=(), web=()),
        "note": replace(note, details=(*note.details, ("route", route.value))),
    }


def _planned(state: State) -> Update | None:
    """The query written along with the plan."""
    if not state.search.query:
        return None
    return {"search": state.search, "note": noted("first", "run.reason.query_planned", query=state.search.query)}


def _first(state: State, made: SearchTerms) -> Update:
    query = made.query.strip()[:MAX_QUERY] or state.standalone_question
    return {"search": replace(state.search, query=query), "note": noted("first", made.reason, query=query)}


def _another(state: State, deps: Deps) -> Update:
    question = state.standalone_question
    made = ask_model(deps, REWRITE, _corrective(state, deps, question))
    query = made.query.strip()[:MAX_QUERY] or question
    corrections = state.search.corrections + 1
    return {
        "search": replace(state.search, query=query, corrections=corrections),
        "note": noted("corrective", made.reason, query=query, correction=corrections),
    }


def _corrective(state: State, deps: Deps, question: str) -> RewriteRequest:
    entities = entities_named(question, state, deps)[:MAX_NAMES]
    names = dict.fromkeys(name for entity in entities for name in (entity.name, *entity.aliases))
    return RewriteRequest(
        question=question,
        language=state.language,
        history=state.history,
        tried=state.search.tried_queries,
        rejected=state.draft.answer[:MAX_ANSWER],
        reason=state.draft.verdict_reason,
        names=tuple(names),
    )
