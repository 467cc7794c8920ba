"""Plans a question: its kind, whether to search, and which tools to call; resolves a follow-up."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from enum import StrEnum

from pydantic import BaseModel, Field

from core.agents.intents import A_QUESTION, Intent, Understanding
from core.agents.nodes.plan.plan import plan_search
from core.agents.nodes.plan.references import choice_of_readings
from core.agents.nodes.runtime import MAX_NAMES, ask_model, noted
from core.agents.nodes.understood import understood_in
from core.agents.state import SEARCHES, NodeRuntime, PlannedTask, Route, State, Update
from core.agents.tools.get_form_download_links import asks_for_form
from core.agents.tools.registry import names_of, tools_of
from core.agents.tools.tool import AnyTool, Toolset
from core.models.tasks import Task
from core.rulebook.messages import Question
from core.runs.model import Turn

MAX_INTENT = 200
"""Longest intent that a model may state, in characters."""


class TaskType(StrEnum):
    SIMPLE_FAQ = "simple_faq"
    FORM_DOWNLOAD = "form_download"
    CONVERSATION_FOLLOWUP = "conversation_followup"
    OUT_OF_SCOPE = "out_of_scope"
    GREETING = "greeting"


_TOOLSETS = {
    TaskType.SIMPLE_FAQ: (Toolset.DOCUMENTS,),
    TaskType.CONVERSATION_FOLLOWUP: (Toolset.DOCUMENTS,),
    TaskType.FORM_DOWNLOAD: (Toolset.DOCUMENTS, Toolset.FORMS),
}
"""Default toolsets by task, if the plan names no tools; other tasks call none."""


@dataclass(frozen=True, slots=True)
class ToolPlanRequest:
    question: str
    history: tuple[Turn, ...] = ()
    names: tuple[str, ...] = ()
    """Entities of the knowledge graph in the question."""
    tools: tuple[AnyTool, ...] = ()


class ToolPlan(BaseModel):
    """How to answer the last message of a conversation about a set of documents."""

    task_type: TaskType = Field(description="what kind of message this is")
    should_retrieve: bool = Field(description="whether the documents have to be searched")
    tool_calls: list[str] = Field(
        default_factory=list, description="names of the tools to call, none when nothing is searched"
    )
    intent: str = Field(default="", description="what the user wants, in a few words")


def _by_cues(request: ToolPlanRequest, understood: Understanding = A_QUESTION) -> ToolPlan:
    question = request.question
    if understood.intent is Intent.REWORK:
        return ToolPlan(task_type=TaskType.CONVERSATION_FOLLOWUP, should_retrieve=False, intent="rework")
    if understood.is_errand:
        return _planned(TaskType.OUT_OF_SCOPE, "errand")
    if not understood.is_question:
        return _planned(TaskType.GREETING, understood.intent.value)
    if asks_for_form(question):
        return _planned(TaskType.FORM_DOWNLOAD, "form")
    if request.history and Question(question).leans_on_history:
        return _planned(TaskType.CONVERSATION_FOLLOWUP, Question(question).kind.value)
    return _planned(TaskType.SIMPLE_FAQ, Question(question).kind.value)


def _planned(task: TaskType, intent: str) -> ToolPlan:
    tools = list(names_of(*_TOOLSETS.get(task, ())))
    return ToolPlan(task_type=task, should_retrieve=bool(tools), tool_calls=tools, intent=intent)


PLAN_TOOLS = Task("plan_tools", ToolPlan, _by_cues, max_tokens=500)


def plan_tools(state: State, runtime: NodeRuntime) -> Update:
    deps = runtime.context
    if choice := choice_of_readings(state, deps):
        task = TaskType.GREETING
        planned = PlannedTask(task.value, "asked_back")
        return {**choice, "task": planned, "note": noted(task, "run.reason.asked_back")}
    question = state.standalone_question
    names = tuple(entity.name for entity in deps.graph.named_in(state.base_id, question, MAX_NAMES))
    understood = understood_in(state, deps)
    request = ToolPlanRequest(question, state.history, names, tools_of(Toolset.DOCUMENTS, Toolset.FORMS))
    made = _by_cues(request, understood)
    if made.task_type is TaskType.SIMPLE_FAQ and (understood.in_doubt or not names):
        made = ask_model(deps, PLAN_TOOLS, request)
    task = made.task_type
    if task is TaskType.CONVERSATION_FOLLOWUP and not state.history:
        task = TaskType.SIMPLE_FAQ
    tools = _tools_of(task, made, state.history)
    intent = made.intent[:MAX_INTENT]
    note = noted(task, "run.reason.planned", intent=intent, tools=", ".join(tools), retrieve=bool(tools))
    planned = PlannedTask(task.value, intent, tools)
    return {**_routed(task, state, runtime), "task": planned, "note": note}


def _tools_of(task: TaskType, made: ToolPlan, history: Sequence[Turn]) -> tuple[str, ...]:
    """Planned tools; empty if nothing is searched, which only a follow-up with an earlier answer may decide."""
    answered = any(turn.role == "assistant" for turn in history)
    if task not in _TOOLSETS or (task is TaskType.CONVERSATION_FOLLOWUP and answered and not made.should_retrieve):
        return ()
    known = names_of(Toolset.DOCUMENTS, Toolset.FORMS)
    wanted = [*names_of(*_TOOLSETS[task]), *made.tool_calls]
    return tuple(name for name in dict.fromkeys(wanted) if name in known)


def _routed(task: TaskType, state: State, runtime: NodeRuntime) -> Update:
    """Search route for the documents; a follow-up is resolved first."""
    if task is TaskType.OUT_OF_SCOPE:
        return {"search": replace(state.search, route=Route.OUT_OF_SCOPE)}
    if task is TaskType.GREETING:
        return {"search": replace(state.search, route=Route.DIRECT)}
    return {} if task is TaskType.CONVERSATION_FOLLOWUP else plan_search(state, runtime)


class FollowupOutcome(StrEnum):
    EVIDENCE = "evidence"
    HISTORY = "history"


def followup_transform(state: State, runtime: NodeRuntime) -> Update:
    if not state.task.tools:
        return {"note": noted(FollowupOutcome.HISTORY, "run.reason.rework")}
    resolved = plan_search(state, runtime)
    search = resolved["search"]
    if search.route not in SEARCHES:
        search = replace(search, route=Route.CHUNKS)
    note = noted(FollowupOutcome.EVIDENCE, "run.reason.followup", resolved=resolved["resolved_question"])
    return {**resolved, "search": search, "note": note}
