"""Two runs side by side as HTML: facts, answers with their differences, evidence, steps."""

from collections.abc import Sequence

from core.runs.history.compare import Comparison, RunSide, SharedEvidence, StepPair, Use
from core.runs.history.prices import Price, cost_of
from core.runs.history.view import RunView, StepView
from core.runs.model import Run
from pages.components.chat.workflow_choices import title_of
from pages.components.documents.facts import place_words
from pages.components.run.run_html import outcome_chip
from pages.components.run.run_words import engine_words, node_words, outcome_words, sentence
from pages.components.run.step_numbers import tokens_of
from pages.components.shell.language import t
from pages.components.shell.text import MAX_ANSWER, html_of
from pages.components.shell.times import ago, duration

MAX_PASSAGE = 260
Pair = tuple[tuple[Run, RunView], tuple[Run, RunView]]


def comparison_parts(pair: Pair, found: Comparison, prices: Sequence[Price]) -> list[tuple[str, str]]:
    (left, one), (right, other) = pair
    questions = f'<h2 class="gt-question">{html_of(one.question, 2_000)}</h2>'
    if one.question != other.question:
        questions += f'<h2 class="gt-question">{html_of(other.question, 2_000)}</h2>'
    return [
        ("questions", questions),
        ("facts", f'<div class="gt-two">{_head(left, one, prices)}{_head(right, other, prices)}</div>'),
        ("answers", _section("answers", _answers(found.answer))),
        ("evidence", _section("evidence", _evidence(found))),
        ("steps", _section("steps", _steps(found.steps))),
    ]


def _section(name: str, body: str) -> str:
    return f"<h3>{html_of(t(f'runs.compare.{name}'))}</h3>{body}"


def _head(run: Run, view: RunView, prices: Sequence[Price]) -> str:
    facts = [engine_words(run.engine), ago(run.started_at), duration(view.seconds or 0.0)]
    facts.append(t("chat.run.tokens", count=tokens_of(view.usage) or "0"))
    if view.usage.model_calls and (cost := cost_of(view.usage, run.engine, prices)):
        facts.append(f"{cost.amount:.4f} {cost.currency}")
    listed = "".join(f"<li>{html_of(fact, 60)}</li>" for fact in facts)
    return (
        f'<div class="gt-side"><b>{html_of(title_of(run.workflow), 60)}</b> {outcome_chip(view)}'
        f'<ul class="gt-facts">{listed}</ul></div>'
    )


def _answers(pieces: Sequence[tuple[RunSide, str]]) -> str:
    """Each side with what only it says marked; what both say is on both."""
    sides = (_answer(pieces, RunSide.LEFT, "del"), _answer(pieces, RunSide.RIGHT, "ins"))
    return f'<div class="gt-two">{"".join(sides)}</div>'


def _answer(pieces: Sequence[tuple[RunSide, str]], side: RunSide, tag: str) -> str:
    words = "".join(
        html_of(piece, MAX_ANSWER) if kind is RunSide.BOTH else f"<{tag}>{html_of(piece, MAX_ANSWER)}</{tag}>"
        for kind, piece in pieces
        if kind in {RunSide.BOTH, side}
    )
    return f'<div class="gt-side gt-words">{words or html_of(t("runs.compare.no_answer"))}</div>'


def _evidence(found: Comparison) -> str:
    if not found.evidence:
        return f'<p class="gt-note">{html_of(t("runs.compare.no_evidence"))}</p>'
    share = ""
    if found.overlap is not None:
        share = f'<p class="gt-note">{html_of(t("runs.compare.overlap", share=f"{found.overlap:.0%}"))}</p>'
    return f'{share}<ul class="gt-aligned">{"".join(map(_passage, found.evidence))}</ul>'


def _passage(row: SharedEvidence) -> str:
    place = place_words(row.document_name, row.page)
    return (
        f"<li>{_use(row.left)}<div><b>{html_of(place, 120)}</b><p>{html_of(row.text, MAX_PASSAGE)}</p></div>"
        f"{_use(row.right)}</li>"
    )


def _use(use: Use) -> str:
    looks = {Use.CITED: " is-good", Use.KEPT: " is-weak"}.get(use, "")
    return f'<span class="gt-chip{looks}">{html_of(t(f"runs.use.{use}"))}</span>'


def _steps(pairs: Sequence[StepPair]) -> str:
    rows = "".join(f"<li>{_step(pair.left)}{_step(pair.right)}</li>" for pair in pairs)
    return f'<ol class="gt-aligned is-steps">{rows}</ol>'


def _step(step: StepView | None) -> str:
    if step is None:
        return f'<div class="gt-side is-missing">{html_of(t("runs.compare.no_step"))}</div>'
    outcome = f' <span class="gt-chip">{html_of(outcome_words(step.outcome), 40)}</span>' if step.outcome else ""
    facts = [duration(step.seconds)] if step.seconds is not None else []
    facts += [t("chat.run.tokens", count=tokens)] if (tokens := tokens_of(step.usage)) else []
    listed = "".join(f"<li>{html_of(fact, 60)}</li>" for fact in facts)
    reason = html_of(sentence(step.reason, step.details), 300)
    return (
        f'<div class="gt-side"><b>{html_of(node_words(step.node))}</b>{outcome}<ul class="gt-facts">{listed}</ul>'
        f"{f'<p>{reason}</p>' if reason else ''}</div>"
    )
