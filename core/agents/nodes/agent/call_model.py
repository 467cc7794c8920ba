"""Node of the tool loop: a model requests searches with the session's tools and answers from their results."""

from dataclasses import dataclass, replace

from core.agents.nodes.agent.call_tools import call_tools
from core.agents.nodes.agent.think import Continue, ModelUse, ToolAgent, Tools, ToolStep, step_by_rule, think
from core.agents.nodes.agent.tool_turn import tool_turn
from core.agents.nodes.answer.not_found import NOTHING, answer_from_evidence, nothing_found, settled_answer
from core.agents.nodes.evidence import evidence_of
from core.agents.nodes.runtime import WrittenText, noted
from core.agents.state import Deps, NodeRuntime, State, Update
from core.agents.tools.tool import AnyTool, Toolset, ToolSituation
from core.models.agent_ports import ToolUse
from core.models.tasks import Task
from core.platform.language.answer_marks import without_markers
from core.platform.texts import text
from core.rulebook.verification import Evidence, attributed, with_citations
from core.runs.model import Turn

ANSWER_NOW = "The best result is similar enough: answer from the results now."
NOTHING_THERE = "No result is similar enough: tell the user that nothing was found."
TRY_ANOTHER = "No result is similar enough: call {tool} next."


@dataclass(frozen=True, slots=True)
class ToolStepRequest:
    question: str
    tools: tuple[AnyTool, ...]
    """Tools of this session, in the order in which the rules try them."""
    history: tuple[Turn, ...] = ()
    used: tuple[ToolUse, ...] = ()
    """Calls made for this question, with results."""
    enough: bool = False
    """A result is similar enough to answer from."""
    instruction: str = ""


def _in_turn(request: ToolStepRequest) -> ToolStep:
    """Rule: calls each tool once with the question until a result suffices."""
    return step_by_rule(request.tools, ToolSituation(request.question, used=request.used, enough=request.enough))


STEP = Task("call_model", ToolStep, _in_turn, max_tokens=500)


def _request(state: State, _: Deps, tools: Tools) -> ToolStepRequest:
    return ToolStepRequest(
        question=state.resolved_question,
        tools=tools,
        history=state.history,
        used=state.agent.calls,
        enough=_enough(state),
        instruction=_instruction(state, tools),
    )


def _use_model(state: State, deps: Deps, tools: Tools) -> ModelUse | None:
    agent = deps.llm.agent()
    if agent is None:
        return None
    offered = () if state.agent.forced else tools
    return tool_turn(state, deps, agent, offered, _enough(state), _instruction(state, offered))


def _enough(state: State) -> bool:
    return bool(state.search.kept or state.search.web)


def _instruction(state: State, tools: Tools) -> str:
    """What to do with the results, as similar as they are; a tool that has not been called comes first."""
    if not state.agent.calls:
        return ""
    if _enough(state):
        return ANSWER_NOW
    called = {use.tool for use in state.agent.calls}
    other = next((tool.name for tool in tools if tool.name not in called), "")
    return TRY_ANOTHER.format(tool=other) if other else NOTHING_THERE


def _answer(state: State, runtime: NodeRuntime, written: WrittenText | None) -> Update:
    """The model's own answer if it wrote one, else an answer generated from the evidence."""
    if not _enough(state):
        return _nothing_similar(state, runtime.context)
    if written is not None and written.text:
        answered = settled_answer(state, _own(state, runtime.context, written), runtime)
    else:
        answered = answer_from_evidence(state, runtime)
    reason = "run.reason.forced" if state.agent.forced else answered["note"].reason
    if answered["draft"].outcome not in NOTHING:
        answered = _with_web_fault(state, answered)
    return {**answered, "note": replace(answered["note"], outcome=Continue.END.value, reason=reason)}


def _nothing_similar(state: State, deps: Deps) -> Update:
    base = deps.bases.get(state.base_id).name
    said = text("answer.not_found.base", state.language, base=base)
    draft = nothing_found(state, deps, said)
    note = noted(Continue.END, "run.reason.nothing_similar", count=len(state.agent.calls))
    return {**_with_web_fault(state, {"draft": draft}), "note": note}


def _with_web_fault(state: State, answered: Update) -> Update:
    """Publishes the answer, with the reason why the web did not help, if there is one."""
    draft = answered["draft"]
    if not state.search.web_fault:
        return {**answered, "shown": draft.published()}
    answer = f"{draft.answer}\n\n{text(state.search.web_fault, state.language)}"
    draft = replace(draft, answer=answer)
    return {**answered, "draft": draft, "shown": draft.published()}


def _own(state: State, deps: Deps, written: WrittenText) -> Update:
    """The model's own text, each sentence cited with the passage that supports it."""
    ranked = [hit.chunk_id for hit in state.search.hits]
    passages = evidence_of(state, deps)
    answer, citations = attributed(written.text, passages, ranked)
    if not citations:
        answer, citations = with_citations(without_markers(written.text), Evidence(passages, deps.encoder))
    draft = replace(
        state.draft,
        answer=answer,
        citations=citations,
        interrupted=bool(written.fault),
        verdict_reason=written.fault,
    )
    return {"draft": draft}


SEARCH_AGENT = ToolAgent(
    toolset=Toolset.SEARCH,
    step=STEP,
    request=_request,
    use_model=_use_model,
    answer=_answer,
)


def call_model(state: State, runtime: NodeRuntime) -> Update:
    return think(SEARCH_AGENT, state, runtime)


def search_tools(state: State, runtime: NodeRuntime) -> Update:
    return call_tools(SEARCH_AGENT.toolset, state, runtime)
