"""The memories that an answer names to be forgotten: a button that deletes them, then a way back."""

from contextlib import suppress

from core.memory.keeping import quoted
from core.memory.model import Memory, MemoryStatus
from core.platform.errors import NotFoundError
from core.platform.texts import LANGUAGES
from core.runs.history.view import RunView
from core.runs.model import RunStatus
from pages.components.memory.forget import consequences
from pages.components.memory.state import deleted
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.text import NO_HTML, Html, render


def named_memories(view: RunView) -> list[Memory]:
    """Those that are still stored with the words that the answer lists."""
    lines = set(view.answer.splitlines())
    return [memory for memory in _stored(view) if not lines.isdisjoint(_listed(memory.text))]


def _listed(words: str) -> set[str]:
    """Lines with which an answer lists the memory, quoted or, in an answer of an earlier version, as it is."""
    return {f"- {words}", *(f"- {quoted([words], code)}" for code in LANGUAGES)}


def can_undo(view: RunView) -> bool:
    """Whether what this session deleted last is of the answer."""
    last = deleted()[-1] if deleted() else ()
    return not {memory.id for memory in last}.isdisjoint(view.to_forget)


def forget_part(view: RunView) -> Html:
    if view.status is not RunStatus.DONE or not view.to_forget:
        return NO_HTML
    if _is_forgotten(view):
        return render("run/turn.html", "forgotten", can_undo=can_undo(view))
    named = named_memories(view)
    rests = [(memory.text, words) for memory in named for words in consequences(services().memories, memory)]
    shown = [f"{text}: {words}" if len(named) > 1 else words for text, words in rests]
    return render("run/turn.html", "forget", rests=shown) if named else NO_HTML


def forgotten_answer(view: RunView) -> str:
    """The answer without saying that nothing is deleted yet, once it is."""
    lead, _, listed = view.answer.partition("\n- ")
    return f"{t('chat.forget.named')}\n- {listed}" if lead and listed and _is_forgotten(view) else view.answer


def _is_forgotten(view: RunView) -> bool:
    return bool(view.to_forget) and not _stored(view)


def _stored(view: RunView) -> list[Memory]:
    found = []
    for memory_id in view.to_forget:
        with suppress(NotFoundError):
            found.append(services().memories.get(memory_id))
    return [memory for memory in found if memory.status is not MemoryStatus.REJECTED]
