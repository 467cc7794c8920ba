"""Answers and conversations as Markdown files."""

from collections.abc import Iterable

from core.runs.view import RunView
from pages.components.shell.language import t
from pages.components.shell.text import clean

MAX_QUOTE = 400


def turn_markdown(view: RunView) -> str:
    """The answer with its sources below it."""
    sources = [
        f"{c.number}. {clean(c.document_name)}, {clean(c.url) or t('chat.source.page', page=c.page + 1)}: "
        f"“{' '.join(clean(c.text, MAX_QUOTE).split())}”"
        for c in view.citations
    ]
    listed = f"\n\n**{t('chat.turn.sources')}**\n\n" + "\n".join(sources) if sources else ""
    return f"{clean(view.laid_out, 40_000).strip()}{listed}\n"


def chat_markdown(title: str, views: Iterable[RunView]) -> str:
    turns = "\n".join(f"## {' '.join(clean(view.question).split())}\n\n{turn_markdown(view)}" for view in views)
    return f"# {' '.join(clean(title).split())}\n\n{turns}"
