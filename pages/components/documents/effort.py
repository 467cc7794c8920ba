"""Estimated and actual effort of reading a document, in words."""

from core.documents.model import Effort
from core.runs.history.prices import cost_of
from core.runs.model import Usage
from pages.components.documents.facts import counted_in_words
from pages.components.run.run_views import price_table
from pages.components.shell.language import joined, t
from pages.components.shell.services import services
from pages.components.shell.times import duration


def effort_words(effort: Effort) -> list[str]:
    """Pages, chunks, model calls, tokens, cost and time; zeros are left out."""
    counted = (("pages", effort.pages), ("chunks", effort.chunks))
    words = [counted_in_words(name, count) for name, count in counted if count]
    if effort.recognised:
        words.append(t("documents.effort.recognised", count=f"{effort.recognised:,}"))
    if effort.model_calls:
        words.append(t("documents.effort.calls", count=f"{effort.model_calls:,}"))
    if effort.tokens:
        words.append(t("documents.effort.tokens", count=f"{effort.tokens:,}"))
        words.append(_cost(effort))
    return [*words, *([duration(effort.seconds)] if effort.seconds else [])]


def compared(estimate: Effort | None, spent: Effort | None) -> str:
    """Estimated and actual time and tokens; "" if either is unknown."""
    if not estimate or not spent or not spent.seconds:
        return ""
    pairs = [(duration(estimate.seconds), duration(spent.seconds))]
    if estimate.tokens or spent.tokens:
        pairs.append((_tokens(estimate), _tokens(spent)))
    before, after = (joined(side) for side in zip(*pairs, strict=True))
    return t("documents.effort.compared", estimate=before, spent=after)


def _tokens(effort: Effort) -> str:
    return t("documents.effort.tokens", count=f"{effort.tokens:,}")


def _cost(effort: Effort) -> str:
    usage = Usage(effort.model_calls, effort.prompt_tokens, effort.completion_tokens)
    cost = cost_of(usage, services().llm.engine, price_table())
    if cost is None:
        return t("documents.effort.no_price")
    return t("documents.effort.cost", amount=f"{cost.amount:.2f} {cost.currency}")
