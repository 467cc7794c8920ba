"""Detects memories that a newer one contradicts: the same statement with another value."""

import re
from collections.abc import Callable
from difflib import SequenceMatcher

from core.memory.model import AnswerForm, Memory, MemoryKind
from core.platform.language.numbers import NUMBER
from core.platform.language.patterns import any_of
from core.platform.language.terms import content_terms, normal_form

FRAME = 0.5
"""Memories that say otherwise share more than this of the shorter one's content terms."""
_LABELLED = re.compile(r"(?P<label>[^:：]{1,40})(?:(?<!\d):|:(?!\d)|：)\s*(?P<value>.+)", re.DOTALL)


_NOW = any_of(r"\s*\bnow\b", "现在|如今|目前")
_ADDS = any_of(r"\b(?:also|too|another|as well)\b", "[也还]")
"""Words of a statement that holds beside the older one."""
_SAYS_MORE = any_of(r"\b(?:and|but|with)\b|;", "[一-龥].*[,，；]")
"""Words of a statement that may say more than one thing, which is not replaced as a whole."""
_ONE_VALUE = (
    ("home", any_of(r"(?P<who>i|we)\s+live\s+in\s(?P<said>.+)")),
    ("job", any_of(r"(?P<who>i|we)\s+work\s+(?:at|for)\s(?P<said>.+)")),
    ("trade", any_of(r"(?P<who>i|we)\s+work\s+as\s(?P<said>.+)")),
    ("home", any_of("(?P<who>我们?)住在(?P<said>.+)")),
    (
        "home",
        any_of("(?P<who>我)(?:刚刚?|最近|昨天|今[天年]|上个?[周月])才?搬[家到去]+(?P<said>[^楼层室办]+?)[住了]*"),
    ),
    ("job", any_of("(?P<who>我们?)在(?P<said>.+)工作")),
)
"""Sentences that say what there is one of at a time."""


FormOf = Callable[[str], AnswerForm | None]
"""What a preference asks of the form of answers."""


def no_form(_: str) -> None:
    """Where forms are not understood."""


def contradicts(newer: Memory, older: Memory, form_of: FormOf = no_form) -> bool:
    """Both say the same of something but for one stretch: of preferences any other value, of facts another number.

    A fact with a label ("Name: Alex") has one value, as has where one lives or works; preferences on one form of
    answers hold one at a time.
    """
    if (newer.kind, newer.base_id) != (older.kind, older.base_id) or newer.text == older.text:
        return False
    is_preference = newer.kind is MemoryKind.PREFERENCE
    if is_preference and (form := form_of(newer.text)) and (other := form_of(older.text)):
        return form is not other and _sort(form) == _sort(other)
    if _is_update(newer, older):
        return True
    if newer.thread_id and same_label(labelled(newer.text)[0], labelled(older.text)[0]):
        return content_terms(labelled(newer.text)[1]) != content_terms(labelled(older.text)[1])
    is_other = is_preference or numbers_of(newer.text) != numbers_of(older.text)
    return is_other and _one_stretch_differs(content_terms(older.text), content_terms(newer.text))


def may_replace(text: str) -> bool:
    """Whether it says what has become so ("I live in Rome now"), or what there is one of at a time."""
    return _says_change(text) or bool(_of_one_value(text)[0])


def _says_change(text: str) -> bool:
    plain = normal_form(text)
    return _NOW.search(plain) is not None and not _ADDS.search(plain)


def _is_update(newer: Memory, older: Memory) -> bool:
    """Whether the newer, which says that it has become so or was said in a chat, gives another value than the older."""
    (sort, value), (sort_before, value_before) = _of_one_value(newer.text), _of_one_value(older.text)
    is_same = f"{value} ".startswith(f"{value_before} ") or f"{value_before} ".startswith(f"{value} ")
    return bool(sort) and sort == sort_before and not is_same and (bool(newer.thread_id) or _says_change(newer.text))


def _of_one_value(text: str) -> tuple[str, str]:
    """("i home", "rome") of "I live in Rome now"; nothing of other sentences and of those that may say more."""
    plain = " ".join(_NOW.sub("", normal_form(text)).strip(" .。").split())
    if _SAYS_MORE.search(plain) or _ADDS.search(plain):
        return "", ""
    found = ((sort, form.fullmatch(plain)) for sort, form in _ONE_VALUE)
    return next(
        ((f"{it['who']} {sort}".casefold(), it["said"].casefold().replace(",", "")) for sort, it in found if it),
        ("", ""),
    )


def _one_stretch_differs(first: list[str], second: list[str]) -> bool:
    """Whether the second says another thing in one place; beside another number it may leave something out, too."""
    changes = [it for it in SequenceMatcher(None, first, second, autojunk=False).get_opcodes() if it[0] != "equal"]
    is_frame_shared = len(set(first) & set(second)) > FRAME * min(len(first), len(second))
    said = [change for change in changes if change[0] != "delete"]
    if not is_frame_shared or [change[0] for change in said] != ["replace"]:
        return False
    (_, start, end, begin, stop), *_ = said
    return len(changes) == 1 or all(map(numbers_of, (*first[start:end], *second[begin:stop])))


def labelled(text: str) -> tuple[str, str]:
    """("Name", "Alex") of "Name: Alex"; no label where there is none."""
    found = _LABELLED.fullmatch(text.strip())
    return (found["label"].strip(), found["value"].strip()) if found else ("", text)


def same_label(one: str, other: str) -> bool:
    return bool(one) and set(content_terms(one) or [one]) == set(content_terms(other) or [other])


def numbers_of(text: str) -> list[str]:
    return NUMBER.findall(text)


def _sort(form: AnswerForm) -> str:
    return "length" if form.length else "units" if form.units else "language"
