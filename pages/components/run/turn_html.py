"""A turn as HTML parts: question, answer, sources and actions; identical live and later."""

from collections.abc import Sequence

from core.documents.model import Stage
from core.graph.questions import TELLING, TellOutcome
from core.memory.model import AnswerForm
from core.models.ports import BUILT_IN
from core.runs.events import SEARCH_UNFINISHED
from core.runs.execution.attachments import READ_ATTACHMENTS
from core.runs.execution.consent import WAIT_SECONDS, Consent
from core.runs.history.model_failure import failure_of
from core.runs.history.view import INTERRUPTED, RunView
from core.runs.model import MAX_QUESTION, AnswerOutcome, Attachment, AttachmentStatus, RunStatus
from core.runs.run_lists import probable_beginnings
from core.search.model import Citation
from pages.components.documents.routes import form_url
from pages.components.graph.types import NO_NAMES, NameLinks
from pages.components.run.citation_html import CitedPlaces, chip, panels_html, passages_part, sources_html
from pages.components.run.run_words import engine_words, sentence
from pages.components.shell.language import t
from pages.components.shell.text import NO_HTML, Html, answer_html, growing_html, label, render
from pages.components.shell.times import duration

LONG_QUESTION = 240
MAX_NAME = 80
STATES = {
    AnswerOutcome.ANSWERED: ("is-good", "check_circle"),
    AnswerOutcome.CLOSEST: ("is-weak", "manage_search"),
    AnswerOutcome.NOT_FOUND: ("is-bad", "search_off"),
    AnswerOutcome.UNREADY: ("is-weak", "hourglass_top"),
}
PARTLY = ("is-weak", "rule")
"""Looks of a partial answer."""
DECLINED = (AnswerOutcome.CLOSEST, AnswerOutcome.NOT_FOUND)
_ATTACHMENT_ICONS = {
    AttachmentStatus.QUEUED: "hourglass_top",
    AttachmentStatus.RUNNING: "hourglass_top",
    AttachmentStatus.READY: "description",
}


def turn_parts(view: RunView, evidence: CitedPlaces) -> list[tuple[str, Html]]:
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
        ("remembered", remembered_part(view)),
        ("choices", choices_part(view)),
        ("forms", forms_part(view.forms)),
        ("consent", consent_part(view)),
        ("end", end_part(view)),
        ("ready", ready_part(view)),
        ("sources", sources_part(_sources(view), view.unsupported, evidence)),
        ("panels", panels_html(view.places, evidence)),
    ]


def _sources(view: RunView) -> Sequence[Citation]:
    """Citations that no shown passage names."""
    if view.passages or (view.stands_in and len(view.citations) == 1):
        return ()
    return view.citations


def question_html(question: str) -> Html:
    is_long = len(question) > LONG_QUESTION
    return render("run/turn.html", "question", text=question, limit=MAX_QUESTION, is_long=is_long)


def attached_part(view: RunView) -> Html:
    """Files that the question was sent with: how far each has come, or why it is not read; empty without files."""
    if not view.attachments:
        return NO_HTML
    is_waiting = view.active is not None and view.active.node == READ_ATTACHMENTS
    is_unread = any(file.status is not AttachmentStatus.READY for file in view.attachments)
    went_on = any(step.node != READ_ATTACHMENTS for step in view.steps)
    files = [_attachment(file) for file in view.attachments]
    return render("run/turn.html", "attached", files=files, is_unread=is_unread and went_on and not is_waiting)


def _attachment(file: Attachment) -> dict[str, object]:
    words = t(
        f"chat.attached.{file.status}",
        name=label(file.name, MAX_NAME),
        share=f"{file.share:.0%}",
        stage=t(f"documents.stage.{file.stage or Stage.PARSE}"),
        reason=sentence(file.error_key, file.error_params),
    )
    icon = _ATTACHMENT_ICONS.get(file.status, "warning")
    return {"status": file.status, "share": file.share, "icon": icon, "words": words}


