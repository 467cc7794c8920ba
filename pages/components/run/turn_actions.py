"""Status and actions of an answer: copy, save, ask again, retry, show its run."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.domain.runs import Run, RunStatus
from core.runs.view import RunView
from pages.components.chat.export import turn_markdown
from pages.components.chat.workflow_choices import title_of, workflow_names
from pages.components.run.run_html import outcome_chip
from pages.components.run.turn_html import state_part
from pages.components.shell.language import t
from pages.components.shell.text import html_of
from pages.components.shell.times import ago, duration


@dataclass(frozen=True, slots=True)
class Offer:
    """What this turn offers beyond itself."""

    shown: bool = False
    """Its run is the one shown beside the conversation."""
    questions: tuple[str, ...] = ()
    """Follow-up questions; for the last turn only."""


def facts_part(run: Run, view: RunView) -> str:
    """How it was asked, when, and how it ended unless the answer's state says so below."""
    facts = [title_of(run.workflow), ago(run.started_at)]
    facts += [duration(view.seconds)] if view.seconds is not None else []
    listed = "".join(f"<li>{html_of(fact, 80)}</li>" for fact in facts)
    chip = "" if view.status is RunStatus.RUNNING or state_part(view) else f"<li>{outcome_chip(view)}</li>"
    return f'<ul class="gt-facts">{listed}{chip}</ul>'


def actions_part(run: Run, view: RunView, offer: Offer) -> str:
    buttons = [
        _button("content_copy", "chat.turn.copy", 'data-copies="answer"'),
        _button("download", "chat.turn.save", 'data-saves="answer.md" data-copies-from="answer"'),
        _button("refresh", "chat.turn.again", 'data-event="again"'),
        "" if offer.shown else _button("account_tree", "chat.turn.run", 'data-event="run"'),
        _retry(view.workflow),
    ]
    source = f'<pre hidden data-text="answer">{html_of(turn_markdown(run, view), 60_000)}</pre>'
    return f'<div class="gt-actions">{"".join(buttons)}</div>{source}{_questions(offer.questions)}'


def _button(icon: str, key: str, what: str) -> str:
    words = html_of(t(key))
    return (
        f'<button type="button" class="gt-icon" {what} title="{words}" aria-label="{words}">'
        f'<span class="gt-symbol" aria-hidden="true">{icon}</span></button>'
    )


def _retry(workflow: str) -> str:
    others = "".join(
        f'<option value="{html_of(name)}">{html_of(title_of(name))}</option>'
        for name in workflow_names()
        if name != workflow
    )
    words = html_of(t("chat.turn.retry"))
    choice = f'<option value="" selected>{words}</option>{others}'
    return f'<select data-event="retry" aria-label="{words}">{choice}</select>' if others else ""


def _questions(questions: Sequence[str]) -> str:
    if not questions:
        return ""
    buttons = "".join(
        f'<button type="button" class="gt-button" data-event="ask" data-value="{html_of(question)}">'
        f"{html_of(question)}</button>"
        for question in questions
    )
    return f'<div class="gt-follow" role="group" aria-label="{html_of(t("chat.turn.follow_up"))}">{buttons}</div>'
