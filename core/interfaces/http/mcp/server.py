"""The MCP server over standard input and output, and over stateless streamable HTTP."""

import logging
from collections.abc import Callable
from functools import cache
from typing import Any, TypeVar

from anyio import CapacityLimiter, to_thread
from mcp import types
from mcp.server import Server, ServerRequestContext
from mcp.server.stdio import stdio_server
from mcp.server.streamable_http_manager import StreamableHTTPSessionManager
from mcp.shared.exceptions import MCPError
from pydantic import ValidationError
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from core.agents.workflows.registry import workflows
from core.app.services import Services
from core.interfaces.http.access import key_of, require
from core.interfaces.http.mcp.arguments import AnyProgramTool, ToolResult
from core.interfaces.http.mcp.pages import DOCUMENT, PAGE, address_of, listed_documents, text_at
from core.interfaces.http.mcp.tools import program_tools
from core.interfaces.http.problems import RefusedRequest
from core.interfaces.http.request_checks import MAX_BODY_BYTES
from core.interfaces.http.waiting import in_own_thread
from core.people.api_keys import ApiKey, KeyScope
from core.platform.clock import utc_now
from core.platform.errors import AppError
from core.platform.release import release
from core.platform.texts import known, text

_LOG = logging.getLogger(__name__)
_ABOUT = (
    "Documents of the user, a knowledge graph of what they mention, and long-term memories. Use search_documents for "
    "passages, ask for a checked answer with sources, the graph tools for entities and how they are connected."
)
CALLS_AT_ONCE = 16
"""But for questions, which may take minutes."""
Context = ServerRequestContext[Any]
Made = TypeVar("Made")
KeyOf = Callable[[Context], ApiKey]
_MOST = 100
"""Limit of values of a completion in the protocol."""
_ARGUMENTS = [
    types.PromptArgument(name="question", description="what the documents are to answer", required=True),
    types.PromptArgument(name="base", description="knowledge base, by name or id; needed where there are several"),
]


def make_server(services: Callable[[], Services], key: KeyOf) -> Server[Any]:
    """key: returns the key of the caller; raises RefusedRequest without one."""
    calls = _Calls(services, key)
    return Server(
        "graphtalk",
        title="GraphTalk",
        version=release(),
        instructions=_ABOUT,
        on_list_tools=calls.list_tools,
        on_call_tool=calls.call_tool,
        on_list_resources=calls.list_resources,
        on_list_resource_templates=calls.list_templates,
        on_read_resource=calls.read_resource,
        on_list_prompts=calls.list_prompts,
        on_get_prompt=calls.get_prompt,
        on_completion=calls.complete,
    )


async def serve_stdio(services: Services) -> None:
    """For the user who started the process and owns the data folder. Ends with the standard input."""
    owner = ApiKey("", "stdio", KeyScope.ADMIN, "", utc_now())
    server = make_server(lambda: services, lambda _: owner)
    async with stdio_server() as (read, write):
        await server.run(read, write, server.create_initialization_options())


class McpEndpoint:
    """ASGI app at one path, without sessions, so that requests may go to any process; there is no event stream."""

    def __init__(self, server: Server[Any]) -> None:
        self._server = server

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["method"] != "POST":
            await PlainTextResponse("Send messages with POST.", 405, {"Allow": "POST"})(scope, receive, send)
            return
        scope["headers"] = [
            (name, value.strip(b" \t")) for name, value in scope["headers"]
        ]  # some servers leave spaces
        manager = StreamableHTTPSessionManager(self._server, stateless=True, max_request_body_size=MAX_BODY_BYTES)
        async with manager.run():
            await manager.handle_request(scope, receive, send)


def key_of_request(context: Context) -> ApiKey:
    if context.request is None:
        raise RefusedRequest(401, "api.problem.unauthorized")
    return key_of(context.request)


@cache
def _tools() -> dict[str, AnyProgramTool]:
    return {tool.name: tool for tool in program_tools()}


