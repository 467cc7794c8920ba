"""Adds the style sheets beside this file to the pages, in the colours of the theme, and serves them.

They are loaded by address, which browsers cache, because Streamlit parses inline text for every page.
"""

import json
from functools import cache
from hashlib import sha256
from pathlib import Path

import streamlit as st
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route

from pages.components.shell.language import t
from pages.components.shell.text import style_element
from pages.components.shell.tokens import not_found

FOLDER = Path(__file__).parent
SHEETS = ("style.css", "graph.css", "documents.css", "runs.css")
_FOR_A_YEAR = "public, max-age=31536000, immutable"


def add_house_style() -> None:
    """Add the style sheet of every page, and translations of Streamlit's English texts, which the sheet inserts."""
    words = {name: json.dumps(t(f"frame.{name}"), ensure_ascii=False) for name in ("choose", "away", "away_how")}
    add_style("style.css", words="".join(f"--gt-{name}: {word};" for name, word in words.items()))


def add_style(*names: str, words: str = "") -> None:
    """Add style sheets. words: properties that they insert as texts."""
    imports = "".join(f'@import "{address_of(name)}";' for name in names)
    st.html(style_element(f"{imports}:root {{{words}}}" if words else imports))


@cache
def stylesheet(name: str = "style.css") -> str:
    return (FOLDER / name).read_text(encoding="utf-8")


@cache
def address_of(name: str) -> str:
    """Address of the sheet, which changes with its contents so that browsers may cache it."""
    return f"/style/{sha256(stylesheet(name).encode()).hexdigest()[:16]}/{name}"


async def style_sheet(request: Request) -> Response:
    """Serve the current sheet, also at the address of another version."""
    name = request.path_params["name"]
    if name not in SHEETS:
        return not_found()
    kept = _FOR_A_YEAR if request.url.path == address_of(name) else "no-store"
    return Response(stylesheet(name), media_type="text/css", headers={"Cache-Control": kept})


STYLE_ROUTES = (Route("/style/{version}/{name}", style_sheet),)
