"""Facts and actions of an answer as HTML: copy, save, ask again in other ways, judge it; other wordings and answers."""

from collections.abc import Sequence
from dataclasses import dataclass
from urllib.parse import urlencode

from core.models.ports import BUILT_IN
from core.platform.texts import LANGUAGES
from core.runs.events import Scored
from core.runs.history.compare import shared_sources
from core.runs.history.view import RunView
from core.runs.model import MAX_COMMENT, MAX_QUESTION, Complaint, Feedback, Length, Run, RunStatus, Verdict
from pages.components.chat.export import turn_markdown
from pages.components.chat.workflow_choices import engine_names, title_of, workflow_names
from pages.components.documents.facts import language_name, place_words
from pages.components.run.run_html import outcome_chip
from pages.components.run.run_words import asked_with, engine_words, outcome_words, sentence
from pages.components.run.turn_html import state_part
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import NO_HTML, Html, answer_html, render
from pages.components.shell.times import ago, duration

MAX_FACT = 80
MOST_REFUSED = 12
MAX_WORDS = 220
"""Limit of a passage or memory that could be used, or left out."""
MOST = 6
"""Limit of answers side by side: the newest ones."""


@dataclass(frozen=True, slots=True)
class Beside:
    """Other wordings of a question and other answers to it; both include the turn's own run."""

    wordings: tuple[Run, ...] = ()
    versions: tuple[Run, ...] = ()


def edit_part(run: Run, beside: Beside) -> Html:
    """Arrows to other wordings of the question, and the field in which it is edited."""
    arrows = _arrows(run, beside.wordings, "chat.turn.wording")
    return render("run/branch.html", "edit", arrows=arrows, question=run.question, limit=MAX_QUESTION)


def versions_item(run: Run, beside: Beside) -> Html:
    """Number of this answer, arrows to the others and a button that compares all; empty for the only one."""
    if len(beside.versions) < 2:
        return NO_HTML
    return render("run/branch.html", "versions", arrows=_arrows(run, beside.versions, "chat.turn.version"))


def compare_part(beside: Beside) -> Html:
    """Panel with the answers side by side."""
    if len(beside.versions) < 2:
        return NO_HTML
    shown = beside.versions[-MOST:]
    columns = [_column(run, beside.versions.index(run) + 1, shown) for run in shown]
    return render("run/branch.html", "compare", question=shown[0].question, columns=columns)


def _column(run: Run, number: int, shown: Sequence[Run]) -> tuple[int, str, list[str], Html, str]:
    ended = run.outcome if run.status is RunStatus.DONE and run.outcome else run.status.value
    shared = shared_sources(run, [other for other in shown if other is not run])
    facts = [*asked_with(run), engine_words(run.engine), outcome_words(ended)]
    facts += [duration(run.seconds)] if run.seconds else []
    facts += [t("chat.turn.sources_shared", count=len(run.citations), shared=shared)] if run.citations else []
    return number, title_of(run.workflow), facts, answer_html(run.answer), run.id


def _arrows(run: Run, siblings: Sequence[Run], key: str) -> Html:
    count = len(siblings)
    if count < 2:
        return NO_HTML
    at = next(index for index, sibling in enumerate(siblings) if sibling.id == run.id)
    return render(
        "run/branch.html",
        "arrows",
        words=t(key, number=at + 1, count=count),
        number=at + 1,
        count=count,
        before=siblings[at - 1].id if at else "",
        after=siblings[at + 1].id if at + 1 < count else "",
    )


@dataclass(frozen=True, slots=True)
class Offer:
    """State of a turn that determines its actions."""

    shown: bool = False
    """Whether its run is shown next to the conversation."""
    last: bool = False
    """Whether it is the last turn."""
    questions: tuple[str, ...] = ()
    """Follow-up questions; for the last turn only."""
    feedback: Feedback | None = None


def facts_part(run: Run, view: RunView, beside: Beside) -> Html:
    """Options, time and version of an answer, and its outcome unless the state of the answer says so."""
    facts = [title_of(run.workflow), *asked_with(run), ago(run.started_at)]
    facts += [duration(view.seconds)] if view.seconds is not None else []
    chip = NO_HTML if state_part(view) or view.status is RunStatus.RUNNING else outcome_chip(view)
    items = [item for item in (chip, versions_item(run, beside)) if item]
    return render("parts.html", "facts", words=facts, limit=MAX_FACT, items=items)


