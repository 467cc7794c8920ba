"""One step of a run as HTML: the node's decision, the reason, what it read and what it sent."""

from collections.abc import Sequence

from core.runs.events import SEARCH_UNFINISHED, Degraded, MemorySaved, Scored, ToolCalled
from core.runs.history.view import StepView
from core.runs.model import Usage
from pages.components.documents.facts import page_words
from pages.components.documents.quote import passage_html
from pages.components.graph.name_links import NameLinks
from pages.components.run.assessment_html import assessment_html
from pages.components.run.change_html import change_html
from pages.components.run.drawing import StepState
from pages.components.run.run_words import node_words, outcome_words, sentence, source_words
from pages.components.run.step_numbers import Surroundings, numbers_html, raw_html, tokens_of
from pages.components.shell.language import t
from pages.components.shell.text import Draw, html_of
from pages.components.shell.times import duration

MAX_PASSAGE = 700
INSTANT = 0.05
"""Seconds below which the time of a step is shown with the other numbers only."""
WEB = "web_search"
"""Web search, for which there is no fallback rule."""
CURED_IN_SETTINGS = {"llm.key_refused", "llm.key_missing", "web_search.key_refused", "web_search.no_key"}
_SETTINGS_LINK = ' <button type="button" class="gt-button" data-event="settings">{}</button>'


def step_html(step: StepView, index: int, state: StepState, around: Surroundings) -> str:
    """An expandable row."""
    name = html_of(node_words(step.node))
    attempt = f" <i>{html_of(t('chat.run.attempt', number=step.attempt))}</i>" if step.attempt > 1 else ""
    outcome = (
        f'<span class="gt-chip">{html_of(outcome_words(step.outcome), 40)}</span>' if step.outcome else "<span></span>"
    )
    is_instant = step.seconds is not None and step.seconds < INSTANT and not step.reused
    seconds = f'<time class="{"gt-builder" if is_instant else ""}">{_seconds(step)}</time>'
    return (
        f'<details class="gt-step is-{state}" data-key="step-{index}"><summary><span class="gt-dot" aria-hidden="true">'
        f'</span><b title="{html_of(step.node)}">{name}{attempt}{_warning(step)}</b>'
        f"{_spent(step.usage)}{outcome}{seconds}</summary>"
        f'<div class="gt-step-body">{_body(step, around.names) or _note(t("chat.run.nothing"))}{_to_graph(step, index)}'
        f"{numbers_html(step, around)}{change_html(around.changeable)}</div></details>"
    )


def _seconds(step: StepView) -> str:
    if step.reused:
        return html_of(t("chat.run.reused"))
    unknown = "" if step.outcome else "…"
    return unknown if step.seconds is None else duration(step.seconds)


def _warning(step: StepView) -> str:
    """In the closed line: something failed in this step, and the rule did it."""
    if not step.degraded:
        return ""
    words = html_of(" ".join(dict.fromkeys(sentence(event.reason) for event in step.degraded)), 400)
    return f' <span class="gt-symbol gt-warning" role="img" aria-label="{words}" title="{words}">warning</span>'


def _spent(usage: Usage) -> str:
    """The tokens of its model calls, so that expensive steps stand out without opening them."""
    tokens = tokens_of(usage)
    return (
        f'<span class="gt-spent gt-builder">{html_of(t("chat.run.tokens", count=tokens))}</span>'
        if tokens
        else "<i></i>"
    )


def _body(step: StepView, names: NameLinks) -> str:
    reason = sentence(step.reason, step.details)
    return "".join(
        (
            f"<p>{html_of(reason)}</p>" if reason else "",
            "".join(_degraded(event) for event in step.degraded),
            assessment_html(step.assessment),
            _queries(step.queries),
            _memories(step.memories),
            _passages("chat.run.kept", step.kept, names, rejected=False),
            _passages("chat.run.rejected", step.rejected, names, rejected=True),
            _saved(step.saved),
            "".join(_tool(event) for event in step.tools),
        )
    )


def _queries(queries: Sequence[str]) -> str:
    """What was sent to the web, verbatim."""
    items = "".join(f'<pre class="gt-query">{html_of(query, MAX_PASSAGE)}</pre>' for query in queries)
    return _section(t("chat.run.sent", count=len(queries)), items) if items else ""


def _memories(memories: Sequence[tuple[str, str]]) -> str:
    items = "".join(f"<li><p>{html_of(text, MAX_PASSAGE)}</p></li>" for _, text in memories)
    return (
        _section(t("chat.run.memories", count=len(memories)), f'<ul class="gt-passages">{items}</ul>') if items else ""
    )


def _passages(key: str, passages: Sequence[Scored], names: NameLinks, rejected: bool) -> str:
    if not passages:
        return ""
    items = "".join(_passage(passage, names.of_chunk(passage.chunk_id), rejected) for passage in passages)
    return _section(t(key, count=len(passages)), f'<ul class="gt-passages">{items}</ul>')


def _passage(passage: Scored, draw: Draw, rejected: bool) -> str:
    facts = filter(None, (passage.document_name, page_words(passage.document_name, passage.page)))
    numbers = [t("chat.run.score", value=f"{passage.score:.2f}")]
    if passage.sources:
        numbers.append(t("chat.run.found_by", names=", ".join(map(source_words, passage.sources))))
    reason = f"<em>{html_of(sentence(passage.reason))}</em>" if passage.reason else ""
    head = "".join(f"<span>{html_of(fact, 120)}</span>" for fact in facts)
    head += "".join(f'<span class="gt-builder">{html_of(number, 120)}</span>' for number in numbers)
    looks = ' class="is-rejected"' if rejected else ""
    return f"<li{looks}><header>{head}</header>{passage_html(passage.text, limit=MAX_PASSAGE, draw=draw)}{reason}</li>"


def _to_graph(step: StepView, index: int) -> str:
    """To what the step looked at in the graph, which is found when it is opened."""
    count = html_of(t("chat.run.entities", count=len(step.entity_ids))) if step.entity_ids else ""
    return (
        f'<p>{count} <button type="button" class="gt-button" data-event="step" data-value="{index}">'
        f"{html_of(t('chat.run.show_entities'))}</button></p>"
    )


def _saved(saved: Sequence[MemorySaved]) -> str:
    items = "".join(f"<li><p>{html_of(event.text, MAX_PASSAGE)}</p></li>" for event in saved)
    return _section(t("chat.run.saved"), f'<ul class="gt-passages">{items}</ul>') if items else ""


def _degraded(event: Degraded) -> str:
    reason = sentence(event.reason)
    words = (
        reason
        if event.task == WEB or event.reason == SEARCH_UNFINISHED
        else t("chat.run.degraded", task=event.task, reason=reason)
    )
    link = _SETTINGS_LINK.format(html_of(t("chat.turn.settings"))) if event.reason in CURED_IN_SETTINGS else ""
    return f'<p class="gt-failure">{html_of(words)}{link}</p>'


def _tool(event: ToolCalled) -> str:
    head = t("chat.run.tool", tool=event.tool, seconds=duration(event.seconds))
    return raw_html(head, ((t("chat.run.arguments"), event.arguments), (t("chat.run.result"), event.result)))


def _section(title: str, body: str) -> str:
    return f"<h3>{html_of(title)}</h3>{body}"


def _note(words: str) -> str:
    return f'<p class="gt-note">{html_of(words)}</p>'
