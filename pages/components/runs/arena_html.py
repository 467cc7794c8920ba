"""The arena as HTML: facts above each answer, and the scoreboard of all votes."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from core.runs.history.prices import Price, cost_of
from core.runs.history.view import RunView
from core.runs.model import Run, RunStatus
from pages.components.chat.workflow_choices import title_of
from pages.components.run.run_html import outcome_chip
from pages.components.run.run_words import engine_words
from pages.components.run.step_numbers import tokens_of
from pages.components.shell.language import t
from pages.components.shell.text import html_of
from pages.components.shell.times import duration


@dataclass(frozen=True, slots=True)
class Competitor:
    """What competes: a workflow, with a model where that is not the one of the settings."""

    workflow: str
    engine: str = ""

    @property
    def key(self) -> str:
        """As votes name it."""
        return f"{self.workflow}@{self.engine}" if self.engine else self.workflow


Votes = Sequence[tuple[tuple[str, ...], str]]


def side_of(run: Run) -> Competitor:
    return Competitor(run.workflow, run.options.engine)


def side_title(key: str) -> str:
    workflow, _, engine = key.partition("@")
    return f"{title_of(workflow)} · {engine_words(engine)}" if engine else title_of(workflow)


def side_facts(run: Run, view: RunView, prices: Sequence[Price]) -> str:
    facts = []
    if view.status is not RunStatus.RUNNING:
        facts = [duration(view.seconds or 0.0), t("chat.run.tokens", count=tokens_of(view.usage) or "0")]
        facts.append(t("arena.sources", count=len(view.citations)))
        if view.unsupported:
            facts.append(t("arena.unsupported", count=len(view.unsupported)))
    if view.usage.model_calls and (cost := cost_of(view.usage, run.engine, prices)):
        facts.append(f"{cost.amount:.4f} {cost.currency}")
    listed = "".join(f"<li>{html_of(fact, 60)}</li>" for fact in facts)
    chip = "" if view.status is RunStatus.RUNNING else outcome_chip(view)
    title = html_of(side_title(side_of(run).key), 120)
    return f'<h2 class="gt-contender">{title} {chip}</h2><ul class="gt-facts">{listed}</ul>'


def scoreboard_html(votes: Votes) -> str:
    """Comparisons, wins and ties of each side; the most wins of all comparisons first."""
    shown: Counter[str] = Counter(name for names, _ in votes for name in set(names))
    won = Counter(winner for _, winner in votes if winner)
    tied: Counter[str] = Counter(name for names, winner in votes if not winner for name in set(names))
    ranked = sorted(shown, key=lambda name: (-won[name] / shown[name], name))
    head = "".join(f'<th scope="col">{html_of(t(f"arena.column.{name}"))}</th>' for name in ("won", "tied", "compared"))
    rows = "".join(
        f'<tr><th scope="row">{html_of(side_title(name), 120)}</th><td>{won[name]}</td><td>{tied[name]}</td>'
        f"<td>{shown[name]}</td></tr>"
        for name in ranked
    )
    return (
        f'<h2 class="gt-contender">{html_of(t("arena.scores"))}</h2>'
        '<div class="gt-wide"><table class="gt-figures"><thead><tr>'
        f'<th scope="col">{html_of(t("runs.workflow.label"))}</th>{head}</tr></thead>'
        f"<tbody>{rows}</tbody></table></div>"
    )
