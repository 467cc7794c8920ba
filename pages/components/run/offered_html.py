"""A memory that an answer offered to keep: two buttons while it waits, then what became of it."""

from contextlib import suppress

from core.memory.model import Memory, MemoryKind, MemoryStatus
from core.platform.errors import NotFoundError
from core.runs.history.view import RunView
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import NO_HTML, Html, render

MAX_WORDS = 300
_SETTLED = (MemoryStatus.ACTIVE, MemoryStatus.REJECTED)


def offered_memory(view: RunView) -> Memory | None:
    """The user's own words that the run proposed, as they are stored now; conclusions wait on the Memory page."""
    for saved in (saved for step in view.steps for saved in step.saved):
        if saved.status == MemoryStatus.PROPOSED:
            with suppress(NotFoundError):  # deleted since
                memory = services().memories.get(saved.memory_id)
                if memory.kind is not MemoryKind.CONCLUSION:
                    return memory
    return None


def offered_part(view: RunView) -> Html:
    memory = offered_memory(view)
    if memory and memory.status is MemoryStatus.PROPOSED:
        ask = t("chat.offered.ask", memory=memory.text[:MAX_WORDS])
        return render("run/turn.html", "offered", value=memory.id, ask=ask, is_told=memory.text in view.answer)
    if memory and memory.status in _SETTLED:
        return render("run/turn.html", "settled", words=t(f"chat.offered.{memory.status}"))
    return NO_HTML
