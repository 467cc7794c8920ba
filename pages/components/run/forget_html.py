"""The memories that an answer names to be forgotten: a button that deletes them, then a way back."""

from core.memory.keeping import quoted, stored
from core.memory.model import Memory, MemoryStatus
from core.platform.texts import LANGUAGES, text
from core.runs.history.view import RunView
from core.runs.model import RunStatus
from pages.components.memory.forget import consequences
from pages.components.memory.state import undoable
from pages.components.shell.language import language
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
    return not {memory.id for memory in undoable(services().memories)}.isdisjoint(view.to_forget)


def forget_part(view: RunView) -> Html:
    if view.status is not RunStatus.DONE or not view.to_forget:
        return NO_HTML
    if _is_forgotten(view):
        return render("run/turn.html", "forgotten", can_undo=can_undo(view))
    named = named_memories(view)
    rests = [(memory.text, words) for memory in named for words in consequences(services().memories, memory)]
    shown = [f"{memory}: {words}" if len(named) > 1 else words for memory, words in rests]
    return render("run/turn.html", "forget", rests=shown) if named else NO_HTML


def forgotten_answer(view: RunView) -> str:
    """The answer, in its language, without saying that nothing is deleted yet, once it is."""
    lead, _, listed = view.answer.partition("\n- ")
    if not (lead and listed and _is_forgotten(view)):
        return view.answer
    leads = {text(f"answer.direct.forget{off}", code): code for code in LANGUAGES for off in ("", "_off")}
    return f"{text('chat.forget.named', leads.get(lead.strip(), language()))}\n- {listed}"


def _is_forgotten(view: RunView) -> bool:
    return bool(view.to_forget) and not _stored(view)


def _stored(view: RunView) -> list[Memory]:
    found = stored(services().memories, view.to_forget)
    return [memory for memory in found if memory.status is not MemoryStatus.REJECTED]
