"""Keeps memories: drops a new one that says the same as a known one, supersedes an older one that says otherwise."""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from core.memory.contradictions import StatementMeanings, contradicts, numbers_of
from core.memory.files import MAX_TEXT
from core.memory.model import Memory, MemoryKind, MemoryStatus, Scope, labelled
from core.memory.ports import MemoryStore
from core.platform.clock import Clock, utc_now
from core.platform.errors import InputError, NotFoundError, ServiceError
from core.platform.ids import content_id
from core.platform.language.detect import is_unspaced
from core.platform.language.patterns import pattern
from core.platform.language.terms import content_terms
from core.platform.texts import beginnings, text

SAME = 0.08
"""Cosine distance within which two memories with the same numbers say the same."""
SAID_IN_CHAT = "memory.why.said"
"""Reason of a proposal that the person said."""
NEAREST = 8
SAME_THING = 0.55
"""Cosine distance within which a statement may be on the same thing as an older one: of 30 that say what has become of
the older one 27 are, of 30 that tell of another thing 13, of 60 the nearest of 20 others 4."""
_SAID_OF = pattern("(?:我(?:们|們)?的?)?(?P<thing>[^，,。：:]{1,12}?)[是叫]")
_OVER = {MemoryStatus.EXPIRED, MemoryStatus.SUPERSEDED}


@dataclass(frozen=True, slots=True)
class Compared:
    """Result of the comparison of a new memory with the known ones."""

    twin: Memory | None = None
    """A memory that says the same and is in force or was declined: the new one is dropped."""
    outdated: tuple[Memory, ...] = ()
    """Memories that the new one supersedes."""


def compared(
    store: MemoryStore, memory: Memory, meanings: StatementMeanings, instead: Sequence[Memory] = ()
) -> Compared:
    """Only the person's own words supersede; what was proposed or declined before is not proposed again.

    An older proposal that says otherwise goes along, also with a newer one that the person said: accepted later it
    would replace what was said last.
    instead: those in whose place the person says it.
    """
    near = _near(store, memory.text)
    replaced = {one.id for one in instead}
    here = [one for one in store.find() if one.id == memory.id or _holds_beside(one, memory)]
    others = [one for one in here if one.id not in replaced]
    same = [one for one in others if says_same(memory, one, near.get(one.id, 1.0), meanings)]
    contrary = contrary_to(memory, others, meanings)
    passed = tuple(one for one in _proposed(contrary) if one.created_at <= memory.created_at)
    if memory.status is not MemoryStatus.ACTIVE:
        said = passed if memory.reason == SAID_IN_CHAT else ()
        return Compared(_standing(store, memory, same), (*instead, *said))
    if in_force := (*(one for one in contrary if one.status is MemoryStatus.ACTIVE), *instead):
        return Compared(outdated=in_force + passed)
    active = (one for one in same if one.status is MemoryStatus.ACTIVE and _holds_beside(one, memory))
    return Compared(next(active, None), _proposed(same) + passed)


def contrary_to(memory: Memory, others: Sequence[Memory], meanings: StatementMeanings) -> list[Memory]:
    """Those that the memory takes out of force, or of the inbox."""
    return [one for one in others if _holds_beside(one, memory) and contradicts(memory, one, meanings)]


def _holds_beside(one: Memory, memory: Memory) -> bool:
    """Whether it holds where the memory does: what holds in another chat alone neither repeats nor contradicts it."""
    is_elsewhere = one.in_thread_only and one.thread_id != memory.thread_id
    return one.base_id in {"", memory.base_id} and not is_elsewhere


def _standing(store: MemoryStore, memory: Memory, same: Sequence[Memory]) -> Memory | None:
    """Of those that say the same as a proposal, the one because of which it is not made.

    What the person says again is offered again, though they declined or deleted it.
    """
    standing = [one for one in same if one.status not in _OVER]
    if memory.reason == SAID_IN_CHAT:
        return next((one for one in standing if one.status is not MemoryStatus.REJECTED), None)
    deleted = [memory] if store.was_deleted(memory.id) else []
    return next(iter((*standing, *(one for one in same if one.id == memory.id), *deleted)), None)


def _proposed(memories: Sequence[Memory]) -> tuple[Memory, ...]:
    return tuple(one for one in memories if one.status is MemoryStatus.PROPOSED)


def keep(
    store: MemoryStore, memory: Memory, meanings: StatementMeanings, instead: Sequence[Memory] = ()
) -> tuple[Memory, Compared]:
    """The memory that is in force, and the result of the comparison. instead: as of compared()."""
    met = compared(store, memory, meanings, instead)
    if met.twin:
        return met.twin, met
    store.save(memory)
    for older in met.outdated:
        if older.id != memory.id:
            store.save(replace(older, status=MemoryStatus.SUPERSEDED, superseded_by=memory.id))
    return memory, met


def accept(store: MemoryStore, memory: Memory, meanings: StatementMeanings) -> Compared:
    """Puts a proposal in force: what it contradicts is superseded; of two that say the same the older one stays."""
    _, met = keep(store, replace(memory, status=MemoryStatus.ACTIVE, reason=""), meanings)
    if met.twin:
        store.save(replace(memory, status=MemoryStatus.SUPERSEDED, superseded_by=met.twin.id))
    return met


