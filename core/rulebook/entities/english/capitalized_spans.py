"""Runs of capitalised words in English text."""

from functools import cache

from core.rulebook.entities.lexicon import WordClass, is_plain, phrases, word_class, words
from core.rulebook.entities.tokens import Token

_LONGEST_PHRASE = 5
_SMALL = frozenset({"of", "and", "the", "to", "in", "a", "an", "with", "from", "for", "on", "at", "by", "or"})
_MOST_SMALL = 2
_CENTURIES = ("17", "18", "19", "20")


def listed_phrase(tokens: list[Token], index: int) -> int | None:
    """The last token of the longest entry of a list that starts here and is no part of a longer name."""
    if tokens[index].text not in _phrase_starts() or tokens[index].silent:
        return None
    for length in range(min(_LONGEST_PHRASE, len(tokens) - index), 0, -1):
        last = index + length - 1
        if any(not token.joined for token in tokens[index + 1 : last + 1]):
            continue
        if " ".join(token.text for token in tokens[index : last + 1]) in _known_phrases():
            return None if _goes_on(tokens, last) or _was_going_on(tokens, index) else last
    return None


@cache
def _known_phrases() -> frozenset[str]:
    return phrases("places") | phrases("organizations") | phrases("technologies") | phrases("concepts")


@cache
def _phrase_starts() -> frozenset[str]:
    return frozenset(phrase.split(" ", 1)[0] for phrase in _known_phrases())


def _goes_on(tokens: list[Token], last: int) -> bool:
    return last + 1 < len(tokens) and tokens[last + 1].joined and _continues(tokens, last + 1)


def _was_going_on(tokens: list[Token], index: int) -> bool:
    if not index or not tokens[index].joined:
        return False
    before = tokens[index - 1]
    return before.is_capital and before.shape != "upper" and word_class(before.lower) is WordClass.UNKNOWN


def capital_run(tokens: list[Token], index: int) -> int | None:
    """The last token of the run of capitalised words that starts here; None when none does."""
    token = tokens[index]
    if not token.is_capital or token.silent:
        return None
    if is_function(token) and not is_given_name(tokens, index):
        return _title(tokens, index)
    last = index
    while last + 1 < len(tokens) and tokens[last + 1].joined and _continues(tokens, last + 1):
        last += 1
    while last > index and tokens[last].lower in words("particles") and not tokens[last].is_capital:
        last -= 1
    return last


def is_function(token: Token) -> bool:
    return token.lower in words("function_words") and token.shape != "initial"


def is_given_name(tokens: list[Token], index: int) -> bool:
    """A word like Will or May in front of a name."""
    if tokens[index].text not in words("given_names") or index + 1 == len(tokens):
        return False
    following = tokens[index + 1]
    return following.joined and following.is_capital and not is_plain(following.lower)


def _title(tokens: list[Token], index: int) -> int | None:
    """The last token of a work's title, which capitalises even small words in the middle of a sentence."""
    if tokens[index].starts_sentence or tokens[index].shape != "cap" or _goes_with(tokens, index):
        return None
    last = index
    while last + 1 < len(tokens) and tokens[last + 1].joined:
        step = 1
        while step <= _MOST_SMALL and last + step < len(tokens) and tokens[last + step].lower in _SMALL:
            step += 1
        if not _is_capital(tokens, last + step) or tokens[last + step].lower in words("calendar"):
            break
        last += step
    return last if last > index else None


def _goes_with(tokens: list[Token], index: int) -> bool:
    """Whether the words before it belong to the same title: Internal Control (Over Financial Reporting)."""
    return index > 0 and tokens[index].joined and tokens[index - 1].is_capital


def _is_capital(tokens: list[Token], index: int) -> bool:
    return index < len(tokens) and tokens[index].joined and tokens[index].is_capital


def _continues(tokens: list[Token], index: int) -> bool:
    """Whether the token belongs to a run that reached the one before it."""
    token, before = tokens[index], tokens[index - 1]
    if token.silent:
        return False
    if token.is_capital:
        return not is_function(token) or token.text in ("A", "I")
    if not before.is_capital:
        return False
    if token.shape == "number":
        numbered = any(map(str.isdigit, before.text))
        return not numbered and not _is_furniture(before.lower) and _numbers_name(token.text, before)
    if token.text == "&":
        return _is_capital(tokens, index + 1)
    return (
        token.lower in words("particles") and _is_capital(tokens, index + 1) and not is_plain(tokens[index + 1].lower)
    )


def _is_furniture(word: str) -> bool:
    return word in words("stop_names") or word in words("calendar")


def _numbers_name(number: str, before: Token) -> bool:
    """Windows 10, Histone H3, Euro 2008; no quantities behind everyday words."""
    if not number.replace(".", "").isdigit():
        return number.isalnum() and any(map(str.isupper, number))
    is_year = len(number) == 4 and number.startswith(_CENTURIES)
    return len(number) <= 4 and not is_plain(before.lower) and (not is_year or before.shape == "upper" or before.joined)
