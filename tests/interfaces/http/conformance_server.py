"""What the official conformance suite of MCP asks of a server: its tools, resources and prompts, by their names."""

import json
from typing import Any

from mcp import types
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.prompts.base import UserMessage
from mcp.server.request_state import RequestStateSecurity
from mcp.shared.exceptions import MCPError

SUITE = "Asked for by the conformance suite."
PIXEL = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
SILENCE = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
OBJECT_OF = {
    name: {"type": "object", "properties": {name: {"type": kind}}, "required": [name]}
    for name, kind in (("name", "string"), ("ok", "boolean"), ("color", "string"), ("context", "string"))
}
Wanted = types.InputRequiredResult
server: MCPServer[Any] = MCPServer(
    name="conformance", version="1", request_state_security=RequestStateSecurity(keys=[b"k" * 32])
)


def _text(words: str) -> types.TextContent:
    return types.TextContent(type="text", text=words)


def _image() -> types.ImageContent:
    return types.ImageContent(type="image", data=PIXEL, mime_type="image/png")


def _embedded(uri: str, words: str, mime_type: str = "text/plain") -> types.EmbeddedResource:
    contents = types.TextResourceContents(uri=uri, mime_type=mime_type, text=words)
    return types.EmbeddedResource(type="resource", resource=contents)


def _asked(name: str, message: str) -> types.ElicitRequest:
    return types.ElicitRequest(params=types.ElicitRequestFormParams(message=message, requested_schema=OBJECT_OF[name]))


def _sampled(words: str) -> types.CreateMessageRequest:
    message = types.SamplingMessage(role="user", content=_text(words))
    return types.CreateMessageRequest(params=types.CreateMessageRequestParams(messages=[message], max_tokens=50))


def _given(answer: object, name: str) -> str:
    content = answer.content if isinstance(answer, types.ElicitResult) else None
    return str((content or {}).get(name, ""))


@server.tool(description=SUITE)
def test_simple_text() -> str:
    return "This is a simple text response for testing."


@server.tool(description=SUITE)
def test_image_content() -> list[types.ImageContent]:
    return [_image()]


@server.tool(description=SUITE)
def test_audio_content() -> list[types.AudioContent]:
    return [types.AudioContent(type="audio", data=SILENCE, mime_type="audio/wav")]


@server.tool(description=SUITE)
def test_embedded_resource() -> list[types.EmbeddedResource]:
    return [_embedded("test://embedded-resource", "This is an embedded resource content.")]


@server.tool(description=SUITE)
def test_multiple_content_types() -> list[types.TextContent | types.ImageContent | types.EmbeddedResource]:
    resource = _embedded("test://mixed-content-resource", '{"test": "data", "value": 123}', "application/json")
    return [_text("Multiple content types test:"), _image(), resource]


@server.tool(description=SUITE)
async def test_tool_with_progress(ctx: Context) -> str:
    for done in (0, 50, 100):
        await ctx.report_progress(progress=done, total=100, message=f"Completed step {done} of 100")
    return "done"


@server.tool(description=SUITE)
def test_error_handling() -> str:
    raise RuntimeError("This tool intentionally returns an error for testing")


@server.tool(description=SUITE)
async def test_missing_capability(ctx: Context) -> str:
    known = ctx.session.client_capabilities
    if known is None or known.sampling is None:
        needed: dict[str, Any] = {"requiredCapabilities": {"sampling": {}}}
        raise MCPError(code=types.MISSING_REQUIRED_CLIENT_CAPABILITY, message="It needs sampling.", data=needed)
    return "It is there."


@server.tool(description=SUITE)
async def test_input_required_result_elicitation(ctx: Context) -> str | Wanted:
    if "user_name" in (answers := ctx.input_responses or {}):
        return f"Hello, {_given(answers['user_name'], 'name')}!"
    return Wanted(input_requests={"user_name": _asked("name", "What is your name?")})


@server.tool(description=SUITE)
async def test_input_required_result_sampling(ctx: Context) -> str | Wanted:
    if "capital_question" in (answers := ctx.input_responses or {}):
        said = answers["capital_question"]
        text = said.content.text if isinstance(said, types.CreateMessageResult) and said.content.type == "text" else ""
        return f"The model said: {text}"
    return Wanted(input_requests={"capital_question": _sampled("What is the capital of France?")})


