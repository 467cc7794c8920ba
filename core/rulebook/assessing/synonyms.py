"""Synonyms of questions and statements, which count less than the word itself, and implied terms."""

import re
from functools import cache
from pathlib import Path

from core.platform.language.terms import content_terms, terms


def synonyms(term: str) -> frozenset[str]:
    """Terms with the same meaning."""
    return _table().get(term, frozenset())


def other_words(text: str) -> list[str]:
    """Synonyms of the words of the text as people write them, two of each."""
    held = set(terms(text))
    found = [[word for word in words if word not in text][:2] for words, group in _groups() if held & group]
    return list(dict.fromkeys(word for words in found for word in words))


@cache
def _table() -> dict[str, frozenset[str]]:
    table: dict[str, set[str]] = {}
    for _, group in _groups():
        for term in group:
            table.setdefault(term, set()).update(group - {term})
    return {term: frozenset(others) for term, others in table.items()}


@cache
def _groups() -> tuple[tuple[tuple[str, ...], frozenset[str]], ...]:
    """The words of every group, a line of synonyms.txt, and their terms."""
    text = Path(__file__).with_suffix(".txt").read_text(encoding="utf-8")
    lines = (tuple(line.split()) for line in text.splitlines())
    return tuple((words, frozenset(term for word in words for term in terms(word)[:1])) for words in lines)


_DATES = r"[^()（）]{0,80}?\d{3,4}[^()（）]{0,30}?[–—－~～-][^()（）]{0,30}?\d{3,4}[^()（）]{0,30}"
_LIFESPAN = re.compile(rf"[(（]{_DATES}[)）]")
_NATION = re.compile(r"\b(?:is|was|are|were)\s+(?:an?|the)\s+(?:\S+\s+){0,3}?[A-Z]\w+(?:an|ish|ese|ch|ic)\b")


def implied_terms(sentence: str) -> frozenset[str]:
    """Terms that the sentence implies."""
    found: list[str] = []
    if _LIFESPAN.search(sentence):
        found += content_terms("born died 出生 去世")
    if _NATION.search(sentence):
        found += content_terms("nationality country")
    return frozenset(found)
