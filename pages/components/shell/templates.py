"""Environment of the templates in `pages/templates`, whose macros each draw one part of a page."""

import re
from collections.abc import Iterable
from functools import cache
from pathlib import Path

from jinja2 import Environment, FileSystemLoader, StrictUndefined, pass_context
from jinja2.ext import Extension
from jinja2.lexer import Token, TokenStream
from jinja2.runtime import Context

from pages.components.shell.language import t
from pages.components.shell.text import MAX_TEXT, Html, clean, html_of

FOLDER = Path(__file__).parents[2] / "templates"
_LINE_BREAK = re.compile(r"\s*\n\s*")
_BESIDE_TAG = re.compile(r"(?:\A|(?<=>))\n|\n(?=<|\Z)")


class StrippedLayout(Extension):
    """Line breaks and indentation of a template as layout of the source alone.

    Beside a tag or an expression they are nothing, elsewhere one blank. So the white space of the page is what the
    template writes within a line.
    """

    def filter_stream(self, stream: TokenStream) -> Iterable[Token]:
        for token in stream:
            yield token if token.type != "data" else Token(token.lineno, token.type, without_layout(token.value))


def without_layout(data: str) -> str:
    return _BESIDE_TAG.sub("", _LINE_BREAK.sub("\n", data)).replace("\n", " ")


@cache
def environment() -> Environment:
    """Environment that cleans and escapes every value that is not Html.

    Filters: `t` makes a text of a key, `cut(n)` bounds a text to n characters.
    """
    made = Environment(
        loader=FileSystemLoader(FOLDER),
        autoescape=True,
        undefined=StrictUndefined,
        finalize=_cleaned,
        auto_reload=False,
        extensions=[StrippedLayout],
    )
    made.filters.update(cut=html_of, t=_text)
    return made


@pass_context
def _text(_context: Context, key: str, **params: object) -> str:
    """A text in the language of the page. Without the context Jinja would compile the text of one language."""
    return t(key, **params)


def _cleaned(value: object) -> object:
    if not isinstance(value, str) or isinstance(value, Html):
        return value
    is_clean = len(value) <= MAX_TEXT and value.isascii() and value.isprintable()
    return value if is_clean else clean(value)
