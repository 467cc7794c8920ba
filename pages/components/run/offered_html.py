"""Memories that an answer offered to keep or names to be forgotten: buttons, then what became of them."""

from collections.abc import Sequence
from functools import partial
from itertools import chain, starmap

from core.memory.keeping import may_be_replaced, quoted, repeats, stored
from core.memory.model import Memory, MemoryKind, MemoryStatus
from core.platform.texts import LANGUAGES, beginnings, text
from core.rulebook.evidence import is_about_what_is_named
from core.runs.history.view import RunView
from core.runs.model import RunStatus
from pages.components.memory.card import consequences
from pages.components.memory.state import replaced_by, undoable
from pages.components.shell.language import language, t
from pages.components.shell.services import services
from pages.components.shell.text import NO_HTML, Html, render

MAX_WORDS = 300
_STANDING = (MemoryStatus.PROPOSED, MemoryStatus.ACTIVE)
_SETTLED = (MemoryStatus.ACTIVE, MemoryStatus.REJECTED)
_IF_TAKEN = {"memory.would_replace": "text", "answer.direct.or_replace": "older"}
"""Sentences that tell what becomes of an older memory once the offer is taken, and their placeholders."""


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
    saved = [one for step in view.steps for one in step.saved]  # after the answer, with the words of then
    if opening and saved and not waiting_memories(view):
        active = {memory.id for memory in offered_memories(view) if memory.status is MemoryStatus.ACTIVE}
        kept = [one.text for one in saved if one.memory_id in active]
        noted = text("answer.direct.statement", asked[opening], statement=quoted(kept, asked[opening]))
        paragraphs[at] = noted if kept else paragraphs[at].removeprefix(opening)
        untrue = _IF_TAKEN if kept else {**_IF_TAKEN, "answer.direct.superseded": "older"}
        if "".join(paragraphs[at + 1 : at + 2]).startswith(tuple(chain(*starmap(beginnings, untrue.items())))):
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


def named_memories(view: RunView) -> list[Memory]:
    """Those that are still stored with the words that the answer lists."""
    lines = set(view.answer.splitlines())
    return [memory for memory in _to_forget(view) if not lines.isdisjoint(_lines_of(memory.text))]


def _lines_of(words: str) -> set[str]:
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
    return bool(view.to_forget) and not _to_forget(view)


def _to_forget(view: RunView) -> list[Memory]:
    found = stored(services().memories, view.to_forget)
    return [memory for memory in found if memory.status is not MemoryStatus.REJECTED]
