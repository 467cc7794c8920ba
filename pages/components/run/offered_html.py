"""A memory that an answer offered to keep: two buttons while it waits, then what became of it."""

from contextlib import suppress

from core.memory.keeping import nearest_on_same_thing
from core.memory.model import Memory, MemoryKind, MemoryStatus
from core.platform.errors import NotFoundError
from core.platform.texts import LANGUAGES, text
from core.runs.history.view import RunView
from pages.components.memory.state import replaced_by
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import NO_HTML, Html, render

MAX_WORDS = 300
_SETTLED = (MemoryStatus.ACTIVE, MemoryStatus.REJECTED)


def offered_memory(view: RunView) -> Memory | None:
    """The user's own words that the run proposed, as they are stored now; conclusions wait on the Memory page."""
    return _saved(view, MemoryStatus.PROPOSED)


def told_memory(view: RunView) -> Memory | None:
    """The user's own words that the run kept or proposed, as they are stored now."""
    return _saved(view, MemoryStatus.ACTIVE) or offered_memory(view)


def _saved(view: RunView, status: MemoryStatus) -> Memory | None:
    for saved in (saved for step in view.steps for saved in step.saved):
        if saved.status == status:
            with suppress(NotFoundError):  # deleted since
                memory = services().memories.get(saved.memory_id)
                if memory.kind is not MemoryKind.CONCLUSION:
                    return memory
    return None


def settled_answer(view: RunView) -> str:
    """The answer without the question whether to remember what no longer waits: the statement alone is left of it."""
    would_replace = tuple(text("memory.would_replace", code, text="") for code in LANGUAGES)
    paragraphs = view.answer.split("\n\n")
    for saved in (saved for step in view.steps for saved in step.saved):
        asked = {text("answer.direct.offered", code, statement=saved.text) for code in LANGUAGES}
        at = next((at for at, words in enumerate(paragraphs) if words in asked), None)
        if at is not None and not _waits(saved.memory_id):
            paragraphs[at] = saved.text
            if paragraphs[at + 1 :] and paragraphs[at + 1].startswith(would_replace):
                del paragraphs[at + 1]
    return "\n\n".join(paragraphs)


def _waits(memory_id: str) -> bool:
    with suppress(NotFoundError):
        return services().memories.get(memory_id).status is MemoryStatus.PROPOSED
    return False


def offered_part(view: RunView) -> Html:
    memory = offered_memory(view)
    if memory and memory.status is MemoryStatus.PROPOSED:
        ask = t("chat.offered.ask", memory=memory.text[:MAX_WORDS])
        older = nearest_on_same_thing(services().memories, memory)
        if older and older.text in view.answer:  # it says that it would be replaced
            older = None
        is_told = memory.text in view.answer
        return render("run/turn.html", "offered", value=memory.id, ask=ask, is_told=is_told, older=older)
    settled = t(f"chat.offered.{memory.status}") if memory and memory.status in _SETTLED else ""
    told = told_memory(view)
    if told and told.status is MemoryStatus.ACTIVE and (older := replaced_by(services().memories, told)):
        unsaid = "; ".join(one.text[:MAX_WORDS] for one in older if one.text not in view.answer)
        replaces = t("chat.offered.replaces", older=unsaid) if unsaid else ""
        return render("run/turn.html", "replaced", value=told.id, words=f"{settled} {replaces}".strip())
    return render("run/turn.html", "settled", words=settled) if settled else NO_HTML
