"""A turn as HTML parts: question, answer, sources and actions; identical live and later."""

from collections.abc import Sequence

from core.graph.questions import TELLING, TellOutcome
from core.memory.model import AnswerForm
from core.models.ports import BUILT_IN
from core.platform.texts import LANGUAGES, text
from core.runs.events import SEARCH_UNFINISHED
from core.runs.execution.attachments import READ_ATTACHMENTS
from core.runs.execution.consent import WAIT_SECONDS, Consent
from core.runs.history.model_failure import failure_of
from core.runs.history.view import INTERRUPTED, RunView
from core.runs.model import MAX_QUESTION, AnswerOutcome, RunStatus
from core.search.model import Citation
from pages.components.documents.form_route import form_url
from pages.components.graph.name_links import NO_NAMES, NameLinks
from pages.components.run.assessment_html import declined_part
from pages.components.run.attached_html import attached_part
from pages.components.run.citation_html import CitedPlaces, chip, panels_html, sources_html
from pages.components.run.passages_html import passages_part
from pages.components.run.run_words import engine_words, sentence
from pages.components.shell.language import t
from pages.components.shell.text import answer_html, growing_html, html_of
from pages.components.shell.times import duration

LONG_QUESTION = 240


STATES = {
    AnswerOutcome.ANSWERED: ("is-good", "check_circle"),
    AnswerOutcome.CLOSEST: ("is-weak", "manage_search"),
    AnswerOutcome.NOT_FOUND: ("is-bad", "search_off"),
    AnswerOutcome.UNREADY: ("is-weak", "hourglass_top"),
}


PARTLY = ("is-weak", "rule")
"""Of two questions one is answered."""


def turn_parts(view: RunView, evidence: CitedPlaces) -> list[tuple[str, str]]:
    return [
        ("question", question_html(view.question)),
        ("attached", attached_part(view)),
        ("failure", failure_part(view)),
        ("state", state_part(view)),
        ("answer", answer_part(view, evidence.names)),
        ("passages", passages_part(view, evidence)),
        ("declined", declined_part(view)),
        ("unfinished", unfinished_part(view)),
        ("preferred", preferred_part(view)),
        ("told", told_part(view)),
        ("choices", choices_part(view)),
        ("forms", forms_part(view.forms)),
        ("consent", consent_part(view)),
        ("end", end_part(view)),
        ("ready", ready_part(view)),
        ("sources", sources_part(_sources(view), view.unsupported)),
        ("panels", panels_html(view.interim.citations if view.interim else view.citations, evidence)),
    ]


def _sources(view: RunView) -> Sequence[Citation]:
    """Those that no shown passage names."""
    if view.passages or (view.stands_in and len(view.citations) == 1):
        return ()
    return view.citations


def question_html(question: str) -> str:
    """What was said, beside what answers it; a heading, so that one can go from question to question."""
    size = " is-long" if len(question) > LONG_QUESTION else ""
    return f'<h2 class="gt-question{size}">{html_of(question, MAX_QUESTION)}</h2>'


def state_part(view: RunView) -> str:
    """The state of an answer: answered, closest passages, not in the documents, nothing to search, or under way.

    What is under way takes the same room, so that nothing moves when the answer ends.
    """
    if view.status is RunStatus.RUNNING and not view.asked:
        return f'<p class="gt-state is-running" role="status">{html_of(_under_way(view))}</p>'
    if view.status is not RunStatus.DONE or view.outcome not in STATES:
        return ""
    if view.outcome == AnswerOutcome.ANSWERED and not view.citations:
        return ""
    looks, icon = STATES[AnswerOutcome(view.outcome)]
    words = t(f"chat.state.{view.outcome}")
    answered = sum(part.answered for part in view.parts)
    if answered < len(view.parts):
        (looks, icon), words = PARTLY, t("chat.state.partly", answered=answered, all=len(view.parts))
    elif is_probable(view):
        looks, words = PARTLY[0], t("chat.state.probably")
    symbol = f'<span class="gt-symbol" aria-hidden="true">{icon}</span>'
    return f'<p class="gt-state {looks}">{symbol}{html_of(words)}</p>'


