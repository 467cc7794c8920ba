"""Other wordings of a turn's question and other answers to it, as HTML."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.runs.history.compare import shared_sources
from core.runs.model import MAX_QUESTION, Run, RunStatus
from pages.components.chat.workflow_choices import title_of
from pages.components.run.run_words import asked_with, engine_words, outcome_words
from pages.components.shell.language import t
from pages.components.shell.text import NO_HTML, Html, answer_html, render
from pages.components.shell.times import duration

MOST = 6
"""Limit of answers side by side: the newest ones."""


@dataclass(frozen=True, slots=True)
class Beside:
    """Other wordings of a question and other answers to it; both include the turn's own run."""

    wordings: tuple[Run, ...] = ()
    versions: tuple[Run, ...] = ()


def edit_part(run: Run, beside: Beside) -> Html:
    """Arrows to other wordings of the question, and the field in which it is edited."""
    arrows = _arrows(run, beside.wordings, "chat.turn.wording")
    return render("run/branch.html", "edit", arrows=arrows, question=run.question, limit=MAX_QUESTION)


def versions_item(run: Run, beside: Beside) -> Html:
    """Number of this answer, arrows to the others and a button that compares all; empty for the only one."""
    if len(beside.versions) < 2:
        return NO_HTML
    return render("run/branch.html", "versions", arrows=_arrows(run, beside.versions, "chat.turn.version"))


def compare_part(beside: Beside) -> Html:
    """Panel with the answers side by side."""
    if len(beside.versions) < 2:
        return NO_HTML
    shown = beside.versions[-MOST:]
    columns = [_column(run, beside.versions.index(run) + 1, shown) for run in shown]
    return render("run/branch.html", "compare", question=shown[0].question, columns=columns)


def _column(run: Run, number: int, shown: Sequence[Run]) -> tuple[int, str, list[str], Html, str]:
    ended = run.outcome if run.status is RunStatus.DONE and run.outcome else run.status.value
    shared = shared_sources(run, [other for other in shown if other is not run])
    facts = [*asked_with(run), engine_words(run.engine), outcome_words(ended)]
    facts += [duration(run.seconds)] if run.seconds else []
    facts += [t("chat.turn.sources_shared", count=len(run.citations), shared=shared)] if run.citations else []
    return number, title_of(run.workflow), facts, answer_html(run.answer), run.id


def _arrows(run: Run, siblings: Sequence[Run], key: str) -> Html:
    count = len(siblings)
    if count < 2:
        return NO_HTML
    at = next(index for index, sibling in enumerate(siblings) if sibling.id == run.id)
    return render(
        "run/branch.html",
        "arrows",
        words=t(key, number=at + 1, count=count),
        number=at + 1,
        count=count,
        before=siblings[at - 1].id if at else "",
        after=siblings[at + 1].id if at + 1 < count else "",
    )
