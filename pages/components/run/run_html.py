"""A run as HTML parts: head, steps, and the workflow's drawing with the active node highlighted."""

from collections import Counter
from collections.abc import Sequence
from itertools import groupby

from core.agents.workflows.drawing import END
from core.runs.fork.fork import Changeable, changeables
from core.runs.history.prices import cost_of
from core.runs.history.view import STOPPED, RunView, StepView
from core.runs.model import AnswerOutcome, RunStatus
from core.runs.run_lists import PROBABLE
from pages.components.chat.workflow_choices import picture_of, pictures_ready, title_of, way_of
from pages.components.graph.types import NO_NAMES, NameLinks
from pages.components.run.drawing import Lit, StepState
from pages.components.run.run_views import price_table
from pages.components.run.run_words import ending_words, engine_words, node_words
from pages.components.run.step_html import Surroundings, inputs_of, is_quiet, step_html, tokens_of, usage_words
from pages.components.run.turn_html import STATES, is_probable
from pages.components.shell.language import joined, t
from pages.components.shell.text import NO_HTML, Html, render
from pages.components.shell.times import duration

GOOD = ("answered", "direct")
BAD = (RunStatus.FAILED, RunStatus.INTERRUPTED)


def run_parts(view: RunView, names: NameLinks = NO_NAMES) -> list[tuple[str, Html]]:
    changes = changeables(view) if pictures_ready() else [None] * len(view.steps)
    drawn = [_step(view, at, step, changes[at], names) for at, step in enumerate(view.steps)]
    steps = [(f"step-{at}", html) for at, html in enumerate(_folded(view, drawn))]
    return [("head", _head(view)), ("drawing", _drawing(view)), *steps, ("enlarged", _enlarged(view))]


def _folded(view: RunView, drawn: list[Html]) -> list[Html]:
    """Steps with what needs no look folded, in the place of its first one.

    That is each later attempt of an ended run, and neighbours that were instant and have nothing to show.
    """
    folded: list[Html] = []
    for (attempt, quiet), group in groupby(zip(view.steps, drawn, strict=True), lambda pair: _kind(view, pair[0])):
        steps, rows = zip(*group, strict=True)
        folds = len(rows) > 1 and (attempt > 1 or quiet)
        folded += _fold(view, steps, rows, len(folded), attempt) if folds else rows
    return folded


def _kind(view: RunView, step: StepView) -> tuple[int, bool]:
    """What a step is folded with: its attempt, the first while the run goes on, and whether it is quiet."""
    attempt = 1 if view.status is RunStatus.RUNNING else step.attempt
    return attempt, attempt == 1 and is_quiet(step)


def _fold(view: RunView, steps: Sequence[StepView], rows: Sequence[Html], index: int, attempt: int) -> list[Html]:
    """Steps as one row and empty rows; open if one did not end."""
    whole = render(
        "run/run.html",
        "folded",
        index=index,
        attempt=attempt,
        names=joined(node_words(step.node) for step in steps),
        rows=rows,
        is_open=any(_state_of(view, step) != "done" for step in steps),
    )
    return [whole, *[NO_HTML] * (len(rows) - 1)]


def outcome_chip(view: RunView) -> Html:
    """Chip with the outcome or status of a run, coloured by success."""
    if view.status is RunStatus.DONE and view.outcome:
        ending = PROBABLE if is_probable(view) else view.outcome
        words, looks = ending_words(ending), ending_looks(ending)
    elif view.status is RunStatus.RUNNING and view.active:
        words, looks = f"{node_words(view.active.node)}…", "is-weak"
    else:
        words, looks = t(f"chat.run.status.{view.status}"), ending_looks(view.status)
    return render("parts.html", "chip", words=words, looks=looks)


def ending_looks(ending: str) -> str:
    """Class for the colour of an outcome, or of the status of a run without one."""
    if ending in STATES:
        return STATES[AnswerOutcome(ending)][0]
    return "is-good" if ending in GOOD else "is-bad" if ending in BAD else "is-weak"


def _head(view: RunView) -> Html:
    facts = [title_of(view.workflow), engine_words(view.engine)]
    over = view.seconds is not None
    facts += [_time(view)] if over else []
    facts += [*_spent(view), _cost(view)] if over or view.usage.model_calls or view.failures else []
    facts += [t("chat.run.texts_removed")] if view.texts_removed else []
    words = [fact for fact in facts if fact]
    return render("run/run.html", "head", chip=outcome_chip(view), words=words)


def _time(view: RunView) -> str:
    taken = duration(view.seconds or 0.0)
    if view.budget is None or not view.usage.model_calls:
        return taken
    return t("chat.run.time_of", taken=taken, limit=duration(view.budget.seconds))


def _spent(view: RunView) -> list[str]:
    """Calls and tokens, with the question's limits if known."""
    budget = view.budget
    if not view.usage.model_calls and view.failures:
        return _failed(view)
    if budget is None or not view.usage.model_calls:
        return [usage_words(view.usage), *_failed(view)]
    facts = [
        t("chat.run.calls_of", count=view.usage.model_calls, limit=budget.model_calls),
        t("chat.run.tokens_of", count=tokens_of(view.usage) or "0", limit=f"{budget.tokens:,}"),
    ]
    tools = t("chat.run.tools_of", count=view.tool_calls, limit=budget.tool_calls)
    return [*facts, *([tools] if view.tool_calls else []), *_failed(view)]


def _failed(view: RunView) -> list[str]:
    return [t("chat.run.failed", count=len(view.failures))] if view.failures else []


def _cost(view: RunView) -> str:
    """The cost by the user's price table; empty for a model without a price."""
    cost = cost_of(view.usage, view.engine, price_table())
    return t("chat.run.cost", amount=f"{cost.amount:.4f}", currency=cost.currency) if cost else ""


def _drawing(view: RunView) -> Html:
    picture = way_of(view.workflow, _lit(view), _path(view), [step.outcome for step in view.steps])
    if not picture:
        return NO_HTML
    title = t("chat.run.way", name=title_of(view.workflow))
    is_running = view.status is RunStatus.RUNNING
    return render("run/run.html", "drawing", title=title, picture=picture, is_running=is_running)


def _enlarged(view: RunView) -> Html:
    """The whole workflow at page size; only for finished runs, because a change would close it."""
    if view.status is RunStatus.RUNNING:
        return NO_HTML
    picture = picture_of(view.workflow, _lit(view), _path(view))
    if not picture:
        return NO_HTML
    title = t("chat.run.drawing", name=title_of(view.workflow))
    return render("run/run.html", "enlarged", title=title, picture=picture)


def _path(view: RunView) -> list[str]:
    return [step.node for step in view.steps] + ([END] if view.status is RunStatus.DONE else [])


def _lit(view: RunView) -> dict[str, Lit]:
    """States of the nodes at their latest visit."""
    times = Counter(step.node for step in view.steps)
    return {step.node: Lit(_state_of(view, step), times[step.node]) for step in view.steps}


def _state_of(view: RunView, step: StepView) -> StepState:
    if step.outcome == STOPPED:
        return "stopped"
    if step.seconds is not None:
        return "done"
    return "failed" if view.status in BAD else "active"


def _step(view: RunView, index: int, step: StepView, changeable: Changeable | None, names: NameLinks) -> Html:
    around = Surroundings(inputs_of(view.question, view.steps[:index]), view.engine, price_table(), changeable, names)
    return step_html(step, index, _state_of(view, step), around)