def is_probable(view: RunView) -> bool:
    """Whether the answer itself says that it is no more than that."""
    return view.answer.startswith(tuple(text("answer.frame.probably", each) for each in LANGUAGES))


def _under_way(view: RunView) -> str:
    if view.active and view.active.progress:
        progress = view.active.progress
        return t(f"run.model.{progress.phase}", percent=progress.percent)
    if view.active and view.active.node == READ_ATTACHMENTS:
        return t("chat.state.reading")
    return t("chat.state.writing" if view.answer.strip() else "chat.turn.thinking")


def answer_part(view: RunView, names: NameLinks = NO_NAMES) -> str:
    """The answer so far; citations become chips and names links once they are known."""
    running = view.status is RunStatus.RUNNING
    if not view.answer.strip():
        silence = _silence(view, "silent") if running and not view.asked else ""
        return _room(f'<div class="gt-answer is-awaited">{silence}</div>') if running and view.interim else silence
    cited = {citation.number: citation for citation in view.citations}
    growing = running and not view.is_ready
    marked = (cited, lambda number: chip(cited[number]), view.unsupported, addresses_of(view), names.of_all())
    answer = view.laid_out.partition("\n\n")[0] if view.choices else view.laid_out
    body = growing_html(view.answer) if growing else answer_html(answer, *marked)
    silence = _silence(view, "silent_within") if running else ""
    drawn = f'<div class="gt-answer{_looks(view, growing=growing)}">{body}</div>{silence}'
    return _room(drawn, grows=running and bool(view.interim)) if view.by_rules else drawn


def _looks(view: RunView, *, growing: bool) -> str:
    """Further classes and attributes of an answer."""
    rows = " has-rows" if any(citation.row for citation in view.citations) else ""
    if growing:
        return f'{rows} is-streaming" aria-busy="true'
    return f"{rows} is-closest" if view.outcome == AnswerOutcome.CLOSEST else rows


def _room(answer: str, *, grows: bool = True) -> str:
    """The place that is kept for a model's answer, so that nothing below it moves while it is written."""
    return f'<div class="gt-room{" is-growing" if grows else ""}">{answer}</div>'


def ready_part(view: RunView) -> str:
    """What a screen reader says when the turn ends before the reader's eyes."""
    if view.status is RunStatus.RUNNING:
        return ""
    said = t("chat.turn.ready" if view.status is RunStatus.DONE else "chat.turn.broken_off")
    return f'<i data-ready="{html_of(said)}" hidden></i>'


def preferred_part(view: RunView) -> str:
    """What the answer did because memories ask for it."""
    alone = view.engine == BUILT_IN  # every quote stays: only the words around them go
    said = " ".join(
        t(
            "run.preferred.shorter_quoted"
            if alone and form is AnswerForm.SHORTER
            else f"run.preferred.{form.name.lower()}"
        )
        for form in view.preferred
    )
    return f'<p class="gt-legend">{html_of(said)}</p>' if said else ""


def unfinished_part(view: RunView) -> str:
    """Whether the answer may miss what the search by meaning would have found."""
    return f'<p class="gt-legend">{html_of(t(SEARCH_UNFINISHED))}</p>' if view.is_search_unfinished else ""


def told_part(view: RunView) -> str:
    """From an answer that the graph gave to what it rests on there: the names of a type, or what it goes through."""
    told = [at for at, step in enumerate(view.steps) if step.node == TELLING and step.outcome == TellOutcome.TOLD]
    if view.status is not RunStatus.DONE or not told or not view.steps[last := told[-1]].entity_ids:
        return ""
    type_name = dict(view.steps[last].details).get("type", "")
    event, value = ("names", type_name) if type_name else ("step", str(last))
    words = html_of(t("chat.turn.all_names" if type_name else "chat.run.show_entities"))
    icon = '<span class="gt-symbol" aria-hidden="true">hub</span>'
    return (
        f'<div class="gt-follow gt-told"><button type="button" class="gt-button" data-event="{event}" '
        f'data-value="{html_of(value)}">{icon}{words}</button></div>'
    )


