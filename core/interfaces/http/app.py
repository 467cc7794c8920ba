"""The ASGI app of the HTTP interface; the web app mounts it and loads it with the first request."""

from collections.abc import Callable
from typing import Any

from fastapi import APIRouter, Depends, FastAPI
from starlette.routing import Route

from core.app.services import Services
from core.interfaces.http import agent_chat
from core.interfaces.http.access import KeyGuard
from core.interfaces.http.mcp.server import McpEndpoint, key_of_request, make_server
from core.interfaces.http.openai import chat, embeddings, models, responses
from core.interfaces.http.problems import PROBLEM_TYPE, OpenAiError, Problem, Responses, handle_problems
from core.interfaces.http.reference.page import reference
from core.interfaces.http.request_checks import KIND as JSON
from core.interfaces.http.request_checks import MAX_BODY_BYTES, ETags, SlowBodies, check_query
from core.interfaces.http.request_checks import PREFIX as ETAGGED
from core.interfaces.http.v1 import (
    bases,
    documents,
    evaluations,
    graph,
    graph_edits,
    health,
    memories,
    retrieval,
    runs,
    streaming,
    threads,
)
from core.platform.release import release

OWN_PATHS: tuple[APIRouter, ...] = (agent_chat.router, models.router, chat.router, responses.router, embeddings.router)
"""Foreign protocols with fixed paths."""
ROUTERS: tuple[APIRouter, ...] = (
    bases.router,
    documents.router,
    streaming.router,
    threads.router,
    runs.router,
    evaluations.router,
    retrieval.router,
    graph.router,
    graph_edits.router,
    memories.router,
    health.router,
)
_ABOUT = """Documents, questions, the graph and memories.

Requests need a key, made on the Settings page under API, as `Authorization: Bearer KEY`. Errors are problem details
(RFC 9457). Times are in UTC, pages count from 1."""
_REFUSALS = (400, 401, 403, 404, 409, 413, 422, 429, 503)
_PROBLEMS: Responses = {status: {"model": Problem, "content": {PROBLEM_TYPE: {}}} for status in _REFUSALS}
_OPENAI_ERRORS: Responses = {status: {"model": OpenAiError} for status in _REFUSALS}


def make_app(services: Callable[[], Services]) -> FastAPI:
    """services: called when the services are needed."""
    app = _App(
        title="GraphTalk",
        version=release(),
        description=_ABOUT,
        openapi_url="/api/v1/openapi.json",
        docs_url=None,  # Swagger's and ReDoc's pages load scripts from another host; /api has a page of our own
        redoc_url=None,
        generate_unique_id_function=lambda route: route.name,  # for names in generated clients
        max_body_size=MAX_BODY_BYTES,
        dependencies=[Depends(check_query)],
    )
    app.state.services = services
    for router in ROUTERS:
        app.include_router(router, prefix="/api/v1", responses=_PROBLEMS)
    for router in OWN_PATHS:
        app.include_router(router, responses=_OPENAI_ERRORS if router.prefix else _PROBLEMS)
    app.router.routes += [Route(path, reference) for path in ("/api", "/api/")]
    app.router.routes.append(Route("/mcp", McpEndpoint(make_server(services, key_of_request))))
    handle_problems(app)
    app.add_middleware(SlowBodies)
    app.add_middleware(ETags)
    app.add_middleware(KeyGuard, services=services)
    return app


class _App(FastAPI):
    def openapi(self) -> dict[str, Any]:
        """Adds responses that many routes have in common."""
        made = super().openapi()
        for path, methods in made["paths"].items():
            for method, operation in methods.items():
                _as_problems(operation["responses"])
                if method == "get" and path.startswith(ETAGGED) and _gives_json(operation):
                    operation["responses"]["304"] = {"description": "unchanged since the ETag that If-None-Match names"}
        return made


def _as_problems(responses: dict[str, Any]) -> None:
    """Moves the schema of problems to their media type; FastAPI documents models as plain JSON."""
    for response in responses.values():
        content = response.get("content", {})
        plain = content.get(JSON, {})
        if PROBLEM_TYPE in content and plain.get("schema", {}).get("$ref", "").endswith(f"/{Problem.__name__}"):
            content[PROBLEM_TYPE] = content.pop(JSON)


def _gives_json(operation: dict[str, Any]) -> bool:
    return JSON in operation["responses"].get("200", {}).get("content", {})
