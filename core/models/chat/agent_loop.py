"""Models that call tools themselves: LangChain's agent loop and single turns, over the shared client."""

import json
from collections.abc import Callable, Sequence
from itertools import dropwhile
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware.types import AgentMiddleware, ModelRequest, ModelResponse
from langchain.tools.tool_node import ToolCallRequest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI

from core.models.agent_ports import AgentHost, AgentTask, ModelTurn, Request, ToolSchema, ToolUse, TurnRequest
from core.models.chat.agent_call import AgentCall, Tokens, uses_of
from core.models.chat.deadline import CircuitBreaker
from core.models.chat.dialogue import ChatDialogue
from core.models.fences import without_model_tags
from core.models.meter import Meter
from core.models.prompt_files import fill
from core.platform.errors import ServiceError
from core.runs.model import Turn

STEPS_A_TURN = 2
"""One turn of the model with its tools."""


class AgentLoop:
    """Agent for one endpoint. `opened()` gives its dialogue, created on the first call."""

    def __init__(self, opened: Callable[[], ChatDialogue], rest: CircuitBreaker) -> None:
        self._opened = opened
        self._rest = rest

    def run(self, task: AgentTask[Request], request: Request, host: AgentHost, meter: Meter) -> str:
        self._rest.check()
        system, user = (message["content"] for message in fill(task.name, request))
        endpoint = self._opened().endpoint
        tokens = Tokens(host.say, meter, endpoint.config.api_key)
        agent: Any = create_agent(
            endpoint.chat_model,
            tools=[_declared(tool) for tool in host.tools],
            system_prompt=system,
            middleware=[_Hosted(host, AgentCall(self._opened(), task, tokens, meter))],
            checkpointer=False,
            name=task.name,
        )
        limits = {"recursion_limit": STEPS_A_TURN * host.max_turns + STEPS_A_TURN, "max_concurrency": 1}
        try:
            ended = agent.invoke(
                {"messages": [*_conversation(host.history), HumanMessage(user)]}, {**limits, "callbacks": [tokens]}
            )
        except ServiceError as error:
            self._note(error, meter)
            raise
        answer: str = ended["messages"][-1].text
        return answer

    def turn(self, task: AgentTask[Request], request: Request, order: TurnRequest, meter: Meter) -> ModelTurn:
        self._rest.check()
        system, user = (message["content"] for message in fill(task.name, request))
        asked = [SystemMessage(system), *_conversation(order.history), HumanMessage(user)]
        messages = [*asked, *_as_messages(order.used)]
        tokens = Tokens(order.say, meter, self._opened().endpoint.config.api_key)
        tools = [_declared(tool) for tool in order.tools]

        def attempt(model: ChatOpenAI, settings: dict[str, Any]) -> AIMessage:
            bound = model.bind_tools(tools, **settings) if tools else model.bind(**settings)
            return bound.invoke(messages, {"callbacks": [tokens]})

        try:
            made = AgentCall(self._opened(), task, tokens, meter).made(attempt, messages, order.tools)
        except ServiceError as error:
            self._note(error, meter)
            raise
        return ModelTurn(made.text, uses_of(made))

    def _note(self, error: ServiceError, meter: Meter) -> None:
        """A question that ran out of its own time says nothing of the model."""
        if meter.remaining_seconds() > 0:
            self._rest.after(error)


class _Hosted(AgentMiddleware[Any, Any, Any]):
    """Passes every turn and every tool call of the loop to the host."""

    def __init__(self, host: AgentHost, call: AgentCall) -> None:
        super().__init__()
        self._host = host
        self._call = call

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        offered = self._host.tools if self._host.begin_turn() else ()
        tools = request.tools if offered else []
        system = [request.system_message] if request.system_message else []

        def attempt(model: ChatOpenAI, settings: dict[str, Any]) -> AIMessage:
            asked = request.override(model=model, tools=tools, model_settings=settings)
            return _spoken(handler(asked).result)

        made = self._call.made(attempt, [*system, *request.messages], offered)
        settled = self._host.on_turn_end(ModelTurn(made.text, uses_of(made)))
        return ModelResponse([_as_message(settled.text, settled.wanted)])

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> ToolMessage:
        del handler  # the host has the tools, also for names and arguments that LangChain would refuse
        call = request.tool_call
        use = ToolUse(call["id"] or "", call["name"], json.dumps(call["args"], ensure_ascii=False))
        return _result(use, self._host.call(use))


def _declared(tool: ToolSchema) -> StructuredTool:
    """A tool as shown to the model; calls are run elsewhere."""

    def nowhere(**arguments: Any) -> str:
        raise NotImplementedError(f"{tool.name} is called by the host: {arguments}")

    return StructuredTool.from_function(
        nowhere, name=tool.name, description=tool.description, args_schema=dict(tool.parameters)
    )


def _spoken(result: Sequence[BaseMessage]) -> AIMessage:
    message = result[-1]
    if not isinstance(message, AIMessage):
        raise TypeError(f"a model answered with {type(message).__name__}")
    return message


def _conversation(history: Sequence[Turn]) -> list[BaseMessage]:
    """The conversation from its first question on: servers reject one that begins with an answer."""
    turns = dropwhile(lambda turn: turn.role != "user", (turn for turn in history if turn.text.strip()))
    said = ((turn.role, without_model_tags(turn.text)) for turn in turns)
    return [HumanMessage(text) if role == "user" else AIMessage(text) for role, text in said]


def _as_messages(used: Sequence[ToolUse]) -> list[BaseMessage]:
    """Calls with their results. Never a result without its call, which servers reject."""
    pairs = ((_as_message("", (use,)), _result(use, use.result)) for use in used)
    return [message for pair in pairs for message in pair]


def _result(use: ToolUse, text: str) -> ToolMessage:
    return ToolMessage(without_model_tags(text), tool_call_id=use.call_id, name=use.tool)


def _as_message(text: str, wanted: Sequence[ToolUse]) -> AIMessage:
    calls = [ToolCall(name=it.tool, args=_arguments(it), id=it.call_id, type="tool_call") for it in wanted]
    return AIMessage(text, tool_calls=calls)


def _arguments(use: ToolUse) -> dict[str, Any]:
    given: dict[str, Any] = json.loads(use.arguments)
    return given
