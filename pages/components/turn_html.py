"""A turn as HTML parts: question, answer, sources, what can be done with it. The same while it runs and ever after."""

from collections.abc import Sequence

from core.domain.passages import Citation
from core.domain.runs import RunStatus
from core.runs.consent import WAIT_SECONDS, Consent
from core.runs.view import INTERRUPTED, RunView
from pages.components.citation_html import Evidence, chip, panels_html, sources_html
from pages.components.form_route import form_url
from pages.components.language import t
from pages.components.run_words import sentence
from pages.components.text import answer_html, growing_html, html_of

LONG_QUESTION = 240
MAX_QUESTION = 8_000
WRITING = frozenset({"generate", "direct_answer", "graph_answer", "graph_walk", "tool_turn"})
"""The tasks of a model that write what the reader gets."""
INTERRUPTED_STEP = "interrupted"
"""The outcome of a step whose model broke off: its words stand, and the answer says so itself."""


def turn_parts(view: RunView, evidence: Evidence) -> list[tuple[str, str]]:
    return [
        ("question", question_html(view.question)),
        ("answer", answer_part(view)),
        ("forms", forms_part(view.forms)),
        ("consent", consent_part(view)),
        ("end", end_part(view)),
        ("fallback", fallback_part(view)),
        ("sources", sources_part(view.citations, view.unsupported)),
        ("panels", panels_html(view.citations, evidence)),
    ]


def question_html(question: str) -> str:
    """The question as the turn's heading."""
    size = " is-long" if len(question) > LONG_QUESTION else ""
    return f'<h2 class="gt-question{size}">{html_of(question, MAX_QUESTION)}</h2>'


def answer_part(view: RunView) -> str:
    """The answer so far; citations become chips once they are known."""
    running = view.status is RunStatus.RUNNING
    if not view.answer.strip():
        thinking = f'<p class="gt-thinking" role="status">{html_of(t("chat.turn.thinking"))}</p>'
        return thinking if running and not view.asked else ""
    cited = {citation.number: citation for citation in view.citations}
    growing = running and not cited and not view.unsupported
    marked = (cited, lambda number: chip(cited[number]), view.unsupported)
    body = growing_html(view.answer) if growing else answer_html(view.answer, *marked)
    looks = ' is-streaming" aria-busy="true' if growing else ""
    return f'<div class="gt-answer{looks}" aria-live="polite">{body}</div>'


def forms_part(forms: Sequence[tuple[str, str]]) -> str:
    """A button for each form that the answer offers; without a file any more, it leads to a plain 404."""
    buttons = "".join(
        f'<a class="gt-button" href="{html_of(form_url(document_id))}" download>'
        f'<span class="gt-symbol" aria-hidden="true">download</span>{html_of(name, 120)}</a>'
        for document_id, name in forms
    )
    label = html_of(t("chat.turn.forms"))
    return f'<div class="gt-follow gt-forms" role="group" aria-label="{label}">{buttons}</div>' if buttons else ""


def consent_part(view: RunView) -> str:
    """What is asked before a query leaves for the web, with the query as it would be sent."""
    if not view.asked or view.status is not RunStatus.RUNNING:
        return ""
    buttons = "".join(
        f'<button type="button" class="gt-button" data-event="consent" data-value="{consent}">'
        f"{html_of(t(f'chat.consent.{consent}'))}</button>"
        for consent in (Consent.ONCE, Consent.THREAD, Consent.NO)
    )
    wait = t("chat.consent.wait", minutes=round(WAIT_SECONDS / 60))
    return (
        f'<div class="gt-consent" role="alertdialog" aria-label="{html_of(t("chat.consent.title"))}" data-arrives>'
        f"<p><strong>{html_of(t('chat.consent.title'))}</strong> {html_of(t('chat.consent.text'))}</p>"
        f'<pre class="gt-query">{html_of(view.asked, MAX_QUESTION)}</pre>'
        f'<div class="gt-follow" role="group">{buttons}</div><p class="gt-note">{html_of(wait)}</p></div>'
    )


def end_part(view: RunView) -> str:
    """What a reader must know of the end: never an empty bubble."""
    if view.status is RunStatus.FAILED:
        return f'<p class="gt-failure" role="alert">{html_of(sentence(view.message, view.params))}</p>'
    if view.status is RunStatus.STOPPED:
        return f'<p class="gt-stopped" role="status">{html_of(t("chat.turn.stopped"))}</p>'
    if view.status is RunStatus.INTERRUPTED:
        return f'<p class="gt-stopped" role="status">{html_of(t(INTERRUPTED))}</p>'
    if view.status is RunStatus.RUNNING and view.withdrawn:
        reason = t("chat.turn.withdrawn", reason=sentence(view.withdrawn[-1]))
        return f'<p class="gt-stopped" role="status">{html_of(reason)}</p>'
    if view.status is RunStatus.DONE and not view.answer.strip():
        return f'<p class="gt-failure" role="alert">{html_of(t("chat.turn.no_answer"))}</p>'
    return ""


def fallback_part(view: RunView) -> str:
    """Why there are quotes although a model is configured, with what can be done about it."""
    whole = (step for step in view.steps if step.outcome != INTERRUPTED_STEP)
    reasons = [event.reason for step in whole for event in step.degraded if event.task in WRITING]
    if not reasons or view.status is not RunStatus.DONE:
        return ""
    words = t("chat.turn.fallen_back", reason=sentence(reasons[-1]))
    return f'<p class="gt-stopped" role="status">{html_of(words)}</p>'


def sources_part(citations: Sequence[Citation], unsupported: Sequence[str]) -> str:
    if not unsupported:
        return sources_html(citations)
    word = f'<mark class="gt-unsupported">{html_of(t("chat.turn.unsupported_word"))}</mark>'
    return f'{sources_html(citations)}<p class="gt-legend">{word} {html_of(t("chat.turn.unsupported"))}</p>'
