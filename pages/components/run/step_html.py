"""One step of a run as HTML: the node's decision, the reason, what it read and sent, and its numbers: tokens, cost."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.runs.events import SEARCH_UNFINISHED, Degraded, ModelCalled, Scored, ToolCalled
from core.runs.fork.fork import Changeable
from core.runs.history.prices import Price, cost_of
from core.runs.history.view import STOPPED, StepView
from core.runs.model import Usage
from pages.components.documents.facts import page_words
from pages.components.documents.quote import passage_html
from pages.components.graph.types import NO_NAMES, NameLinks
from pages.components.run.change_form import change_html
from pages.components.run.drawing import StepState
from pages.components.run.run_words import (
    detail_words,
    engine_words,
    node_words,
    outcome_words,
    sentence,
    source_words,
    value_words,
)
from pages.components.shell.language import joined, t
from pages.components.shell.text import NO_HTML, Html, render
from pages.components.shell.times import duration

MAX_PASSAGE = 700
INSTANT = 0.1
"""Seconds below which nobody sees that a step takes time, which is shown with the other numbers only."""
WEB = "web_search"
"""Web search, for which there is no fallback rule."""
CURED_IN_SETTINGS = {"llm.key_refused", "llm.key_missing", "web_search.key_refused", "web_search.no_key"}
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


def step_html(step: StepView, index: int, state: StepState, around: Surroundings) -> Html:
    """Expandable row of a step.

    The tokens of its model calls are in the closed row, so that expensive steps stand out, and so is a failure in whose
    place the rule answered.
    """
    summary = {
        "name": node_words(step.node),
        "warning": " ".join(dict.fromkeys(sentence(event.reason, event.params) for event in step.degraded)),
        "tokens": tokens_of(step.usage),
        "outcome": outcome_words(step.outcome) if step.outcome else "",
        "seconds": _seconds(step),
        "is_instant": _is_instant(step),
    }
    return render(
        "run/step.html",
        "row",
        step=step,
        index=index,
        state=state,
        summary=summary,
        sections=[section for section in _sections(step, around.names) if section],
        numbers=numbers_html(step, around),
        change=change_html(around.changeable),
    )


def is_quiet(step: StepView) -> bool:
    """Whether a step was instant and read, found, kept and sent nothing that its row would show."""
    shows = step.kept or step.rejected or step.memories or step.saved or step.queries or step.tools or step.assessment
    return _is_instant(step) and not (shows or step.calls or step.degraded or step.outcome == STOPPED)


def _is_instant(step: StepView) -> bool:
    return step.seconds is not None and step.seconds < INSTANT and not step.reused


def _seconds(step: StepView) -> str:
    if step.reused:
        return t("chat.run.reused")
    unknown = "" if step.outcome else "…"
    return unknown if step.seconds is None else duration(step.seconds)


def _sections(step: StepView, names: NameLinks) -> list[Html]:
    """The body; a section without contents is empty."""
    reason = sentence(step.reason, step.details)
    return [
        render("run/step.html", "reason", words=reason) if reason else NO_HTML,
        *map(_degraded, step.degraded),
        _assessment(step),
        render("run/step.html", "queries", sent=step.queries, limit=MAX_PASSAGE) if step.queries else NO_HTML,
        _texts(t("chat.run.memories", count=len(step.memories)), [text for _, text in step.memories]),
        _passages("chat.run.kept", step.kept, names),
        _passages("chat.run.rejected", step.rejected, names, are_rejected=True),
        _texts(t("chat.run.saved"), [event.text for event in step.saved]),
        *map(_tool, step.tools),
    ]


def _assessment(step: StepView) -> Html:
    found = step.assessment
    if not found:
        return NO_HTML
    reasons = [sentence(reason.key, reason.details) for reason in found.reasons]
    return render("run/turn.html", "assessment", probability=found.probability, needed=found.threshold, reasons=reasons)


def _texts(title: str, texts: Sequence[str]) -> Html:
    return render("run/step.html", "memories", title=title, texts=texts, limit=MAX_PASSAGE) if texts else NO_HTML


def _passages(key: str, passages: Sequence[Scored], names: NameLinks, are_rejected: bool = False) -> Html:
    if not passages:
        return NO_HTML
    shown = [_passage(passage, names) for passage in passages]
    title = t(key, count=len(passages))
    return render("run/step.html", "passages", title=title, shown=shown, are_rejected=are_rejected)


def _passage(passage: Scored, names: NameLinks) -> tuple[list[str], list[str], Html, str]:
    facts = [passage.document_name, page_words(passage.document_name, passage.page)]
    numbers = [t("chat.run.score", value=f"{passage.score:.2f}")]
    if passage.sources:
        numbers.append(t("chat.run.found_by", names=joined(map(source_words, passage.sources))))
    text = passage_html(passage.text, limit=MAX_PASSAGE, draw=names.of_chunk(passage.chunk_id))
    reason = sentence(passage.reason) if passage.reason else ""
    return [fact for fact in facts if fact], numbers, text, reason


def _degraded(event: Degraded) -> Html:
    reason = sentence(event.reason, event.params)
    words = (
        reason
        if event.task == WEB or event.reason == SEARCH_UNFINISHED
        else t("chat.run.degraded", task=node_words(event.task), reason=reason)
    )
    return render("run/step.html", "degraded", words=words, is_cured_in_settings=event.reason in CURED_IN_SETTINGS)


def _tool(event: ToolCalled) -> Html:
    title = t("chat.run.tool", tool=event.tool, seconds=duration(event.seconds))
    return raw_html(title, ((t("chat.run.arguments"), event.arguments), (t("chat.run.result"), event.result)))
