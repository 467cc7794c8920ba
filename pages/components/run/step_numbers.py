"""What a step's row tells those who build systems: inputs, outputs, prompts as sent, tokens, cost."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.runs.events import ModelCalled
from core.runs.fork.editable_steps import Changeable
from core.runs.history.prices import Price, cost_of
from core.runs.history.view import StepView
from core.runs.model import Usage
from pages.components.graph.name_links import NO_NAMES, NameLinks
from pages.components.run.run_words import detail_words, engine_words, outcome_words, value_words
from pages.components.run.step_inputs import Named
from pages.components.shell.language import t
from pages.components.shell.text import html_of
from pages.components.shell.times import duration

MAX_RAW = 20_000


@dataclass(frozen=True, slots=True)
class Surroundings:
    """What is known of the run around a step."""

    inputs: Named = ()
    engine: str = ""
    prices: tuple[Price, ...] = ()
    changeable: Changeable | None = None
    names: NameLinks = NO_NAMES


def numbers_html(step: StepView, around: Surroundings) -> str:
    """Shown where the reader asks for numbers."""
    decision = _row(t("chat.run.decision"), outcome_words(step.outcome)) if step.outcome else ""
    calls = "".join(map(_call, step.calls))
    received = _listed("chat.run.received", _rows(around.inputs))
    brought = _listed("chat.run.brought", decision + _rows(step.details))
    return f'<div class="gt-builder">{received}{brought}{calls}{_spending(step.usage, around)}</div>'


def raw_html(head: str, blocks: Sequence[tuple[str, str]]) -> str:
    """Named texts as they were sent or received, folded."""
    shown = "".join(
        f'<h3>{html_of(name)}</h3><pre tabindex="0">{html_of(text, MAX_RAW)}</pre>' for name, text in blocks
    )
    return f'<details class="gt-raw" data-key="{html_of(head)}"><summary>{html_of(head)}</summary>{shown}</details>'


def tokens_of(usage: Usage) -> str:
    """The total, after ≈ if some were estimated; empty for none."""
    tokens = usage.prompt_tokens + usage.completion_tokens
    return f"{'≈' if usage.estimated else ''}{tokens:,}" if tokens else ""


def usage_words(usage: Usage) -> str:
    if not usage.model_calls:
        return t("chat.run.no_model")
    sent, written = usage.prompt_tokens, usage.completion_tokens
    words = t("chat.run.usage", calls=usage.model_calls, sent=sent, written=written)
    return f"{words} ({t('chat.run.estimated')})" if usage.estimated else words


def _call(event: ModelCalled) -> str:
    head = t("chat.run.call", task=event.task, seconds=duration(event.seconds))
    return raw_html(head, ((t("chat.run.prompt"), event.prompt), (t("chat.run.response"), event.response)))


def _spending(usage: Usage, around: Surroundings) -> str:
    """The model's name, calls, tokens and cost."""
    if not usage.model_calls:
        return ""
    cost = cost_of(usage, around.engine, around.prices)
    facts = [engine_words(around.engine), usage_words(usage)]
    facts += [t("chat.run.cost", amount=f"{cost.amount:.4f}", currency=cost.currency)] if cost else []
    return f'<p class="gt-note">{html_of(" · ".join(filter(None, facts)))}</p>'


def _listed(key: str, rows: str) -> str:
    return f"<h3>{html_of(t(key))}</h3><dl>{rows}</dl>" if rows else ""


def _rows(named: Named) -> str:
    return "".join(_row(detail_words(name), value_words(name, value)) for name, value in named)


def _row(name: str, value: str) -> str:
    return f"<dt>{html_of(name)}</dt><dd>{html_of(value, 400)}</dd>"
