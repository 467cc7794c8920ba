"""Answers and conversations as Markdown files."""

from collections.abc import Iterable
from datetime import UTC

from core.domain.runs import Run, RunStatus
from core.runs.view import RunView
from pages.components.chat.workflow_choices import title_of
from pages.components.run.run_words import outcome_words
from pages.components.shell.language import t
from pages.components.shell.text import clean

MAX_QUOTE = 400


def turn_markdown(run: Run, view: RunView) -> str:
    """How it was asked and ended, the answer, and its sources below it."""
    sources = [
        f"{c.number}. {clean(c.document_name)}, {clean(c.url) or t('chat.source.page', page=c.page + 1)}: "
        f"“{' '.join(clean(c.text, MAX_QUOTE).split())}”"
        for c in view.citations
    ]
    listed = f"\n\n**{t('chat.turn.sources')}**\n\n" + "\n".join(sources) if sources else ""
    return f"*{_facts(run, view)}*\n\n{clean(view.answer, 40_000).strip()}{listed}\n"


def chat_markdown(title: str, turns: Iterable[tuple[Run, RunView]]) -> str:
    written = "\n".join(
        f"## {' '.join(clean(view.question).split())}\n\n{turn_markdown(run, view)}" for run, view in turns
    )
    return f"# {' '.join(clean(title).split())}\n\n{written}"


def _facts(run: Run, view: RunView) -> str:
    """When it was asked, by which workflow, and how it ended."""
    moment = run.started_at if run.started_at.tzinfo else run.started_at.replace(tzinfo=UTC)
    ended = view.outcome if view.status is RunStatus.DONE and view.outcome else view.status.value
    said = (f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC", title_of(run.workflow), outcome_words(ended))
    return " · ".join(" ".join(clean(fact, 80).split()) for fact in said)