def stored(store: MemoryStore, memory_ids: Iterable[str]) -> list[Memory]:
    """Those that were not deleted since, as they are now."""
    found = []
    for memory_id in memory_ids:
        with suppress(NotFoundError):
            found.append(store.get(memory_id))
    return found


def as_before(memory: Memory) -> Memory:
    """The memory as it was before it was declined or superseded: waiting if it was never accepted.

    One that was declined with a reason waits, too: whether it had been accepted is no longer known.
    """
    if not memory.reason:
        return replace(memory, status=MemoryStatus.ACTIVE, superseded_by="")
    reason = memory.reason if memory.reason.startswith("memory.why.") else "memory.why.said"
    return replace(memory, status=MemoryStatus.PROPOSED, superseded_by="", reason=reason)


def may_be_replaced(
    store: MemoryStore, memory: Memory, meanings: StatementMeanings, is_about: Callable[[str, str], bool]
) -> Memory | None:
    """The older statement in force whose place the memory takes if the person says so; none that it replaces anyway.

    is_about: whether two statements are on the same person or thing.
    """
    near = told_on_same_thing(store, memory.text, Scope(memory.base_id, memory.thread_id))
    older = (one for one in near if one.created_at <= memory.created_at and is_about(memory.text, one.text))
    found = next((one for one in older if not _is_of_another(memory.text, one.text)), None)
    return None if found is None or contrary_to(memory, [found], meanings) else found


def _is_of_another(newer: str, older: str) -> bool:
    """Whether the older one says what something else is: another label, or a thing that the newer one does not name."""
    told, known = (set(content_terms(_thing_of(text))) for text in (newer, older))
    if is_unspaced(older):
        return bool(known) and known.isdisjoint(content_terms(newer))
    return bool(told and known) and not (told <= known or known <= told)


def _thing_of(text: str) -> str:
    """The label, or what stands before 是; empty where neither is there."""
    found = _SAID_OF.match(text)
    return found["thing"] if found else labelled(text)[0]


def told_on_same_thing(store: MemoryStore, text: str, scope: Scope) -> list[Memory]:
    """Other statements in force that may be on the same thing as the text, nearest first."""
    told = {one.id for one in store.active(scope) if one.kind is not MemoryKind.CONCLUSION and one.text != text}
    return [one for one in on_same_thing(store, text) if one.id in told]


def on_same_thing(store: MemoryStore, text: str) -> list[Memory]:
    """Memories of any status that may be on the same thing as the text, nearest first."""
    return [memory for memory, distance in nearest(store, text) if distance <= SAME_THING]


def nearest(store: MemoryStore, text: str) -> list[tuple[Memory, float]]:
    """As MemoryStore.near(), none where the embedder fails: words and forms are compared all the same."""
    with suppress(ServiceError):
        return store.near(text, NEAREST)
    return []


def repeats(memory: Memory, older: Memory) -> bool:
    """Whether it is the older one with what was said then."""
    return memory.text.startswith(beginnings("memory.then_said", "said", older=older.text))


def quoted(statements: Sequence[str], language: str) -> str:
    """The statements as an answer tells them: in quotation marks, or its reader takes "I" for the one who writes it.

    What is kept with a label has none, because the person said it in other words.
    """
    return in_a_row(
        (one if labelled(one)[0] else text("memory.quoted", language, statement=one) for one in statements), language
    )


def in_a_row(told: Iterable[str], language: str) -> str:
    return ("；" if language.startswith("zh") else "; ").join(told)


def replaced_by(store: MemoryStore, memory: Memory, meanings: StatementMeanings) -> list[Memory]:
    """Memories that it superseded and that say something else; a proposal that says the same was never in force."""
    near = _near(store, memory.text)
    own = [one for one in store.superseded_by(memory.id) if one.superseded_by == memory.id]
    return [one for one in own if not says_same(memory, one, near.get(one.id, 1.0), meanings)]


def says_same(one: Memory, other: Memory, distance: float, meanings: StatementMeanings) -> bool:
    if one.id == other.id:
        return True
    if numbers_of(one.text) != numbers_of(other.text):
        return False
    words = content_terms(one.text)
    if words and set(words) == set(content_terms(other.text)):
        return not contradicts(one, other, meanings)
    if one.kind is other.kind is MemoryKind.PREFERENCE and (form := meanings.form_of(one.text)):
        return meanings.form_of(other.text) is form
    return distance < SAME and not contradicts(one, other, meanings)


def _near(store: MemoryStore, text: str) -> dict[str, float]:
    return {memory.id: distance for memory, distance in nearest(store, text)}


def new_memory(text: str, kind: MemoryKind, importance: int, now: Clock = utc_now) -> Memory:
    """Active, and as sure as can be. Raises InputError for empty or long text."""
    made = now()
    words = checked(text)
    return Memory(
        content_id("memory", words, made.isoformat()), words, kind, importance, 1.0, MemoryStatus.ACTIVE, made, made
    )


def checked(text: str) -> str:
    """The text on one line. Raises InputError for empty or long text."""
    words = " ".join(text.split())
    if not words or len(words) > MAX_TEXT:
        raise InputError("memory.error.empty", limit=MAX_TEXT)
    return words
