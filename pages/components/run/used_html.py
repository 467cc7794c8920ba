"""Rejected passages and recalled memories of an answer, with buttons to ask again with or without them."""

from core.runs.events import Scored
from core.runs.history.view import RunView
from core.runs.model import Run
from pages.components.documents.facts import place_words
from pages.components.run.run_words import sentence
from pages.components.shell.language import t
from pages.components.shell.text import html_of

MOST = 12
MAX_WORDS = 220


def refused_passages(view: RunView) -> list[Scored]:
    """Of the documents, the likeliest first; not what another step kept or the answer cites."""
    kept = {passage.chunk_id for step in view.steps for passage in step.kept}
    kept |= {citation.chunk_id for citation in view.citations}
    found = {it.chunk_id: it for step in view.steps for it in step.rejected if it.chunk_id not in kept and it.page >= 0}
    return sorted(found.values(), key=lambda it: -it.score)[:MOST]


def refused_part(view: RunView) -> str:
    """Why not these: each with its reason, to be used all the same."""
    return _list("chat.used.refused", [_refused(it) for it in refused_passages(view)])


def memories_part(run: Run, view: RunView) -> str:
    """The memories that were recalled, each to be left out."""
    left_out = run.options.without_memories
    recalled = {name: text for name, text in view.memories if name not in left_out}
    return _list("chat.used.memories", [_memory(name, text) for name, text in recalled.items()])


def _refused(passage: Scored) -> str:
    place = place_words(passage.document_name, passage.page)
    return _item(passage.text, f"{place} · {sentence(passage.reason)}", "insist", passage.chunk_id)


def _memory(memory_id: str, text: str) -> str:
    return _item(text, "", "without", memory_id)


def _item(text: str, facts: str, event: str, value: str) -> str:
    return (
        f"<li><p>{html_of(text, MAX_WORDS)}</p><small>{html_of(facts, MAX_WORDS)}</small>"
        f'<button type="button" class="gt-button" data-event="{event}" data-value="{html_of(value)}">'
        f"{html_of(t(f'chat.used.{event}'))}</button></li>"
    )


def _list(key: str, items: list[str]) -> str:
    if not items:
        return ""
    summary = html_of(t(key, count=len(items)))
    return f'<details class="gt-used" data-key="{key}"><summary>{summary}</summary><ul>{"".join(items)}</ul></details>'
