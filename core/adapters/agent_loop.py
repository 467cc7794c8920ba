"""A model that calls tools itself: LangChain's agent loop, and single turns, over the shared client."""

import json
from collections.abc import Callable, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain.agents.middleware.types import AgentMiddleware, ModelRequest, ModelResponse
from langchain.tools.tool_node import ToolCallRequest
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, SystemMessage, ToolCall, ToolMessage
from langchain_core.tools import StructuredTool
from langchain_openai import ChatOpenAI

from core.adapters.agent_call import AgentCall, Tokens, uses_of
from core.adapters.chat_dialogue import ChatDialogue
from core.agents import AgentTask, Desk, ModelTurn, Request, Tool, TurnOrder
from core.domain.tool_use import ToolUse
from core.errors import ServiceError
from core.llm.prompts import fill
from core.llm.rest import Rest
from core.ports import Meter

STEPS_A_TURN = 2
"""A turn of the model and its tools."""


class AgentLoop:
    """The Agent of one endpoint; opened() gives its dialogue, made at the first call."""

    def __init__(self, opened: Callable[[], ChatDialogue], rest: Rest) -> None:
        self._opened = opened
        self._rest = rest

    def walk(self, task: AgentTask[Request], request: Request, desk: Desk, meter: Meter) -> str:
        self._rest.check()
        system, user = (message["content"] for message in fill(task.name, request))
        endpoint = self._opened().endpoint
        tokens = Tokens(desk.say, meter, endpoint.config.api_key)
        agent: Any = create_agent(
            endpoint.chat_model,
            tools=[_declared(tool) for tool in desk.tools],
            system_prompt=system,
            middleware=[_AtDesk(desk, AgentCall(self._opened(), task.name, tokens, meter))],
            checkpointer=False,
            name=task.name,
        )
        limits = {"recursion_limit": STEPS_A_TURN * desk.max_turns + STEPS_A_TURN, "max_concurrency": 1}
        try:
            ended = agent.invoke({"messages": [HumanMessage(user)]}, {**limits, "callbacks": [tokens]})
        except ServiceError as error:
            self._rest.after(error)
            raise
        answer: str = ended["messages"][-1].text
        return answer

    def turn(self, task: AgentTask[Request], request: Request, order: TurnOrder, meter: Meter) -> ModelTurn:
        self._rest.check()
        system, user = (message["content"] for message in fill(task.name, request))
        messages = [SystemMessage(system), HumanMessage(user), *_as_messages(order.used)]
        tokens = Tokens(order.say, meter, self._opened().endpoint.config.api_key)
        tools = [_declared(tool) for tool in order.tools]

        def attempt(model: ChatOpenAI, settings: dict[str, Any]) -> AIMessage:
            bound = model.bind_tools(tools, **settings) if tools else model.bind(**settings)
            return bound.invoke(messages, {"callbacks": [tokens]})

        try:
            made = AgentCall(self._opened(), task.name, tokens, meter).made(attempt, messages, bool(tools))
        except ServiceError as error:
            self._rest.after(error)
            raise
        return ModelTurn(made.text, uses_of(made))


class _AtDesk(AgentMiddleware[Any, Any, Any]):
    """Every turn and every tool of the loop goes over the desk."""

    def __init__(self, desk: Desk, call: AgentCall) -> None:
        super().__init__()
        self._desk = desk
        self._call = call

    def wrap_model_call(
        self, request: ModelRequest[Any], handler: Callable[[ModelRequest[Any]], ModelResponse[Any]]
    ) -> ModelResponse[Any]:
        tools = request.tools if self._desk.begin_turn() else []
        system = [request.system_message] if request.system_message else []

        def attempt(model: ChatOpenAI, settings: dict[str, Any]) -> AIMessage:
            asked = request.override(model=model, tools=tools, model_settings=settings)
            return _spoken(handler(asked).result)

        made = self._call.made(attempt, [*system, *request.messages], bool(tools))
        settled = self._desk.settle(ModelTurn(made.text, uses_of(made)))
        return ModelResponse([_as_message(settled.text, settled.wanted)])

    def wrap_tool_call(self, request: ToolCallRequest, handler: Callable[[ToolCallRequest], Any]) -> ToolMessage:
        del handler  # the desk has the tools, also for names and arguments that LangChain would refuse
        call = request.tool_call
        use = ToolUse(call["id"] or "", call["name"], json.dumps(call["args"], ensure_ascii=False))
        return ToolMessage(self._desk.call(use), tool_call_id=use.call_id, name=use.tool)


def _declared(tool: Tool) -> StructuredTool:
    """What the model is shown of a tool; its calls go elsewhere."""

    def nowhere(**arguments: Any) -> str:
        raise NotImplementedError(f"{tool.name} is called at the desk: {arguments}")

    return StructuredTool.from_function(
        nowhere, name=tool.name, description=tool.description, args_schema=dict(tool.parameters)
    )


def _spoken(result: Sequence[BaseMessage]) -> AIMessage:
    message = result[-1]
    if not isinstance(message, AIMessage):
        raise TypeError(f"a model answered with {type(message).__name__}")
    return message


def _as_messages(used: Sequence[ToolUse]) -> list[BaseMessage]:
    """Calls with their results: never a result without its call, which servers refuse."""
    pairs = ((_as_message("", (use,)), ToolMessage(use.result, tool_call_id=use.call_id)) for use in used)
    return [message for pair in pairs for message in pair]


def _as_message(text: str, wanted: Sequence[ToolUse]) -> AIMessage:
    calls = [ToolCall(name=it.tool, args=_arguments(it), id=it.call_id, type="tool_call") for it in wanted]
    return AIMessage(text, tool_calls=calls)


def _arguments(use: ToolUse) -> dict[str, Any]:
    given: dict[str, Any] = json.loads(use.arguments)
    return given
