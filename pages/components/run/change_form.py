"""The form at a step of a finished run in which its result is changed, and what it sends, as a continuation."""

from collections.abc import Mapping

from core.runs.fork.fork import Changeable, changeables
from core.runs.history.view import RunView
from core.runs.model import MAX_QUESTION, Continuation
from core.search.model import BY_READER
from pages.components.documents.facts import place_words
from pages.components.run.run_words import outcome_words
from pages.components.shell.language import t
from pages.components.shell.text import NO_HTML, Html, clean, label, render

MAX_DRAFT = 20_000
MAX_PASSAGE = 160
FOUND = "found"


def change_html(changeable: Changeable | None) -> Html:
    if changeable is None:
        return NO_HTML
    tools = [
        (f"arguments-{at}", t("chat.change.arguments", tool=tool), arguments, 2, MAX_QUESTION)
        for at, (tool, arguments) in enumerate(changeable.arguments)
    ]
    return render(
        "run/step.html",
        "change",
        node=changeable.node,
        attempt=changeable.attempt,
        fields=[
            ("question", _label("question"), changeable.question, 2, MAX_QUESTION),
            ("query", _label("query"), changeable.query, 2, MAX_QUESTION),
            *tools,
            ("answer", _label("answer"), changeable.answer, 6, MAX_DRAFT),
        ],
        passages_label=_label("kept"),
        passages=[
            (
                passage.chunk_id,
                clean(passage.text, MAX_PASSAGE),
                place_words(label(passage.document_name, 60), passage.page),
                not passage.reason,
            )
            for passage in changeable.passages
        ],
        outcomes_label=_label("outcome"),
        outcomes=[(outcome, outcome_words(outcome)) for outcome in changeable.outcomes],
    )


def _label(name: str) -> str:
    words = t(f"run.changed.{name}")
    return words[:1].upper() + words[1:]


def continuation(run_id: str, view: RunView, given: Mapping[str, object]) -> Continuation | None:
    """The differences from what the step left behind; None for a step that the run cannot go on from.

    given: values from the browser, which are validated here.
    """
    place = (given.get("node"), str(given.get("attempt")))
    there = (it for it in changeables(view) if it and (it.node, str(it.attempt)) == place)
    step = next(there, None)
    if step is None:
        return None
    kept = _kept(step, given)
    return Continuation(
        run_id,
        step.node,
        step.attempt,
        outcome=_outcome(step, given, bool(kept)),
        question=_text(given, "question", step.question),
        query=_text(given, "query", step.query),
        answer=_text(given, "answer", step.answer, MAX_DRAFT),
        kept=kept,
        dropped=_dropped(step, kept),
        arguments=_arguments(step, given),
    )


def _text(given: Mapping[str, object], name: str, before: str, limit: int = MAX_QUESTION) -> str:
    value = str(given.get(name, "")).strip()[:limit]
    return value if before and value != before.strip() else ""


def _kept(step: Changeable, given: Mapping[str, object]) -> tuple[str, ...] | None:
    ticked = given.get("kept")
    if not step.passages or not isinstance(ticked, list):
        return None
    chosen = tuple(passage.chunk_id for passage in step.passages if passage.chunk_id in ticked)
    return chosen if chosen != step.kept else None


def _dropped(step: Changeable, kept: tuple[str, ...] | None) -> tuple[str, ...]:
    """What the reader took out, now or before."""
    taken_out = (it.chunk_id for it in step.passages if it.reason in ("", BY_READER))
    return () if kept is None else tuple(chunk_id for chunk_id in taken_out if chunk_id not in kept)


def _outcome(step: Changeable, given: Mapping[str, object], has_evidence: bool) -> str:
    """Outcome chosen by the reader; passages chosen for a step without any imply that they were found."""
    chosen = str(given.get("outcome", ""))
    if not chosen and has_evidence and not step.kept:
        chosen = FOUND
    return chosen if chosen in step.outcomes else ""


def _arguments(step: Changeable, given: Mapping[str, object]) -> tuple[str, ...]:
    before = tuple(arguments for _, arguments in step.arguments)
    names = [f"arguments-{at}" for at in range(len(before))]
    now = tuple(_text(given, name, was) or was for name, was in zip(names, before, strict=True))
    return now if now != before else ()
