"""Status and actions of an answer: copy, save, ask again, retry, show its run."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from core.models.ports import BUILT_IN
from core.platform.texts import NAMES
from core.runs.history.view import RunView
from core.runs.model import Feedback, Length, Run, RunStatus
from pages.components.chat.export import turn_markdown
from pages.components.chat.workflow_choices import engine_names, title_of, workflow_names
from pages.components.run.asked_with import asked_with
from pages.components.run.branch_html import Beside, versions_item
from pages.components.run.feedback_html import thumbs
from pages.components.run.run_html import outcome_chip
from pages.components.run.run_words import engine_words
from pages.components.run.turn_html import state_part
from pages.components.shell.icons import icon_button
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import html_of
from pages.components.shell.times import ago, duration


@dataclass(frozen=True, slots=True)
class Offer:
    """What a turn offers besides its answer."""

    shown: bool = False
    """Its run is the one shown beside the conversation."""
    last: bool = False
    """Nothing was asked after it."""
    questions: tuple[str, ...] = ()
    """Follow-up questions; for the last turn only."""
    feedback: Feedback | None = None


def facts_part(run: Run, view: RunView, beside: Beside) -> str:
    """How it was asked, when, which of its answers this is, and how it ended unless the answer's state says so."""
    facts = [title_of(run.workflow), *asked_with(run), ago(run.started_at)]
    facts += [duration(view.seconds)] if view.seconds is not None else []
    listed = "".join(f"<li>{html_of(fact, 80)}</li>" for fact in facts)
    chip = "" if state_part(view) or view.status is RunStatus.RUNNING else f"<li>{outcome_chip(view)}</li>"
    return f'<ul class="gt-facts">{listed}{chip}{versions_item(run, beside)}</ul>'


def actions_part(run: Run, view: RunView, offer: Offer) -> str:
    """Four that are used most, with words, and a menu of the others."""
    copied = f'data-done="{html_of(t("chat.turn.copied"))}"'
    address = f"?{urlencode({'thread': run.thread_id, 'run': run.id})}"
    others = [
        "" if offer.shown else _button("account_tree", "chat.turn.run", 'data-event="run"'),
        _button("refresh", "chat.turn.again", 'data-event="again"'),
        _button("fork_right", "chat.turn.fork", 'data-event="fork"'),
        _button("bookmark_add", "chat.saved.keep", 'data-event="keep"'),
        _button("link", "chat.turn.link", f'data-links="{html_of(address)}" {copied}'),
        _button("download", "chat.turn.save", 'data-saves="answer.md" data-copies-from="answer"'),
        _button("inventory_2", "chat.bundle.title", 'data-event="bundle"'),
    ]
    more = html_of(t("chat.turn.more"))
    menu = (
        f'<details class="gt-overflow"><summary class="gt-icon" title="{more}" aria-label="{more}">'
        f'<span class="gt-symbol" aria-hidden="true">more_horiz</span></summary>'
        f'<div class="gt-menu">{"".join(others)}</div></details>'
    )
    copy = _button("content_copy", "chat.turn.copy", f'data-copies="answer" {copied}')
    source = f'<pre hidden data-text="answer">{html_of(turn_markdown(run, view), 60_000)}</pre>'
    return f'<div class="gt-actions">{copy}{_retry(run, view)}{"".join(thumbs(offer.feedback))}{menu}</div>{source}'


def _button(icon: str, key: str, what: str) -> str:
    return icon_button(icon, t(key), what, worded=True)


def _retry(run: Run, view: RunView) -> str:
    """In another form, by other workflows, and by other engines where there are some."""
    workflows = [(f"workflow:{name}", title_of(name)) for name in workflow_names() if name != view.workflow]
    used = run.options.engine or services().llm.engine
    engines = [(f"engine:{name}", engine_words(name)) for name in engine_names() if name != used]
    words = html_of(t("chat.turn.retry"))
    lengths = [(f"length:{one}", t(f"chat.turn.length.{one}")) for one in Length if one is not run.options.length]
    lengths += [
        (f"language:{code}", t("chat.turn.in_language", language=name))
        for code, name in NAMES.items()
        if code != run.options.language
    ]
    form = t("chat.turn.form_quoted" if used == BUILT_IN else "chat.turn.form")
    groups = ((form, lengths), (t("chat.ask.workflow"), workflows), (t("chat.turn.engines"), engines))
    listed = "".join(_group(title, options) for title, options in groups if options)
    first = f'<option value="" selected>{words}</option>'
    return f'<select data-event="retry" aria-label="{words}">{first}{listed}</select>' if listed else ""


def _group(title: str, options: Sequence[tuple[str, str]]) -> str:
    listed = "".join(f'<option value="{html_of(value)}">{html_of(words)}</option>' for value, words in options)
    return f'<optgroup label="{html_of(title)}">{listed}</optgroup>'


def follow_up_part(questions: Sequence[str]) -> str:
    if not questions:
        return ""
    buttons = "".join(
        f'<button type="button" class="gt-button" data-event="ask" data-value="{html_of(question)}">'
        f"{html_of(question)}</button>"
        for question in questions
    )
    return f'<div class="gt-follow" role="group" aria-label="{html_of(t("chat.turn.follow_up"))}">{buttons}</div>'