def state_part(view: RunView) -> Html:
    """The state of an answer: answered, closest passages, not in the documents, nothing to search, or under way.

    What is under way takes the same room, so that nothing moves when the answer ends.
    """
    if view.status is RunStatus.RUNNING and not view.asked:
        return render("run/turn.html", "under_way", words=_under_way(view))
    if view.status is not RunStatus.DONE or view.outcome not in STATES:
        return NO_HTML
    if view.outcome == AnswerOutcome.ANSWERED and not view.citations:
        return NO_HTML
    looks, icon = STATES[AnswerOutcome(view.outcome)]
    words = t(f"chat.state.{view.outcome}")
    answered = sum(part.answered for part in view.parts)
    if answered < len(view.parts):
        (looks, icon), words = PARTLY, t("chat.state.partly", answered=answered, all=len(view.parts))
    elif is_probable(view):
        looks, words = PARTLY[0], t("chat.state.probably")
    return render("run/turn.html", "state", words=words, looks=looks, icon=icon)


def is_probable(view: RunView) -> bool:
    """Whether the answer calls itself probable."""
    return view.outcome == AnswerOutcome.ANSWERED and view.answer.startswith(probable_beginnings())


def _under_way(view: RunView) -> str:
    if view.active and view.active.progress:
        progress = view.active.progress
        return t(f"run.model.{progress.phase}", percent=progress.percent)
    if view.active and view.active.node == READ_ATTACHMENTS:
        return t("chat.state.reading")
    return t("chat.state.writing" if view.answer.strip() else "chat.turn.thinking")


def answer_part(view: RunView, names: NameLinks = NO_NAMES) -> Html:
    """The answer so far; citations become chips and names links once they are known."""
    running = view.status is RunStatus.RUNNING
    if not view.answer.strip():
        silence = _silence(view, "silent") if running and not view.asked else NO_HTML
        if not running or not view.interim:
            return silence
        awaited = render("run/turn.html", "answer", body=silence, looks=" is-awaited")
        return render("run/turn.html", "room", answer=awaited)
    cited = {citation.number: citation for citation in view.citations}
    growing = running and not view.is_ready
    marked = (cited, lambda number: chip(cited[number]), view.unsupported, addresses_of(view), names.of_all())
    answer = view.laid_out.partition("\n\n")[0] if view.choices else view.laid_out
    body = growing_html(view.answer) if growing else answer_html(answer, *marked)
    drawn = render("run/turn.html", "answer", body=body, looks=_looks(view, growing), is_streaming=growing)
    drawn += _silence(view, "silent_within") if running else NO_HTML
    if not view.by_rules:
        return drawn
    return render("run/turn.html", "room", answer=drawn, grows=running and bool(view.interim))


def _looks(view: RunView, growing: bool) -> str:
    """Further classes of an answer."""
    rows = " has-rows" if any(citation.row for citation in view.citations) else ""
    return f"{rows} is-closest" if view.outcome == AnswerOutcome.CLOSEST and not growing else rows


def ready_part(view: RunView) -> Html:
    if view.status is RunStatus.RUNNING:
        return NO_HTML
    words = t("chat.turn.ready" if view.status is RunStatus.DONE else "chat.turn.broken_off")
    return render("run/turn.html", "ready", words=words)


def declined_part(view: RunView) -> Html:
    """Reasons why the evidence was not shown as an answer; empty without a reason in words."""
    found = view.assessment
    if view.status is not RunStatus.DONE or view.outcome not in DECLINED or not found:
        return NO_HTML
    first = next((reason for reason in found.reasons if "needed" not in dict(reason.details)), None)
    if first is None:
        return NO_HTML
    return render(
        "run/turn.html",
        "declined",
        reason=sentence(first.key, first.details),
        probability=found.probability,
        needed=found.threshold,
        others=[sentence(other.key, other.details) for other in found.reasons if other is not first],
    )


def preferred_part(view: RunView) -> Html:
    """Note on preferences of memories that the answer followed."""
    alone = view.engine == BUILT_IN and not view.passages  # every quote stays: only the words around them go
    said = " ".join(
        t(
            "run.preferred.shorter_quoted"
            if alone and form is AnswerForm.SHORTER
            else f"run.preferred.{form.name.lower()}"
        )
        for form in view.preferred
    )
    return render("run/turn.html", "legend", words=said) if said else NO_HTML


