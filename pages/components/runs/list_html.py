"""The list of runs as HTML: one line a run, with a button that opens it and one that marks it for comparison."""

from collections.abc import Collection, Sequence

from core.runs.history.prices import Price, cost_of
from core.runs.model import RunStatus
from core.runs.run_lists import RunLine
from pages.components.chat.workflow_choices import title_of
from pages.components.run.run_html import ending_looks
from pages.components.run.run_words import ending_words, engine_words
from pages.components.run.step_numbers import tokens_of
from pages.components.shell.language import t
from pages.components.shell.text import html_of
from pages.components.shell.times import ago, duration

MAX_QUESTION = 240


def lines_html(lines: Sequence[RunLine], marked: Collection[str], prices: Sequence[Price]) -> str:
    rows = "".join(_line(line, line.id in marked, prices) for line in lines)
    return f'<ul class="gt-runs">{rows}</ul>'


def _line(line: RunLine, marked: bool, prices: Sequence[Price]) -> str:
    question = html_of(" ".join(line.question.split()), MAX_QUESTION)
    return (
        f'<li{" class=is-marked" if marked else ""}><button type="button" class="gt-run-open" data-event="open" '
        f'data-value="{html_of(line.id)}">{question}</button>{ending_chip(line)}'
        f'<ul class="gt-facts">{_facts(line, prices)}</ul>{_mark(line, marked)}</li>'
    )


def ending_chip(line: RunLine) -> str:
    warning = ""
    if line.degraded:
        words = html_of(t("runs.ending.degraded"))
        warning = f'<span class="gt-symbol" role="img" aria-label="{words}" title="{words}">warning</span>'
    words = html_of(ending_words(line.ending), 60)
    return f'<span class="gt-chip {ending_looks(line.ending)}">{warning}{words}</span>'


def _facts(line: RunLine, prices: Sequence[Price]) -> str:
    facts = [title_of(line.workflow), engine_words(line.engine), ago(line.started_at)]
    if line.status is not RunStatus.RUNNING:
        facts.append(duration(line.seconds))
    if tokens := tokens_of(line.usage):
        facts.append(t("chat.run.tokens", count=tokens))
    if line.usage.model_calls and (cost := cost_of(line.usage, line.engine, prices)):
        facts.append(f"{cost.amount:.4f} {cost.currency}")
    return "".join(f"<li>{html_of(fact, 60)}</li>" for fact in facts)


def _mark(line: RunLine, marked: bool) -> str:
    words = html_of(t("runs.compare.mark", question=line.question[:60]))
    return (
        f'<button type="button" class="gt-icon" data-event="mark" data-value="{html_of(line.id)}" '
        f'aria-pressed="{"true" if marked else "false"}" aria-label="{words}" title="{words}">'
        f'<span class="gt-symbol" aria-hidden="true">{"check_box" if marked else "compare_arrows"}</span></button>'
    )
