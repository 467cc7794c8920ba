"""Adds the style sheets beside this file to the pages, in the colours of the theme, and serves them.

By address: Streamlit goes through every sign of a text for every page, while a browser keeps what it has loaded.
"""

import json
from functools import cache
from hashlib import sha256
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import PlainTextResponse, Response
from starlette.routing import Route

from pages.components.shell.language import t

FOLDER = Path(__file__).parent
SHEETS = ("style.css", "graph.css", "documents.css", "runs.css")
_FOR_A_YEAR = "public, max-age=31536000, immutable"


def add_style() -> None:
    """With words for what Streamlit says in English only: the sheet puts them in its place."""
    words = {name: json.dumps(t(f"frame.{name}"), ensure_ascii=False) for name in ("choose", "away", "away_how")}
    _add("style.css", words="".join(f"--gt-{name}: {word};" for name, word in words.items()))


def add_runs_style() -> None:
    """What the Runs page adds."""
    _add("runs.css")


def add_page_style() -> None:
    """What the Graph and Documents pages add."""
    _add("graph.css", "documents.css")


def _add(*names: str, words: str = "") -> None:
    imports = "".join(f'@import "{address_of(name)}";' for name in names)
    st.html(f"<style>{imports}{f':root {{{words}}}' if words else ''}</style>")


@cache
def stylesheet(name: str = "style.css") -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


@cache
def address_of(name: str) -> str:
    """Another one after each change, so that browsers may keep what they have."""
    return f"/style/{sha256(stylesheet(name).encode()).hexdigest()[:16]}/{name}"


async def style_sheet(request: Request) -> Response:
    """The sheet as it is now, also at the address of another version: without it a page could not be read."""
    name = request.path_params["name"]
    if name not in SHEETS:
        return PlainTextResponse("not found", status_code=404)
    kept = _FOR_A_YEAR if request.url.path == address_of(name) else "no-store"
    return Response(stylesheet(name), media_type="text/css", headers={"Cache-Control": kept})


STYLE_ROUTES = (Route("/style/{version}/{name}", style_sheet),)