@server.tool(description=SUITE)
async def test_input_required_result_list_roots(ctx: Context) -> str | Wanted:
    if "client_roots" in (answers := ctx.input_responses or {}):
        found = answers["client_roots"]
        return f"{len(found.roots) if isinstance(found, types.ListRootsResult) else 0} roots"
    return Wanted(input_requests={"client_roots": types.ListRootsRequest()})


@server.tool(description=SUITE)
async def test_input_required_result_request_state(ctx: Context) -> str | Wanted:
    if "confirm" in (ctx.input_responses or {}) and ctx.request_state == "nonce":
        return "state-ok: confirmed"
    return Wanted(input_requests={"confirm": _asked("ok", "Please confirm")}, request_state="nonce")


@server.tool(description=SUITE)
async def test_input_required_result_multiple_inputs(ctx: Context) -> str | Wanted:
    if {"user_name", "greeting", "client_roots"} <= (ctx.input_responses or {}).keys():
        return "All inputs received."
    wanted: dict[str, types.InputRequest] = {
        "user_name": _asked("name", "What is your name?"),
        "greeting": _sampled("Generate a greeting"),
        "client_roots": types.ListRootsRequest(),
    }
    return Wanted(input_requests=wanted, request_state="multiple")


@server.tool(description=SUITE)
async def test_input_required_result_multi_round(ctx: Context) -> str | Wanted:
    state, answers = json.loads(ctx.request_state or '{"round": 0}'), ctx.input_responses or {}
    if state["round"] == 1 and "step1" in answers:
        told = json.dumps({"round": 2, "name": _given(answers["step1"], "name")})
        return Wanted(input_requests={"step2": _asked("color", "What is your favorite color?")}, request_state=told)
    if state["round"] == 2 and "step2" in answers:
        return f"{state['name']} likes {_given(answers['step2'], 'color')}."
    first = _asked("name", "What is your name?")
    return Wanted(input_requests={"step1": first}, request_state='{"round": 1}')


@server.tool(description=SUITE)
async def test_input_required_result_tampered_state(ctx: Context) -> str | Wanted:
    if ctx.request_state is not None:
        return f"state-ok: {ctx.request_state}"
    return Wanted(input_requests={"confirm": _asked("ok", "Please confirm")}, request_state="round-1")


@server.tool(description=SUITE)
async def test_input_required_result_capabilities(ctx: Context) -> Wanted:
    known, wanted = ctx.client_capabilities, dict[str, types.InputRequest]()
    if known is None or known.sampling is not None:
        wanted["sample"] = _sampled("Say hello")
    if known is None or known.elicitation is not None:
        wanted["ask"] = _asked("name", "What is your name?")
    return Wanted(input_requests=wanted, request_state="gated")


@server.resource("test://static-text")
def static_text() -> str:
    return "This is the content of the static text resource."


@server.resource("test://static-binary", mime_type="image/png")
def static_binary() -> bytes:
    from base64 import b64decode

    return b64decode(PIXEL)


@server.resource("test://template/{id}/data")
def template(id: str) -> str:
    return json.dumps({"id": id, "templateTest": True, "data": f"Data for ID: {id}"})


@server.prompt(description=SUITE)
def test_simple_prompt() -> list[UserMessage]:
    return [UserMessage(content=_text("This is a simple prompt for testing."))]


@server.prompt(description=SUITE)
def test_prompt_with_arguments(arg1: str, arg2: str) -> list[UserMessage]:
    return [UserMessage(content=_text(f"Prompt with arguments: arg1='{arg1}', arg2='{arg2}'"))]


@server.prompt(description=SUITE)
def test_prompt_with_embedded_resource(resourceUri: str) -> list[UserMessage]:  # the suite's name
    return [
        UserMessage(content=_embedded(resourceUri, "Embedded resource content for testing.")),
        UserMessage(content=_text("Please process the embedded resource above.")),
    ]


@server.prompt(description=SUITE)
def test_prompt_with_image() -> list[UserMessage]:
    return [UserMessage(content=_image()), UserMessage(content=_text("Please analyze the image above."))]


@server.prompt(description=SUITE)
async def test_input_required_result_prompt(ctx: Context) -> list[UserMessage] | Wanted:
    if "user_context" in (answers := ctx.input_responses or {}):
        return [UserMessage(content=_text(f"Use this context: {_given(answers['user_context'], 'context')}"))]
    return Wanted(input_requests={"user_context": _asked("context", "What context should the prompt use?")})


@server.completion()  # type: ignore[no-untyped-call, untyped-decorator]
async def complete(*_: object) -> types.Completion:
    return types.Completion(values=[], total=0, has_more=False)
