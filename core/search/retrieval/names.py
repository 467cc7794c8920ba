"""Finds stretches of a text that may be names, to be compared with titles and headings."""

import re
from collections.abc import Callable, Iterator

from core.platform.language.scripts import HAN, KANA

MAX_WORDS = 8
MAX_SIGNS = 10
"""Longest name in words, or in characters for scripts without spaces."""
MAX_NUMBER = 5
MAX_CHARACTERS = 6_000
"""Characters of a text; chunks are shorter."""
MAX_NAMES = 400
_WORD = re.compile(r"[^\W_][^\s()\[\]{}<>\"“”«»《》〈〉「」『』;:!?|/\\、，。；：！？]*")
_BREAK = re.compile(
    r"[()\[\]{}<>\"“”«»《》〈〉「」『』;:!?|/\\、，。；：！？\n\t]"
    r"|(?<!\b[A-Z])(?<!\b[DJMS]r)(?<!\b(?:St|Ms|No|Co))(?<!\b(?:Mrs|Vol|Inc|Ltd))\.(?=\s|$)"
)
_POSSESSIVE = re.compile(r"(?:['’]s|[.,'’])+$")
_QUOTED = re.compile(
    r"\"\s*([^\"\n]{2,80}?)\s*\"|“([^”\n]{2,80})”|《([^》\n]{1,60})》|〈([^〉\n]{1,60})〉|「([^」\n]{1,60})」|『([^』\n]{1,60})』"
)
_UNSPACED = re.compile(rf"[{KANA}{HAN}\dA-Za-z]+")
_ASCII = re.compile(r"[\dA-Za-z]+")


def names_in(text: str) -> list[str]:
    """Quoted stretches, and runs of up to eight words that begin and end with a capital or a digit; no repeats.

    Overlapping candidates are all given ("University of Oxford", "Oxford"): what is no title anywhere does no harm.
    Runs of numbers are left out.
    """
    text = text[:MAX_CHARACTERS]
    quoted = [next(group for group in match.groups() if group) for match in _QUOTED.finditer(text)]
    runs = [name for phrase in _BREAK.split(text) for name in _runs(_WORD.findall(phrase), _name_like)]
    return list(dict.fromkeys([*quoted, *runs]))[:MAX_NAMES]


def names_in_question(question: str) -> list[str]:
    """As names_in, but any run of words or Chinese characters may be a name: people ask in lower case."""
    question = question[:MAX_CHARACTERS]
    runs = [name for phrase in _BREAK.split(question) for name in _runs(_WORD.findall(phrase), bool)]
    return list(dict.fromkeys([*names_in(question), *runs, *_stretches(question)]))[:MAX_NAMES]


def _runs(words: list[str], ends: Callable[[str], bool]) -> list[str]:
    """Runs of words, without the possessive s of the last one."""
    last = [_POSSESSIVE.sub("", word) if ends(word) else "" for word in words]
    is_number = [word[0].isdigit() for word in words]
    found: list[str] = []
    for start in range(len(words)):
        before = ""
        for stop in range(start, min(start + MAX_WORDS, len(words)) if last[start] else start):
            if last[stop] and (start == stop or not (is_number[start] and is_number[stop])):
                found.append(before + last[stop])
            before += f"{words[stop]} "
    return found


def _name_like(word: str) -> bool:
    """Whether it has a capital, or is a number as in names (1984, 500 Days, 3rd), not an amount in a table."""
    return word[0].isupper() or (word[0].isdigit() and len(word) <= MAX_NUMBER and "," not in word)


def _stretches(text: str) -> Iterator[str]:
    """Every run of two to ten characters in a script without spaces."""
    for match in _UNSPACED.finditer(text):
        run = match.group()
        if not _ASCII.fullmatch(run):
            for length in range(min(MAX_SIGNS, len(run)), 1, -1):
                yield from (run[start : start + length] for start in range(len(run) - length + 1))
