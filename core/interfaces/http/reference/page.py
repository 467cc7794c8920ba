"""The page at /api, drawn from the OpenAPI document and the tools of MCP. It loads nothing and runs no script."""

from base64 import b64encode
from collections.abc import Callable, Mapping, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from jinja2 import Environment
from starlette.requests import Request
from starlette.responses import HTMLResponse

from core.interfaces.http.mcp.tools import program_tools
from core.interfaces.http.reference.operations import Operation, Parameter, operations, parameters_of
from core.platform.release import release
from core.platform.texts import LANGUAGES, NAMES, of_locale, text

PARAMETER = "lang"
_ORIGIN = "{origin}"
_STYLE = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
_TEMPLATE = Environment(autoescape=True).from_string((Path(__file__).parent / "page.html").read_text(encoding="utf-8"))
_POLICY = "; ".join(
    (
        "default-src 'none'",
        f"style-src 'sha256-{b64encode(sha256(_STYLE.encode()).digest()).decode()}'",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    )
)


async def reference(request: Request) -> HTMLResponse:
    """Serves the page, which needs no key because it has no stored data."""
    asked = request.query_params.get(PARAMETER, "")
    language = asked if asked in LANGUAGES else of_locale(request.headers.get("Accept-Language", "").split(",")[0])
    page = _page(request.app.openapi, language).replace(_ORIGIN, escape(str(request.base_url).rstrip("/")))
    headers = {"Content-Security-Policy": _POLICY, "Vary": "Accept-Language"}
    return HTMLResponse(page, headers=headers)


@cache
def _page(document: Callable[[], Any], language: str) -> str:
    """document: returns the OpenAPI document; the same object for all requests of an app."""
    areas: dict[str, list[Operation]] = {}
    for operation in operations(document()):
        areas.setdefault(operation.area, []).append(operation)
    return _TEMPLATE.render(
        t=lambda key, **params: text(f"api.page.{key}", language, **params),
        tag=lambda name: {"zh-hans": "zh-Hans", "zh-hant": "zh-Hant"}.get(name, name),
        language=language,
        names={name: NAMES[name] for name in LANGUAGES},
        parameter=PARAMETER,
        style=_STYLE,
        release=release(),
        areas=areas,
        tools=[(tool, _fields(tool.schema()), _fields(tool.output_schema() or {})) for tool in program_tools()],
    )


def _fields(schema: Mapping[str, Any]) -> Sequence[Parameter]:
    return parameters_of({"components": {"schemas": schema.get("$defs", {})}}, schema)
