"""Rejected passages and recalled memories of an answer, with buttons to ask again with or without them."""

from collections.abc import Sequence

from core.runs.events import Scored
from core.runs.history.view import RunView
from core.runs.model import Run
from pages.components.documents.facts import place_words
from pages.components.run.run_words import sentence
from pages.components.shell.text import NO_HTML, Html, render

MOST = 12
MAX_WORDS = 220


def refused_passages(view: RunView) -> list[Scored]:
    """Of the documents, the likeliest first; not what another step kept or the answer cites."""
    kept = {passage.chunk_id for step in view.steps for passage in step.kept}
    kept |= {citation.chunk_id for citation in view.citations}
    found = {it.chunk_id: it for step in view.steps for it in step.rejected if it.chunk_id not in kept and it.page >= 0}
    return sorted(found.values(), key=lambda it: -it.score)[:MOST]


def refused_part(view: RunView) -> Html:
    """Each with the reason against it, to be used all the same."""
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
