"""Detects memories that a newer one contradicts: the same statement with another value."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, replace
from difflib import SequenceMatcher

from core.memory.model import AnswerForm, Memory, MemoryKind, MemoryReply, MemoryRequest, labelled
from core.platform.language.numbers import NUMBER
from core.platform.language.patterns import any_of
from core.platform.language.terms import content_terms, normal_form

FRAME = 0.5
"""Memories that say otherwise share more than this of the shorter one's content terms."""
_NOW = any_of(r"\bnow\b", "现在|如今|目前")
_ADDS = any_of(r"\b(?:also|too|another|as well)\b", "[也还]")
"""Words of a statement that holds beside the older one."""


@dataclass(frozen=True, slots=True)
class StatementMeanings:
    """How statements are understood; by default they are not."""

    form_of: Callable[[str], AnswerForm | None] = lambda _: None
    """(text of a preference) -> the form of answers that it requests."""
    of_self: Callable[[str], float] = lambda _: -1.0
    """(sentence of a message) -> margin by which it tells something lasting of the person, from about -1 to 1."""
    request: Callable[[str], MemoryRequest | None] = lambda _: None
    """(message) -> what it asks to remember or to forget."""
    reply: Callable[[str], MemoryReply] = lambda _: MemoryReply.OTHER
    """(message) -> what it says to what was offered or done."""
    asks_of_self: Callable[[str], float] = lambda _: 0.0
    """(question) -> margin by which it asks what only the person can have told: from about -1, of documents, to 1."""
    introduced: Callable[[str], tuple[str, ...]] = lambda _: ()
    """(fact) -> the facts in it if the person gives their name: "Name: Dana" of "I'm Dana"."""


def contradicts(newer: Memory, older: Memory, meanings: StatementMeanings) -> bool:
    """Both say the same of something but for one stretch: of preferences any other value, of facts another number.

    A fact with a label ("Name: Alex") has one value; preferences on one form of answers hold one at a time.
    """
    if (newer.kind, newer.base_id) != (older.kind, older.base_id) or newer.text == older.text:
        return False
    is_preference = newer.kind is MemoryKind.PREFERENCE
    if is_preference and (form := meanings.form_of(newer.text)) and (other := meanings.form_of(older.text)):
        return form is not other and _sort(form) == _sort(other)
    if newer.thread_id and same_label(labelled(newer.text)[0], labelled(older.text)[0]):
        return content_terms(labelled(newer.text)[1]) != content_terms(labelled(older.text)[1])
    is_other = is_preference or numbers_of(newer.text) != numbers_of(older.text)
    return is_other and _one_stretch_differs(content_terms(older.text), content_terms(newer.text))


def contradicted(said: str, thread_id: str, known: Iterable[Memory], meanings: StatementMeanings) -> list[Memory]:
    """The known memories that the words, said in this chat, contradict."""
    return [one for one in known if contradicts(replace(one, text=said, thread_id=thread_id), one, meanings)]


def says_change(text: str) -> bool:
    """Whether it says what has become so: "I have a cat now"."""
    plain = normal_form(text)
    return _NOW.search(plain) is not None and not _ADDS.search(plain)


def _one_stretch_differs(first: list[str], second: list[str]) -> bool:
    """Whether the second says another thing in one place; beside another number it may leave something out, too."""
    changes = [it for it in SequenceMatcher(None, first, second, autojunk=False).get_opcodes() if it[0] != "equal"]
    is_frame_shared = len(set(first) & set(second)) > FRAME * min(len(first), len(second))
    said = [change for change in changes if change[0] != "delete"]
    if not is_frame_shared or [change[0] for change in said] != ["replace"]:
        return False
    (_, start, end, begin, stop), *_ = said
    return len(changes) == 1 or all(map(numbers_of, (*first[start:end], *second[begin:stop])))


def same_label(one: str, other: str) -> bool:
    return bool(one) and set(content_terms(one) or [one]) == set(content_terms(other) or [other])


def numbers_of(text: str) -> list[str]:
    return NUMBER.findall(text)


def _sort(form: AnswerForm) -> str:
    return "length" if form.length else "units" if form.units else "language"