def unfinished_part(view: RunView) -> Html:
    """Note that the search by meaning was not ready."""
    return render("run/turn.html", "legend", words=t(SEARCH_UNFINISHED)) if view.is_search_unfinished else NO_HTML


def told_part(view: RunView) -> Html:
    """Button from an answer of the graph to its evidence: the entities of a type, or those of the step."""
    told = [at for at, step in enumerate(view.steps) if step.node == TELLING and step.outcome == TellOutcome.TOLD]
    if view.status is not RunStatus.DONE or not told or not view.steps[last := told[-1]].entity_ids:
        return NO_HTML
    type_name = dict(view.steps[last].details).get("type", "")
    event, value = ("names", type_name) if type_name else ("step", str(last))
    return render("run/turn.html", "entities_button", event=event, value=value)


def remembered_part(view: RunView) -> Html:
    """Button from a list of what the person told to the page on which it can be changed."""
    is_listed = view.status is RunStatus.DONE and view.lists_what_was_told
    return render("run/turn.html", "memories_button") if is_listed else NO_HTML


def addresses_of(view: RunView) -> list[str]:
    """Texts from which a link in the answer may come."""
    return [text for citation in view.citations for text in (citation.url, citation.text)]


def _silence(view: RunView, words: str) -> Html:
    """Note that the model is silent."""
    waiting = view.active.waiting if view.active else None
    if waiting is None:
        return NO_HTML
    said = t(f"chat.turn.{words}", model=engine_words(view.engine), limit=duration(waiting.seconds))
    return render("run/turn.html", "silence", words=said)


def choices_part(view: RunView) -> Html:
    """The ways to read the question as buttons."""
    if not view.choices or view.status is not RunStatus.DONE:
        return NO_HTML
    return render("run/turn.html", "questions", asked=view.choices, label=t("chat.turn.choices"))


def forms_part(forms: Sequence[tuple[str, str]]) -> Html:
    """A button for each offered form; if its file is gone, it leads to a plain 404."""
    links = [(form_url(document_id), name) for document_id, name in forms]
    return render("run/turn.html", "forms", links=links) if links else NO_HTML


def consent_part(view: RunView) -> Html:
    if not view.asked or view.status is not RunStatus.RUNNING:
        return NO_HTML
    answers = (Consent.ONCE, Consent.THREAD, Consent.NO)
    minutes = round(WAIT_SECONDS / 60)
    return render("run/turn.html", "consent", query=view.asked, limit=MAX_QUESTION, answers=answers, minutes=minutes)


def end_part(view: RunView) -> Html:
    """Note on the end of the run; never empty for an ended run without an answer."""
    if view.status is RunStatus.FAILED:
        return render("run/turn.html", "failed", words=sentence(view.message, view.params))
    if view.status is RunStatus.STOPPED:
        words = t("chat.turn.stopped" if view.answer.strip() else "chat.turn.stopped_empty")
        return render("run/turn.html", "stopped", words=words)
    if view.status is RunStatus.INTERRUPTED:
        return render("run/turn.html", "stopped", words=t(INTERRUPTED), can_repeat=True)
    if view.status is RunStatus.RUNNING and view.withdrawn:
        reason = t("chat.turn.withdrawn", reason=sentence(view.withdrawn[-1]))
        return render("run/turn.html", "stopped", words=reason)
    if view.status is RunStatus.DONE and not view.answer.strip():
        return render("run/turn.html", "failed", words=t("chat.turn.no_answer"))
    return NO_HTML


def failure_part(view: RunView) -> Html:
    """The model's failure, what was done instead, and the remedy; shown before the answer."""
    failure = failure_of(view)
    if failure is None or view.status is not RunStatus.DONE:
        return NO_HTML
    words = t(f"run.instead.{failure.instead}", reason=sentence(failure.reason, failure.params))
    return render("run/turn.html", "failure", words=words)


def sources_part(citations: Sequence[Citation], unsupported: Sequence[str], evidence: CitedPlaces) -> Html:
    listed = sources_html(citations, evidence)
    return listed + render("run/turn.html", "unsupported") if unsupported else listed
