"""The page at /api, drawn from the OpenAPI document and the tools of MCP. It loads nothing and runs no script."""

from base64 import b64encode
from collections.abc import Iterator, Sequence
from functools import cache
from hashlib import sha256
from html import escape
from pathlib import Path
from typing import Any

from starlette.requests import Request
from starlette.responses import HTMLResponse

from core.interfaces.http.mcp.tools import program_tools
from core.interfaces.http.reference.operations import Operation, Parameter, operations, parameters_of
from core.people.api_keys import KeyScope
from core.platform.release import release
from core.platform.texts import LANGUAGES, NAMES, of_locale, text

PARAMETER = "lang"
_ORIGIN = "{origin}"
_STYLE = (Path(__file__).parent / "page.css").read_text(encoding="utf-8")
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
def _page(document: Any, language: str) -> str:
    """document: returns the OpenAPI document; the same object for all requests of an app."""
    return "".join(_Page(language).whole(document()))


class _Page:
    def __init__(self, language: str) -> None:
        self._language = language

    def _t(self, key: str, **params: object) -> str:
        return escape(text(f"api.page.{key}", self._language, **params))

    def whole(self, document: Any) -> Iterator[str]:
        areas: dict[str, list[Operation]] = {}
        for operation in operations(document):
            areas.setdefault(operation.area, []).append(operation)
        title = self._t("title")
        yield f'<!doctype html><html lang="{_tag(self._language)}"><head><meta charset="utf-8">'
        yield '<meta name="viewport" content="width=device-width, initial-scale=1">'
        yield f'<title>{title}</title><style>{_STYLE}</style></head><body><header lang="en">'
        yield f"<h1>{title} <small>{escape(release())}</small></h1></header><main>"
        yield f"<p>{self._t('about')}</p><p>{self._t('keys')}</p><pre>export KEY=gtk_…</pre>"
        yield f'<p><a href="/api/v1/openapi.json">openapi.json</a> · {self._languages()}</p><nav><ul>'
        for area, found in areas.items():
            yield f'<li><a href="#{area}">{area}</a> <small>{len(found)}</small></li>'
        yield f'<li><a href="#mcp">mcp</a> <small>{len(program_tools())}</small></li></ul></nav>'
        for area, found in areas.items():
            yield f'<section id="{area}"><h2>{area}</h2>'
            for operation in found:
                yield from self._operation(operation)
            yield "</section>"
        yield from self._tools()
        yield "</main></body></html>"

    def _languages(self) -> str:
        others = (name for name in LANGUAGES if name != self._language)
        return " · ".join(f'<a href="?{PARAMETER}={it}" lang="{_tag(it)}">{NAMES[it]}</a>' for it in others)

    def _operation(self, it: Operation) -> Iterator[str]:
        yield from self._head(it.name, it.method, it.path, it.scope)
        yield f'{_paragraphs(it.description)}<h4>{self._t("example")}</h4><pre lang="en">{escape(it.example)}</pre>'
        yield from self._listed("parameters", [each for each in it.parameters if each.place != "body"])
        yield from self._listed("body", [each for each in it.parameters if each.place == "body"], (it.body_type,))
        yield from self._listed("answer", it.answer, it.answer_types)
        yield f"<p>{self._t('statuses')}: {', '.join(it.statuses)}</p></div></details>"

    def _tools(self) -> Iterator[str]:
        yield f'<section id="mcp"><h2>mcp</h2><p>{self._t("mcp")}</p><pre>{_ORIGIN}/mcp</pre>'
        for tool in program_tools():
            yield from self._head(f"tool-{tool.name}", "TOOL", tool.name, tool.needs)
            yield _paragraphs(tool.description)
            for key, schema in (("arguments", tool.schema()), ("answer", tool.output_schema() or {})):
                document = {"components": {"schemas": schema.get("$defs", {})}}
                yield from self._listed(key, parameters_of(document, schema))
            yield "</div></details>"
        yield "</section>"

    def _head(self, name: str, method: str, path: str, scope: KeyScope | None) -> Iterator[str]:
        needs = f"{self._t('scope')} {scope}" if scope else self._t("open")
        yield f'<details id="{escape(name)}"><summary><b class="{method.lower()}">{method}</b> '
        yield f"<code>{escape(path)}</code> <small>{needs}</small></summary><div>"

    def _listed(self, key: str, listed: Sequence[Parameter], kinds: Sequence[str] = ()) -> Iterator[str]:
        types = ", ".join(kind for kind in kinds if kind)
        if not listed and not types:
            return
        yield f"<h4>{self._t(key)} <small>{escape(types)}</small></h4>"
        if listed:
            yield f"<dl>{''.join(map(self._parameter, listed))}</dl>"

    def _parameter(self, it: Parameter) -> str:
        facts = [it.place] if it.place in ("path", "query", "header") else []
        facts.append(escape(it.type))
        facts += [self._t("required")] if it.required and it.place != "answer" else []
        facts += [self._t("default", value=it.default)] if it.default else []
        words = f'<dd lang="en">{escape(it.description)}</dd>' if it.description else ""
        return f"<dt><code>{escape(it.name)}</code> <small>{' · '.join(facts)}</small></dt>{words}"


def _paragraphs(words: str) -> str:
    return "".join(f'<p lang="en">{escape(" ".join(it.split()))}</p>' for it in words.split("\n\n") if it.strip())


def _tag(language: str) -> str:
    return {"zh-hans": "zh-Hans", "zh-hant": "zh-Hant"}.get(language, language)
