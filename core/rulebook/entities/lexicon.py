"""The word lists beside this file, and what they say about an English word."""

from collections.abc import Iterator
from enum import Enum, auto
from functools import cache, lru_cache
from pathlib import Path

FOLDER = Path(__file__).parent / "lexicons"
_NAME_LISTS = (
    ("places", "LOCATION"),
    ("organizations", "ORGANIZATION"),
    ("technologies", "TECHNOLOGY"),
    ("concepts", "CONCEPT"),
)
_VOWELS = "aeiou"
_VERB_ENDINGS = ("ize", "izes", "ized", "ify", "ifies", "ified")
_LONGEST_SHORT_VERB = 6


class WordClass(Enum):
    """Roles of a lower-case English word inside a noun phrase."""

    FUNCTION = auto()
    VERB = auto()
    NOUN_OR_VERB = auto()
    PLAIN_ADJECTIVE = auto()
    MODIFIER = auto()
    PLAIN_NOUN = auto()
    UNKNOWN = auto()


@cache
def words(name: str) -> frozenset[str]:
    """The words of lexicons/<name>.txt, separated by white space; lines that start with # are comments."""
    return frozenset(word for line in _lines(name) for word in line.split())


@cache
def phrases(name: str) -> frozenset[str]:
    """The entries of lexicons/<name>.txt that are separated by commas."""
    entries = (entry.strip() for line in _lines(name) for entry in line.split(","))
    return frozenset(entry for entry in entries if entry)


@cache
def endings(name: str) -> tuple[str, ...]:
    """The words of lexicons/<name>.txt as str.endswith takes them."""
    return tuple(sorted(words(name)))


@cache
def listed_type(name: str) -> str:
    """The type that a list of well-known names gives to the name, empty when none has it."""
    return next((kind for file, kind in _NAME_LISTS if name in phrases(file)), "")


def is_legal_form(word: str) -> bool:
    """Inc., L.L.C., GmbH."""
    return word.lower().replace(".", "").rstrip(",") in words("legal_forms")


def _lines(name: str) -> Iterator[str]:
    text = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    return (line for line in text.splitlines() if not line.startswith("#"))


@lru_cache(maxsize=65536)
def word_class(word: str) -> WordClass:
    """The class of a lower-case word; inflected forms count as their base."""
    if word in words("function_words"):
        return WordClass.FUNCTION
    if word in words("modifiers"):
        return WordClass.MODIFIER
    if word in words("noun_verbs"):
        return WordClass.NOUN_OR_VERB
    if word in words("plain_adjectives") or _is_adverb(word):
        return WordClass.PLAIN_ADJECTIVE
    if word in _verb_forms() and not (word.endswith("ing") and word in words("plain_nouns")):
        return WordClass.VERB
    if word in _plain_nouns():
        return WordClass.PLAIN_NOUN
    if len(word) > _LONGEST_SHORT_VERB and word.endswith(_VERB_ENDINGS):
        return WordClass.VERB
    return WordClass.UNKNOWN


@lru_cache(maxsize=65536)
def is_plain(word: str) -> bool:
    """Whether a lower-case word is everyday English, so that a capital at a sentence start says nothing."""
    if word_class(word) is not WordClass.UNKNOWN or word in _technical_words():
        return True
    if "-" in word:
        return all(part and (part.isdigit() or is_plain(part)) for part in word.split("-"))
    return word.endswith(_PLAIN_ENDINGS) and len(word) > 6


_PLAIN_ENDINGS = ("ness", "ments", "ability", "fully", "ingly", "tional", "ities", "wise")


@cache
def _technical_words() -> frozenset[str]:
    names = ("technology_heads", "weak_technology_heads", "concept_heads", "weak_concept_heads", "terms")
    return frozenset().union(*(words(name) for name in names))


@cache
def _verb_forms() -> frozenset[str]:
    inflected = (form for verb in words("verbs") | words("noun_verbs") for form in _inflections(verb))
    return frozenset(inflected) | words("verbs")


@cache
def _plain_nouns() -> frozenset[str]:
    base = words("plain_nouns") | words("plain_other") | words("roles")
    return base | {form for noun in base for form in plurals(noun)}


def plurals(noun: str) -> tuple[str, ...]:
    if noun.endswith("y") and noun[-2:-1] not in _VOWELS:
        return (noun[:-1] + "ies",)
    if noun.endswith(("s", "x", "z", "ch", "sh")):
        return (noun + "es",)
    return (noun + "s",)


@lru_cache(maxsize=65536)
def singular(word: str) -> str:
    """The singular of a lower-case English plural, the word itself when it is none."""
    if len(word) < 4 or not word.endswith("s") or word.endswith(("ss", "us", "is", "ics", "ous", "news")):
        return word
    if word.endswith("ies") and len(word) > 4:
        return word[:-3] + "y"
    if word.endswith(("sses", "shes", "ches", "xes", "zzes")):
        return word[:-2]
    return word[:-1]


def _inflections(verb: str) -> Iterator[str]:
    yield from plurals(verb)
    stem = verb[:-1] if verb.endswith("e") else verb
    if verb.endswith("y") and verb[-2:-1] not in _VOWELS:
        yield verb[:-1] + "ied"
    else:
        yield stem + "ed"
    yield stem + "ing"
    if stem[-1] not in _VOWELS + "wxy" and stem[-2:-1] in _VOWELS:
        yield stem + stem[-1] + "ed"
        yield stem + stem[-1] + "ing"


def _is_adverb(word: str) -> bool:
    return len(word) > 4 and word.endswith("ly") and word not in ("family", "assembly", "anomaly", "monopoly", "supply")