def addresses_of(view: RunView) -> list[str]:
    """Where the address of a link in the answer may come from."""
    return [text for citation in view.citations for text in (citation.url, citation.text)]


def _silence(view: RunView, words: str) -> str:
    """Note that the model is silent; the style sheet shows it when nothing has changed for some seconds."""
    waiting = view.active.waiting if view.active else None
    if waiting is None:
        return ""
    said = t(f"chat.turn.{words}", model=engine_words(view.engine), limit=duration(waiting.seconds))
    return f'<p class="gt-silent" role="status">{html_of(said)}</p>'


def choices_part(view: RunView) -> str:
    """The ways to read the question as buttons."""
    if not view.choices or view.status is not RunStatus.DONE:
        return ""
    buttons = "".join(
        f'<button type="button" class="gt-button" data-event="ask" data-value="{html_of(choice)}">'
        f"{html_of(choice)}</button>"
        for choice in view.choices
    )
    label = html_of(t("chat.turn.choices"))
    return f'<div class="gt-follow" role="group" aria-label="{label}">{buttons}</div>'


def forms_part(forms: Sequence[tuple[str, str]]) -> str:
    """A button for each offered form; if its file is gone, it leads to a plain 404."""
    buttons = "".join(
        f'<a class="gt-button" href="{html_of(form_url(document_id))}" download>'
        f'<span class="gt-symbol" aria-hidden="true">download</span>{html_of(name, 120)}</a>'
        for document_id, name in forms
    )
    label = html_of(t("chat.turn.forms"))
    return f'<div class="gt-follow gt-forms" role="group" aria-label="{label}">{buttons}</div>' if buttons else ""


def consent_part(view: RunView) -> str:
    """The question before a query is sent to the web, with the query verbatim."""
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
    """What the reader must know about the end of the run; never empty for a run without an answer."""
    if view.status is RunStatus.FAILED:
        return f'<p class="gt-failure" role="alert">{html_of(sentence(view.message, view.params))}</p>'
    if view.status is RunStatus.STOPPED:
        words = t("chat.turn.stopped" if view.answer.strip() else "chat.turn.stopped_empty")
        return f'<p class="gt-stopped" role="status">{html_of(words)}</p>'
    if view.status is RunStatus.INTERRUPTED:
        return _interrupted()
    if view.status is RunStatus.RUNNING and view.withdrawn:
        reason = t("chat.turn.withdrawn", reason=sentence(view.withdrawn[-1]))
        return f'<p class="gt-stopped" role="status">{html_of(reason)}</p>'
    if view.status is RunStatus.DONE and not view.answer.strip():
        return f'<p class="gt-failure" role="alert">{html_of(t("chat.turn.no_answer"))}</p>'
    return ""


def _interrupted() -> str:
    again = f'<button type="button" class="gt-button" data-event="again">{html_of(t("chat.turn.again"))}</button>'
    words = f'<p class="gt-stopped" role="status">{html_of(t(INTERRUPTED))}</p>'
    return f'{words}<div class="gt-follow" role="group">{again}</div>'


def failure_part(view: RunView) -> str:
    """The model's failure, what was done instead, and the remedy; shown before the answer."""
    failure = failure_of(view)
    if failure is None or view.status is not RunStatus.DONE:
        return ""
    words = t(f"run.instead.{failure.instead}", reason=sentence(failure.reason))
    buttons = "".join(
        f'<button type="button" class="gt-button" data-event="{event}">{html_of(t(key))}</button>'
        for event, key in (("again", "chat.turn.try_again"), ("settings", "chat.turn.settings"))
    )
    return (
        f'<div class="gt-failure gt-instead" role="alert"><p>{html_of(words)}</p>'
        f'<div class="gt-follow" role="group">{buttons}</div></div>'
    )


def sources_part(citations: Sequence[Citation], unsupported: Sequence[str]) -> str:
    if not unsupported:
        return sources_html(citations)
    word = f'<mark class="gt-unsupported">{html_of(t("chat.turn.unsupported_word"))}</mark>'
    return f'{sources_html(citations)}<p class="gt-legend">{word} {html_of(t("chat.turn.unsupported"))}</p>'
