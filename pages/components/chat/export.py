"""Answers and conversations as Markdown files."""

import json
import re
from collections.abc import Iterable
from dataclasses import asdict
from datetime import UTC
from io import BytesIO
from zipfile import ZIP_DEFLATED, ZipFile

from core.runs.branches import Branches
from core.runs.history.view import RunView
from core.runs.model import AnswerOutcome, Run, RunStatus, Thread
from core.runs.ports import RunLog
from pages.components.chat.workflow_choices import title_of
from pages.components.documents.facts import place_words
from pages.components.run.run_views import folded
from pages.components.run.run_words import outcome_words
from pages.components.shell.language import t
from pages.components.shell.text import MAX_TEXT, inert_markdown

MAX_QUOTE = 400
_UNSAFE = re.compile(r'[\x00-\x1f<>:"/\\|?*]')
"""Characters that some file system rejects in a name."""


def turn_markdown(view: RunView) -> str:
    """Markdown of a question, its answer and sources, as it is pasted elsewhere."""
    return f"**{_line(view.question)}**\n\n{_answer(view)}"


def _answer(view: RunView) -> str:
    sources = [
        f"{c.number}. {_line(f'{c.document_name}, {c.url}' if c.url else place_words(c.document_name, c.page))}: "
        f"“{_line(c.text, MAX_QUOTE)}”"
        for c in view.citations
    ]
    listed = f"\n\n**{t('chat.turn.sources')}**\n\n" + "\n".join(sources) if sources else ""
    return f"{inert_markdown(view.written, 40_000).strip()}{listed}\n"


def chat_markdown(title: str, turns: Iterable[tuple[Run, RunView]]) -> str:
    written = "\n".join(f"## {_line(view.question)}\n\n*{_facts(run, view)}*\n\n{_answer(view)}" for run, view in turns)
    return f"# {_line(title)}\n\n{written}"


def chats_zip(threads: Iterable[Thread], log: RunLog) -> bytes:
    """ZIP of all conversations as Markdown, in the branch that is shown; chats.json holds all branches."""
    file, everything = BytesIO(), []
    with ZipFile(file, "w", ZIP_DEFLATED) as archive:
        for number, thread in enumerate(threads, start=1):
            runs = log.of_thread(thread.id)
            shown = [(run, _as_view(run, log)) for run in Branches(runs).path(thread.leaf_id)]
            archive.writestr(f"{number:04} {_file_name(thread.title)}.md", chat_markdown(thread.title, shown))
            everything.append({**asdict(thread), "runs": [asdict(run) for run in runs]})
        archive.writestr("chats.json", json.dumps(everything, ensure_ascii=False, indent=1, default=str))
    return file.getvalue()


def _as_view(run: Run, log: RunLog) -> RunView:
    """View of a run as far as Markdown needs it; events are read only for passages, which nothing else keeps."""
    return RunView(
        question=run.question,
        workflow=run.workflow,
        status=run.status,
        answer=run.answer,
        citations=run.citations,
        passages=folded(log, run.id)[0].passages if run.outcome == AnswerOutcome.CLOSEST else (),
        outcome=run.outcome,
    )


def _file_name(title: str) -> str:
    return _UNSAFE.sub("_", " ".join(title.split()))[:60].strip(" .") or "chat"


def _facts(run: Run, view: RunView) -> str:
    """Time, workflow and outcome of a run."""
    moment = run.started_at if run.started_at.tzinfo else run.started_at.replace(tzinfo=UTC)
    ended = view.outcome if view.status is RunStatus.DONE and view.outcome else view.status.value
    said = (f"{moment.astimezone(UTC):%Y-%m-%d %H:%M} UTC", title_of(run.workflow), outcome_words(ended))
    return " · ".join(_line(fact, 80) for fact in said)


def _line(text: str, limit: int = MAX_TEXT) -> str:
    return " ".join(inert_markdown(text, limit).split())
