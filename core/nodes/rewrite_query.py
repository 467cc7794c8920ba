"""Turns the question into what is searched; after a rejected answer, looks from another angle."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from core.nodes.deciding import decide, noted
from core.nodes.plan import MAX_NAMES, MAX_QUERY
from core.nodes.rules.questions import Kind, essence, kind_of, strip_frames
from core.nodes.rules.synonyms import other_words
from core.state import Deps, State, Update
from core.tasks import Task

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

MAX_ANSWER = 1500
"""Characters of a rejected answer that are shown to the model."""
_OVERVIEW_WORDS = {
    "zh": "摘要 引言 前言 总则 目的 适用范围 主要内容 结论",
    "en": "abstract introduction purpose scope main contribution we propose conclusion",
}
_KIND_WORDS = {
    Kind.WHO: "author director founder name 负责人 作者",
    Kind.WHEN: "date year since 日期 年份",
    Kind.WHERE: "located place city 地点 位置",
    Kind.HOW_MANY: "number total table 数量 表",
    Kind.WHY: "because reason due to 原因 因为",
    Kind.DEFINITION: "definition means is a 定义 是指",
    Kind.LIST: "following include types 包括 分为",
    Kind.HOW: "method steps procedure 方法 步骤",
}


@dataclass(frozen=True, slots=True)
class RewriteRequest:
    question: str
    language: str = "en"
    tried: tuple[str, ...] = ()
    """Queries whose results did not lead to an answer."""
    rejected: str = ""
    """The answer that was rejected; empty when nothing was found."""
    reason: str = ""
    """Why it was rejected."""
    names: tuple[str, ...] = ()
    """Names and other names of the entities in the question."""


class Query(BaseModel):
    """Words to search the documents with."""

    query: str = Field(min_length=1, description="search words in the language of the documents")
    reason: str = Field(default="", description="what is looked for now, in one short sentence")


def _by_angles(request: RewriteRequest) -> Query:
    """The question itself first; then its other names, other words, and the words its answer would have."""
    kind = kind_of(request.question)
    plain = strip_frames(request.question)
    core = essence(request.question)
    if kind is Kind.OVERVIEW:
        words = _OVERVIEW_WORDS["zh" if request.language.startswith("zh") else "en"]
        plain = f"{core} {words}".strip()
    other_names = [name for name in request.names if name.casefold() not in plain.casefold()]
    angles = {
        "run.reason.query_first": plain,
        "run.reason.query_names": " ".join([core, *other_names, *other_words(core)]).strip(),
        "run.reason.query_kind": f"{core} {_KIND_WORDS.get(kind, '')}".strip(),
        "run.reason.query_core": core,
    }
    untried = ((why, words) for why, words in angles.items() if words and words not in request.tried)
    why, words = next(untried, ("run.reason.query_first", plain))
    return Query(query=words[:MAX_QUERY], reason=why)


REWRITE = Task("rewrite_query", Query, _by_angles)


def rewrite_query(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    question = state.resolved_question or state.question
    corrective = bool(state.tried_queries)
    if state.query and not corrective:
        return {"query": state.query, "note": noted("first", "run.reason.query_planned", query=state.query)}
    if not corrective:
        first = _by_angles(RewriteRequest(question, state.language))
        return {"query": first.query, "note": noted("first", first.reason, query=first.query)}
    made = decide(deps, REWRITE, _corrective(state, deps, question))
    query = made.query.strip()[:MAX_QUERY] or question
    corrections = state.corrections + 1
    return {
        "query": query,
        "corrections": corrections,
        "note": noted("corrective", made.reason, query=query, correction=corrections),
    }


def _corrective(state: State, deps: Deps, question: str) -> RewriteRequest:
    entities = deps.graph.named_in(state.base_id, question, MAX_NAMES)
    names = dict.fromkeys(name for entity in entities for name in (entity.name, *entity.aliases))
    return RewriteRequest(
        question=question,
        language=state.language,
        tried=state.tried_queries,
        rejected=state.answer[:MAX_ANSWER],
        reason=state.verdict_reason,
        names=tuple(names),
    )
