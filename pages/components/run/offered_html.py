"""A memory that an answer offered to keep: two buttons while it waits, then what became of it."""

from collections.abc import Sequence
from functools import partial

from core.memory.keeping import may_be_replaced, quoted, repeats, stored
from core.memory.model import Memory, MemoryKind, MemoryStatus
from core.platform.texts import LANGUAGES, beginnings, text
from core.rulebook.evidence import is_about_what_is_named
from core.runs.history.view import RunView
from pages.components.memory.state import replaced_by
from pages.components.shell.language import language, t
from pages.components.shell.services import services
from pages.components.shell.text import NO_HTML, Html, render

MAX_WORDS = 300
_STANDING = (MemoryStatus.PROPOSED, MemoryStatus.ACTIVE)
_SETTLED = (MemoryStatus.ACTIVE, MemoryStatus.REJECTED)


def offered_memories(view: RunView) -> list[Memory]:
    """The user's own words that the run proposed, as they are stored now; conclusions wait on the Memory page."""
    return [memory for memory in _saved(view, MemoryStatus.PROPOSED) if memory.kind is not MemoryKind.CONCLUSION]


def waiting_memories(view: RunView) -> list[Memory]:
    return [memory for memory in offered_memories(view) if memory.status is MemoryStatus.PROPOSED]


def told_memories(view: RunView) -> list[Memory]:
    """The user's own words that the run kept or proposed, as they are stored now."""
    return [*_saved(view, MemoryStatus.ACTIVE), *offered_memories(view)]


def _saved(view: RunView, status: MemoryStatus) -> list[Memory]:
    saved = (saved for step in view.steps for saved in step.saved if saved.status == status)
    return stored(services().memories, (each.memory_id for each in saved))


def settled_answer(view: RunView) -> str:
    """The answer without the question whether to remember what no longer waits: it says what is kept, if any is."""
    paragraphs = view.answer.split("\n\n")
    asked = dict(zip(beginnings("answer.direct.offered", "statement"), LANGUAGES, strict=True))
    found = ((at, opening) for at, words in enumerate(paragraphs) for opening in asked if words.startswith(opening))
    at, opening = next(found, (0, ""))
    is_stored = any(step.saved for step in view.steps)  # after the answer
    if opening and is_stored and not waiting_memories(view):
        kept = [memory.text for memory in offered_memories(view) if memory.status is MemoryStatus.ACTIVE]
        noted = text("answer.direct.statement", asked[opening], statement=quoted(kept, asked[opening]))
        paragraphs[at] = noted if kept else paragraphs[at].removeprefix(opening)
        if paragraphs[at + 1 :] and paragraphs[at + 1].startswith(_of_older()):
            del paragraphs[at + 1]
    return "\n\n".join(paragraphs)


def _of_older() -> tuple[str, ...]:
    """How a sentence begins that tells what becomes of an older memory once the offer is taken."""
    return beginnings("memory.would_replace", "text") + beginnings("answer.direct.or_replace", "older")


def offered_part(view: RunView) -> Html:
    found = older_memory(view)
    older = found[1] if found else None
    if waiting := waiting_memories(view):
        ask, count = t("chat.offered.ask", memory=_quoted(waiting)), len(waiting)
        told = all(memory.text in view.answer for memory in waiting)
        value = waiting[0].id
        return render("run/turn.html", "offered", value=value, count=count, ask=ask, is_told=told, older=older)
    statuses = {memory.status for memory in offered_memories(view)}
    settled = next((t(f"chat.offered.{status}") for status in _SETTLED if status in statuses), "")
    kept = [memory for memory in told_memories(view) if memory.status is MemoryStatus.ACTIVE]
    pairs = [(memory, one) for memory in kept for one in replaced_by(services().memories, memory)]
    if replaced := [one for memory, one in pairs if not repeats(memory, one)]:
        unsaid = _quoted([one for one in replaced if one.text not in view.answer])
        replaces = t("chat.offered.replaces", older=unsaid) if unsaid else ""
        return render("run/turn.html", "replaced", value=kept[0].id, words=f"{settled} {replaces}".strip())
    return render("run/turn.html", "settled", words=settled, older=older) if settled or older else NO_HTML


def _quoted(memories: Sequence[Memory]) -> str:
    return quoted([memory.text[:MAX_WORDS] for memory in memories], language())


def older_memory(view: RunView) -> tuple[Memory, Memory] | None:
    """(a memory that the run saved, an older one that it may be meant to replace)."""
    store, models = services().memories, services().models
    is_about = partial(is_about_what_is_named, encoder=models.encoder)
    for memory in told_memories(view):
        is_standing = memory.status in _STANDING
        if is_standing and (older := may_be_replaced(store, memory, models.meanings, is_about)):
            return memory, older
    return None
