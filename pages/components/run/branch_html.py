"""What stands beside a turn in its thread: other wordings of the question, other answers to it."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.runs.history.compare import shared_sources
from core.runs.model import MAX_QUESTION, Run, RunStatus
from pages.components.chat.workflow_choices import title_of
from pages.components.run.asked_with import asked_with
from pages.components.run.run_words import engine_words, outcome_words
from pages.components.shell.icons import form_buttons, icon_button
from pages.components.shell.language import t
from pages.components.shell.text import answer_html, html_of
from pages.components.shell.times import duration

MOST = 6
"""Answers side by side: the newest."""


@dataclass(frozen=True, slots=True)
class Beside:
    """Both hold the turn's own run."""

    wordings: tuple[Run, ...] = ()
    versions: tuple[Run, ...] = ()


def edit_part(run: Run, beside: Beside) -> str:
    """At the question: its other wordings, and the field in which it is changed and sent again."""
    words = html_of(t("chat.turn.edit"))
    return (
        f'<div class="gt-edit">{_arrows(run, beside.wordings, "chat.turn.wording")}'
        f'<details data-key="edit"><summary class="gt-icon" title="{words}" aria-label="{words}">'
        '<span class="gt-symbol" aria-hidden="true">edit</span></summary>'
        f'<div class="gt-form" data-form><textarea name="question" rows="3" maxlength="{MAX_QUESTION}" '
        f'aria-label="{words}" data-sends="edit">{html_of(run.question, MAX_QUESTION)}</textarea>'
        f"{form_buttons('edit', t('chat.turn.send'))}</div></details></div>"
    )


def versions_item(run: Run, beside: Beside) -> str:
    """Which of the answers this is, the way to the others and to all of them side by side; empty for the only one."""
    if len(beside.versions) < 2:
        return ""
    compare = icon_button("view_column_2", t("chat.turn.compare"), 'data-opens="compare"')
    return f"<li>{_arrows(run, beside.versions, 'chat.turn.version')}{compare}</li>"


def compare_part(beside: Beside) -> str:
    """The answers side by side, in a panel."""
    if len(beside.versions) < 2:
        return ""
    shown = beside.versions[-MOST:]
    title = html_of(t("chat.turn.compare"))
    columns = "".join(_column(run, beside.versions, shown) for run in shown)
    close = icon_button("close", t("chat.source.close"), "data-closes")
    return (
        f'<dialog class="gt-panel gt-compare" data-panel="compare" aria-label="{title}">'
        f"<header><div><h3>{title}</h3><p>{html_of(shown[0].question, 300)}</p></div><nav>{close}</nav></header>"
        f'<div class="gt-panel-body gt-columns">{columns}</div></dialog>'
    )


def _column(run: Run, versions: Sequence[Run], shown: Sequence[Run]) -> str:
    number = versions.index(run) + 1
    ended = run.outcome if run.status is RunStatus.DONE and run.outcome else run.status.value
    others = [other for other in shown if other is not run]
    shared = shared_sources(run, others)
    facts = [*asked_with(run), engine_words(run.engine), outcome_words(ended), duration(run.seconds)]
    facts += [t("chat.turn.sources_shared", count=len(run.citations), shared=shared)] if run.citations else []
    listed = "".join(f"<li>{html_of(fact, 80)}</li>" for fact in facts)
    use = html_of(t("chat.turn.use_version"))
    return (
        f"<section><h4>{number}. {html_of(title_of(run.workflow))}</h4>"
        f'<ul class="gt-facts">{listed}</ul><div class="gt-answer">{answer_html(run.answer)}</div>'
        f'<button type="button" class="gt-button" data-event="show" data-value="{html_of(run.id)}">{use}</button>'
        "</section>"
    )


def _arrows(run: Run, siblings: Sequence[Run], key: str) -> str:
    if len(siblings) < 2:
        return ""
    at = next(index for index, sibling in enumerate(siblings) if sibling.id == run.id)
    words = t(key, number=at + 1, count=len(siblings))
    before = _arrow("chevron_left", "chat.turn.before", siblings[at - 1].id if at else "")
    after = _arrow("chevron_right", "chat.turn.after", siblings[at + 1].id if at + 1 < len(siblings) else "")
    count = f'<span aria-hidden="true">{at + 1}/{len(siblings)}</span>'
    return f'<span class="gt-arrows" role="group" aria-label="{html_of(words)}">{before}{count}{after}</span>'


def _arrow(icon: str, key: str, run_id: str) -> str:
    there = f'data-event="show" data-value="{html_of(run_id)}"' if run_id else "disabled"
    return icon_button(icon, t(key), there)