class _Calls:
    """Handlers of requests; work runs in threads, because services wait for disks and models."""

    def __init__(self, services: Callable[[], Services], key: KeyOf) -> None:
        self._services = services
        self._key = key
        self._limiter: CapacityLimiter | None = None

    async def _in_thread(self, work: Callable[[], Made]) -> Made:
        self._limiter = self._limiter or CapacityLimiter(CALLS_AT_ONCE)
        return await to_thread.run_sync(work, limiter=self._limiter)

    async def list_tools(self, context: Context, _: types.PaginatedRequestParams | None) -> types.ListToolsResult:
        """Those that the key's scope allows."""
        key = self._key(context)
        allowed = [tool for tool in _tools().values() if key.scope.includes(tool.needs)]
        return types.ListToolsResult(tools=[_described(tool) for tool in allowed])

    async def call_tool(self, context: Context, params: types.CallToolRequestParams) -> types.CallToolResult:
        key, tool = self._key(context), _tools().get(params.name)
        run = in_own_thread if tool and tool.asks else self._in_thread
        try:
            made = await run(lambda: self._called(key, params.name, params.arguments or {}))
        except AppError as error:
            return _failed(str(error))
        except Exception as error:  # noqa: BLE001  # the text of a defect must not reach the caller
            _LOG.error("the tool %r failed", params.name, exc_info=error)
            return _failed(str(RefusedRequest(500, "api.problem.unexpected", kind=type(error).__name__)))
        content: list[types.ContentBlock] = [types.TextContent(type="text", text=made.text)]
        content += [types.ResourceLink(type="resource_link", uri=it.address, name=it.name) for it in made.links]
        structured = made.structured.model_dump(mode="json") if made.structured else None
        return types.CallToolResult(content=content, structured_content=structured)

    async def list_resources(
        self, context: Context, params: types.PaginatedRequestParams | None
    ) -> types.ListResourcesResult:
        self._key(context)
        cursor = params.cursor if params else None
        try:
            found, more = await self._in_thread(lambda: listed_documents(self._services(), cursor))
        except AppError as error:
            raise MCPError(code=types.INVALID_PARAMS, message=str(error)) from error
        return types.ListResourcesResult(
            next_cursor=more,
            resources=[
                types.Resource(
                    uri=address_of(document),
                    name=document.name,
                    title=document.title or None,
                    mime_type="text/markdown",
                )
                for document in found
            ],
        )

    async def list_templates(
        self, context: Context, _: types.PaginatedRequestParams | None
    ) -> types.ListResourceTemplatesResult:
        self._key(context)
        templates = {"document": DOCUMENT, "page": PAGE}
        return types.ListResourceTemplatesResult(
            resource_templates=[
                types.ResourceTemplate(name=name, uri_template=address, mime_type="text/markdown")
                for name, address in templates.items()
            ]
        )

    async def read_resource(
        self, context: Context, params: types.ReadResourceRequestParams
    ) -> types.ReadResourceResult:
        self._key(context)
        address = str(params.uri)
        try:
            text = await self._in_thread(lambda: text_at(self._services(), address))
        except AppError as error:
            raise MCPError(code=types.INVALID_PARAMS, message=str(error), data={"uri": address}) from error
        contents = types.TextResourceContents(uri=params.uri, text=text, mime_type="text/markdown")
        return types.ReadResourceResult(contents=[contents])

    async def list_prompts(self, context: Context, _: types.PaginatedRequestParams | None) -> types.ListPromptsResult:
        self._key(context)
        return types.ListPromptsResult(prompts=listed_prompts())

    async def get_prompt(self, context: Context, params: types.GetPromptRequestParams) -> types.GetPromptResult:
        self._key(context)
        return filled_prompt(params.name, params.arguments or {})

    async def complete(self, context: Context, params: types.CompleteRequestParams) -> types.CompleteResult:
        self._key(context)
        found = await self._in_thread(lambda: completed(self._services(), params.argument))
        return types.CompleteResult(completion=found)

    def _called(self, key: ApiKey, name: str, arguments: dict[str, Any]) -> ToolResult:
        """Raises AppError."""
        tool = _tools().get(name)
        if tool is None:
            raise RefusedRequest(404, "api.problem.tool", name=name, known=", ".join(_tools()))
        require(key, tool.needs)
        try:
            given = tool.arguments.model_validate(arguments)
        except ValidationError as error:
            first = error.errors(include_url=False, include_input=False, include_context=False)[0]
            place = ".".join(map(str, first["loc"]))
            raise RefusedRequest(422, "api.problem.arguments", place=place, reason=first["msg"]) from error
        return tool.call(self._services(), key, given)


def _described(tool: AnyProgramTool) -> types.Tool:
    hints = types.ToolAnnotations(
        read_only_hint=not (tool.asks or tool.needs.includes(KeyScope.WRITE)),  # a question leaves a conversation
        destructive_hint=tool.is_destructive,
        open_world_hint=False,
    )
    return types.Tool(
        name=tool.name,
        description=tool.description,
        input_schema=tool.schema(),
        output_schema=tool.output_schema(),
        annotations=hints,
    )


def _failed(sentence: str) -> types.CallToolResult:
    content: list[types.ContentBlock] = [types.TextContent(type="text", text=sentence)]
    return types.CallToolResult(content=content, is_error=True)


def listed_prompts() -> list[types.Prompt]:
    return [
        types.Prompt(
            name=workflow.name,
            title=_words(workflow.title),
            description=_words(workflow.summary),
            arguments=_ARGUMENTS,
        )
        for workflow in workflows().values()
    ]


def filled_prompt(name: str, given: dict[str, str]) -> types.GetPromptResult:
    """Raises MCPError."""
    workflow = workflows().get(name)
    if workflow is None:
        raise MCPError(code=types.INVALID_PARAMS, message=f"There is no prompt called {name}.")
    question, base = given.get("question", "").strip(), given.get("base", "").strip()
    if not question:
        raise MCPError(code=types.INVALID_PARAMS, message="The argument question is missing.")
    where = f", base {base}" if base else ""
    words = f'Answer with the tool "ask" (workflow {name}{where}), and name the sources it gives:\n\n{question}'
    said = types.PromptMessage(role="user", content=types.TextContent(type="text", text=words))
    return types.GetPromptResult(description=_words(workflow.summary), messages=[said])


def _words(key: str) -> str:
    """Text of the catalogue, or the text itself from a plug-in."""
    return text(key, "en") if known(key) else key


def completed(services: Services, argument: types.CompletionArgument) -> types.Completion:
    """Names of knowledge bases, or ids of the first listed documents, that begin with the typed value."""
    names: list[str] = []
    if argument.name == "base":
        names = [base.name for base in services.library.bases.all()]
    elif argument.name == "document_id":
        names = [document.id for document in listed_documents(services, None)[0]]
    begun = argument.value.casefold()
    fitting = [name for name in names if name.casefold().startswith(begun)]
    return types.Completion(values=fitting[:_MOST], total=len(fitting), has_more=len(fitting) > _MOST)
