"""The word lists beside this file, and what they say about an English word."""

from functools import cache, lru_cache
from pathlib import Path

FOLDER = Path(__file__).parent / "lexicons"


@cache
def words(name: str) -> frozenset[str]:
    """The words of lexicons/<name>.txt, separated by white space; lines that start with # are comments."""
    lines = (FOLDER / f"{name}.txt").read_text(encoding="utf-8").splitlines()
    return frozenset(word for line in lines if not line.startswith("#") for word in line.split())


def is_legal_form(word: str) -> bool:
    """Inc., L.L.C., GmbH."""
    return word.lower().replace(".", "").rstrip(",") in words("legal_forms")


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
