"""Numbers of a step for those who build systems: inputs, outputs, prompts as sent, tokens, cost."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.runs.events import ModelCalled
from core.runs.fork.fork import Changeable
from core.runs.history.prices import Price, cost_of
from core.runs.history.view import StepView
from core.runs.model import Usage
from pages.components.graph.name_links import NO_NAMES, NameLinks
from pages.components.run.run_words import detail_words, engine_words, node_words, outcome_words, value_words
from pages.components.shell.language import t
from pages.components.shell.text import Html, render
from pages.components.shell.times import duration

MAX_RAW = 20_000
Named = tuple[tuple[str, str], ...]
"""(name under run.detail, value)."""


@dataclass(frozen=True, slots=True)
class Surroundings:
    """Context of a step in its run."""

    inputs: Named = ()
    engine: str = ""
    prices: tuple[Price, ...] = ()
    changeable: Changeable | None = None
    names: NameLinks = NO_NAMES


def inputs_of(question: str, before: Sequence[StepView]) -> Named:
    """The question as it was understood, the query, passages and memories, as far as steps before brought them."""
    found = {"question": question}
    for step in before:
        details = dict(step.details)
        if resolved := details.get("resolved"):
            found["question"] = resolved
        if query := details.get("query"):
            found["query"] = query
        if route := details.get("route"):
            found["route"] = route
        if step.kept or step.rejected:
            found["kept"] = str(len(step.kept))
        if step.memories:
            found["memory"] = str(len(step.memories))
    return tuple(found.items())


def numbers_html(step: StepView, around: Surroundings) -> Html:
    decision = [(t("chat.run.decision"), outcome_words(step.outcome))] if step.outcome else []
    return render(
        "run/step.html",
        "numbers",
        received=_rows(around.inputs),
        brought=[*decision, *_rows(step.details)],
        calls=[_call(event) for event in step.calls],
        spending=_spending(step.usage, around),
    )


def raw_html(title: str, blocks: Sequence[tuple[str, str]]) -> Html:
    """Named texts as they were sent or received, folded."""
    return render("run/step.html", "raw", title=title, blocks=blocks, limit=MAX_RAW)


def tokens_of(usage: Usage) -> str:
    """The total, after ≈ if some were estimated; empty for none."""
    tokens = usage.prompt_tokens + usage.completion_tokens
    return f"{'≈' if usage.estimated else ''}{tokens:,}" if tokens else ""


def cost_words(usage: Usage, engine: str, prices: Sequence[Price]) -> list[str]:
    """The cost of the calls as one text; none for a model without a price."""
    cost = cost_of(usage, engine, prices) if usage.model_calls else None
    return [f"{cost.amount:.4f} {cost.currency}"] if cost else []


def usage_words(usage: Usage) -> str:
    if not usage.model_calls:
        return t("chat.run.no_model")
    sent, written = usage.prompt_tokens, usage.completion_tokens
    words = t("chat.run.usage", calls=usage.model_calls, sent=sent, written=written)
    return f"{words} ({t('chat.run.estimated')})" if usage.estimated else words


def _call(event: ModelCalled) -> Html:
    title = t("chat.run.call", task=node_words(event.task), seconds=duration(event.seconds))
    return raw_html(title, ((t("chat.run.prompt"), event.prompt), (t("chat.run.response"), event.response)))


def _spending(usage: Usage, around: Surroundings) -> str:
    """The model's name, calls, tokens and cost; empty for a step without calls."""
    if not usage.model_calls:
        return ""
    cost = cost_of(usage, around.engine, around.prices)
    facts = [engine_words(around.engine), usage_words(usage)]
    facts += [t("chat.run.cost", amount=f"{cost.amount:.4f}", currency=cost.currency)] if cost else []
    return " · ".join(filter(None, facts))


def _rows(named: Named) -> list[tuple[str, str]]:
    return [(detail_words(name), value_words(name, value)) for name, value in named]
