"""Answers and conversations as Markdown files."""

from collections.abc import Iterable
from datetime import UTC

from core.domain.runs import Run, RunStatus
from core.runs.view import RunView
from pages.components.chat.workflow_choices import title_of
from pages.components.run.run_words import outcome_words
from pages.components.shell.language import t
from pages.components.shell.text import MAX_TEXT, inert_markdown

MAX_QUOTE = 400


def turn_markdown(run: Run, view: RunView) -> str:
    """How it was asked and ended, the answer, and its sources below it."""
    sources = [
        f"{c.number}. {_line(c.document_name)}, {_line(c.url) or t('chat.source.page', page=c.page + 1)}: "
        f"“{_line(c.text, MAX_QUOTE)}”"
        for c in view.citations
    ]
    listed = f"\n\n**{t('chat.turn.sources')}**\n\n" + "\n".join(sources) if sources else ""
    return f"*{_facts(run, view)}*\n\n{inert_markdown(view.laid_out, 40_000).strip()}{listed}\n"


def chat_markdown(title: str, turns: Iterable[tuple[Run, RunView]]) -> str:
    written = "\n".join(f"## {_line(view.question)}\n\n{turn_markdown(run, view)}" for run, view in turns)
    return f"# {_line(title)}\n\n{written}"


def _facts(run: Run, view: RunView) -> str:
    """When it was asked, by which workflow, and how it ended."""
    moment = run.started_at if run.started_at.tzinfo else run.started_at.replace(tzinfo=UTC)
    ended = view.outcome if view.status is RunStatus.DONE and view.outcome else view.status.value
    said = (f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC", title_of(run.workflow), outcome_words(ended))
    return " · ".join(_line(fact, 80) for fact in said)


def _line(text: str, limit: int = MAX_TEXT) -> str:
    return " ".join(inert_markdown(text, limit).split())
