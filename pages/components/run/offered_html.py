"""A memory that an answer offered to keep: two buttons while it waits, then what became of it."""

from collections.abc import Sequence
from contextlib import suppress

from core.memory.keeping import nearest_on_same_thing, quoted, repeats
from core.memory.model import Memory, MemoryKind, MemoryStatus, Scope
from core.platform.errors import NotFoundError
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
    found = []
    for saved in (saved for step in view.steps for saved in step.saved if saved.status == status):
        with suppress(NotFoundError):  # deleted since
            found.append(services().memories.get(saved.memory_id))
    return found


def settled_answer(view: RunView) -> str:
    """The answer without the question whether to remember what no longer waits: the statement alone is left of it."""
    paragraphs = view.answer.split("\n\n")
    asked = dict(zip(beginnings("answer.direct.offered", "statement"), LANGUAGES, strict=True))
    found = ((at, opening) for at, words in enumerate(paragraphs) for opening in asked if words.startswith(opening))
    at, opening = next(found, (0, ""))
    is_stored = any(step.saved for step in view.steps)  # after the answer
    if opening and is_stored and not waiting_memories(view):
        is_kept = any(memory.status is MemoryStatus.ACTIVE for memory in offered_memories(view))
        statement = paragraphs[at].removeprefix(opening)
        paragraphs[at] = text("answer.direct.statement", asked[opening], statement=statement) if is_kept else statement
        if paragraphs[at + 1 :] and paragraphs[at + 1].startswith(beginnings("memory.would_replace", "text")):
            del paragraphs[at + 1]
    return "\n\n".join(paragraphs)


def offered_part(view: RunView) -> Html:
    found = older_memory(view)
    older = found[1] if found else None
    if waiting := waiting_memories(view):
        ask, count = t("chat.offered.ask", memory=_quoted(waiting)), len(waiting)
        told = all(memory.text in view.answer for memory in waiting)
        value = waiting[0].id
        return render("run/turn.html", "offered", value=value, count=count, ask=ask, is_told=told, older=older)
    offered = offered_memories(view)
    settled = t(f"chat.offered.{offered[0].status}") if offered and offered[0].status in _SETTLED else ""
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
    for memory in told_memories(view):
        scope = Scope(memory.base_id, memory.thread_id)
        is_standing = memory.status in _STANDING
        older = nearest_on_same_thing(services().memories, memory.text, scope) if is_standing else None
        if older and not is_about_what_is_named(memory.text, older.text, services().models.encoder):
            older = None
        if older and older.created_at <= memory.created_at and not _is_replaced_anyway(older, view):
            return memory, older
    return None


def _is_replaced_anyway(older: Memory, view: RunView) -> bool:
    told = ((code, quoted([older.text], code)) for code in LANGUAGES)
    return any(text("memory.would_replace", code, text=words) in view.answer for code, words in told)