def actions_part(run: Run, view: RunView, offer: Offer) -> Html:
    """The four that are used most, with words, and a menu of the others."""
    verdict = offer.feedback.verdict if offer.feedback else None
    return render(
        "run/actions.html",
        "actions",
        retry=_retry(run, view),
        verdicts=[(each, verdict is each) for each in Verdict],
        menu=_menu(run, offer),
        source=turn_markdown(view),
    )


def _menu(run: Run, offer: Offer) -> list[tuple[str, str, dict[str, str]]]:
    """Icon, words and attributes of each action."""
    address = f"?{urlencode({'thread': run.thread_id, 'run': run.id})}"
    save = {"data-saves": "answer.md", "data-copies-from": "answer"}
    return [
        *([] if offer.shown else [("account_tree", t("chat.turn.run"), {"data-event": "run"})]),
        ("refresh", t("chat.turn.again"), {"data-event": "again"}),
        ("fork_right", t("chat.turn.fork"), {"data-event": "fork"}),
        ("bookmark_add", t("chat.saved.keep"), {"data-event": "keep"}),
        ("link", t("chat.turn.link"), {"data-links": address, "data-done": t("chat.turn.copied")}),
        ("download", t("chat.turn.save"), save),
        ("inventory_2", t("chat.bundle.title"), {"data-event": "bundle"}),
    ]


def _retry(run: Run, view: RunView) -> list[tuple[str, list[tuple[str, str]]]]:
    """Titles and options of groups: another form, other workflows, and other engines where there are some.

    Only a model gives another form: the built-in engine quotes, and its quotes stay as they are.
    """
    workflows = [(f"workflow:{name}", title_of(name)) for name in workflow_names() if name != view.workflow]
    used = run.options.engine or services().llm.engine
    engines = [(f"engine:{name}", engine_words(name)) for name in engine_names() if name != used]
    lengths = [(f"length:{one}", t(f"chat.turn.length.{one}")) for one in Length if one is not run.options.length]
    languages = [
        (f"language:{code}", t("chat.turn.in_language", language=language_name(code)))
        for code in LANGUAGES
        if code != run.options.language
    ]
    groups = [
        (t("chat.turn.form"), [] if used == BUILT_IN else lengths + languages),
        (t("chat.ask.workflow"), workflows),
        (t("chat.turn.engines"), engines),
    ]
    return [(title, options) for title, options in groups if options]


def feedback_part(given: Feedback | None) -> Html:
    """Empty unless the answer was judged bad."""
    if not given or given.verdict is not Verdict.DOWN:
        return NO_HTML
    return render(
        "run/actions.html",
        "feedback",
        complaint=given.complaint,
        complaints=list(Complaint),
        comment=given.comment,
        limit=MAX_COMMENT,
    )


def follow_up_part(questions: Sequence[str]) -> Html:
    if not questions:
        return NO_HTML
    return render("run/turn.html", "questions", asked=questions, label=t("chat.turn.follow_up"))


def refused_passages(view: RunView) -> list[Scored]:
    """Of the documents, the likeliest first; not what another step kept or the answer cites."""
    kept = {passage.chunk_id for step in view.steps for passage in step.kept}
    kept |= {citation.chunk_id for citation in view.citations}
    found = {it.chunk_id: it for step in view.steps for it in step.rejected if it.chunk_id not in kept and it.page >= 0}
    return sorted(found.values(), key=lambda it: -it.score)[:MOST_REFUSED]


def refused_part(view: RunView) -> Html:
    """The rejected passages, each with the reason against it, to be used all the same."""
    items = [
        (it.text, f"{place_words(it.document_name, it.page)} · {sentence(it.reason)}", it.chunk_id)
        for it in refused_passages(view)
    ]
    return _used("chat.used.refused", "insist", items)


def memories_part(run: Run, view: RunView) -> Html:
    """The memories that were recalled, each to be left out; none of an answer that lists all that was told."""
    if view.lists_what_was_told:
        return NO_HTML
    left_out = run.options.without_memories
    recalled = {name: text for name, text in view.memories if name not in left_out}
    return _used("chat.used.memories", "without", [(text, "", name) for name, text in recalled.items()])


def _used(key: str, event: str, items: Sequence[tuple[str, str, str]]) -> Html:
    """items: text, facts and value of the event."""
    if not items:
        return NO_HTML
    return render("run/actions.html", "used", key=key, event=event, items=items, limit=MAX_WORDS)
