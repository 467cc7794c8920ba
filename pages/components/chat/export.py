"""Answers and conversations as Markdown files."""

from collections.abc import Iterable

from core.runs.view import RunView
from pages.components.shell.language import t
from pages.components.shell.text import MAX_TEXT, inert_markdown

MAX_QUOTE = 400


def turn_markdown(view: RunView) -> str:
    """The answer with its sources below it."""
    sources = [
        f"{c.number}. {_line(c.document_name)}, {_line(c.url) or t('chat.source.page', page=c.page + 1)}: "
        f"“{_line(c.text, MAX_QUOTE)}”"
        for c in view.citations
    ]
    listed = f"\n\n**{t('chat.turn.sources')}**\n\n" + "\n".join(sources) if sources else ""
    return f"{inert_markdown(view.answer, 40_000).strip()}{listed}\n"


def chat_markdown(title: str, views: Iterable[RunView]) -> str:
    turns = "\n".join(f"## {_line(view.question)}\n\n{turn_markdown(view)}" for view in views)
    return f"# {_line(title)}\n\n{turns}"


def _line(text: str, limit: int = MAX_TEXT) -> str:
    return " ".join(inert_markdown(text, limit).split())
