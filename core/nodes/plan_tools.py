"""Plans a question: what kind it is, whether to look things up, and which tools to call for it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING

from pydantic import BaseModel, Field

from core.domain.runs import Turn
from core.nodes.deciding import decide, noted
from core.nodes.plan import MAX_NAMES, Route, plan_search
from core.nodes.rules.errands import is_errand
from core.nodes.rules.followups import leans_on_history
from core.nodes.rules.forms import asks_for_form
from core.nodes.rules.questions import any_of, kind_of
from core.nodes.rules.smalltalk import social_act
from core.state import Deps, State, Update
from core.tasks import Task
from core.tools.outcome import FORM_TOOLS, Tool

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

_REWORK = any_of(
    r"\b(?:shorter|more briefly|in (?:one|two|a few) (?:sentences?|words)|rephrase|reword|simplify|sum (?:it|that) up"
    r"|say (?:it|that) again|repeat (?:it|that|your)|translate (?:it|that|your))\b",
    r"简短(?:一?些|点)|用一[句两]|换(?:一?个)?说法|再说一遍|重复一[遍下]|翻译(?:一下|成)|简化一下|总结一下(?:你|上面|刚才)",
)
"""Asks for the last answer in another form, not for anything new."""
MAX_INTENT = 200
"""Characters of what a model takes the user to want."""


class TaskType(StrEnum):
    SIMPLE_FAQ = "simple_faq"
    FORM_DOWNLOAD = "form_download"
    CONVERSATION_FOLLOWUP = "conversation_followup"
    OUT_OF_SCOPE = "out_of_scope"
    GREETING = "greeting"


_TOOLS = {
    TaskType.SIMPLE_FAQ: (Tool.RETRIEVE_DOCUMENTS,),
    TaskType.CONVERSATION_FOLLOWUP: (Tool.RETRIEVE_DOCUMENTS,),
    TaskType.FORM_DOWNLOAD: (Tool.RETRIEVE_DOCUMENTS, *FORM_TOOLS),
}
"""What a task calls when the plan names nothing; the other tasks call nothing."""


@dataclass(frozen=True, slots=True)
class ToolPlanRequest:
    question: str
    history: tuple[Turn, ...] = ()
    names: tuple[str, ...] = ()
    """Entities of the knowledge graph in the question."""


class ToolPlan(BaseModel):
    """How to answer the last message of a conversation about a set of documents."""

    task_type: TaskType = Field(description="what kind of message this is")
    should_retrieve: bool = Field(description="whether the documents have to be searched")
    tool_calls: list[Tool] = Field(default_factory=list, description="the tools to call, none when nothing is searched")
    intent: str = Field(default="", description="what the user wants, in a few words")


def _by_cues(request: ToolPlanRequest) -> ToolPlan:
    question = request.question
    if act := social_act(question):
        return _planned(TaskType.GREETING, act.value)
    if is_errand(question):
        return _planned(TaskType.OUT_OF_SCOPE, "errand")
    if asks_for_form(question):
        return _planned(TaskType.FORM_DOWNLOAD, "form")
    if request.history and _REWORK.search(question):
        return ToolPlan(task_type=TaskType.CONVERSATION_FOLLOWUP, should_retrieve=False, intent="rework")
    if request.history and leans_on_history(question):
        return _planned(TaskType.CONVERSATION_FOLLOWUP, kind_of(question).value)
    return _planned(TaskType.SIMPLE_FAQ, kind_of(question).value)


def _planned(task: TaskType, intent: str) -> ToolPlan:
    tools = list(_TOOLS.get(task, ()))
    return ToolPlan(task_type=task, should_retrieve=bool(tools), tool_calls=tools, intent=intent)


PLAN_TOOLS = Task("plan_tools", ToolPlan, _by_cues)


def plan_tools(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    question = state.resolved_question or state.question
    names = tuple(entity.name for entity in deps.graph.named_in(state.base_id, question, MAX_NAMES))
    request = ToolPlanRequest(question, state.history, names)
    made = _by_cues(request)
    if made.task_type is TaskType.SIMPLE_FAQ and not names:
        made = decide(deps, PLAN_TOOLS, request)
    task = made.task_type
    if task is TaskType.CONVERSATION_FOLLOWUP and not state.history:
        task = TaskType.SIMPLE_FAQ
    tools = _tools_of(task, made, state.history)
    intent = made.intent[:MAX_INTENT]
    note = noted(task, "run.reason.planned", intent=intent, tools=", ".join(tools), retrieve=bool(tools))
    planned: Update = {"task_type": task.value, "intent": intent, "tools": tools, "note": note}
    return {**_routed(task, state, runtime), **planned}


def after_planner(state: State) -> TaskType:
    return TaskType(state.task_type)


def _tools_of(task: TaskType, made: ToolPlan, history: Sequence[Turn]) -> tuple[str, ...]:
    """None where nothing is searched: only follow-ups leave that to the plan, if there is an answer to go back to."""
    answered = any(turn.role == "assistant" for turn in history)
    if task not in _TOOLS or (task is TaskType.CONVERSATION_FOLLOWUP and answered and not made.should_retrieve):
        return ()
    return tuple(tool.value for tool in dict.fromkeys([*_TOOLS[task], *made.tool_calls]))


def _routed(task: TaskType, state: State, runtime: Runtime[Deps]) -> Update:
    """How the documents are searched; a follow-up is resolved first."""
    if task is TaskType.OUT_OF_SCOPE:
        return {"route": Route.OUT_OF_SCOPE.value}
    if task is TaskType.GREETING:
        return {"route": Route.DIRECT.value}
    return {} if task is TaskType.CONVERSATION_FOLLOWUP else plan_search(state, runtime)
