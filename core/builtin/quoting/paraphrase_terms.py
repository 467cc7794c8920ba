"""What a sentence says without the word for it: a lifespan tells birth and death, "an Italian painter" a country."""

import re

from core.language.terms import content_terms

_DATES = r"[^()（）]{0,80}?\d{3,4}[^()（）]{0,30}?[–—－~～-][^()（）]{0,30}?\d{3,4}[^()（）]{0,30}"
_LIFESPAN = re.compile(rf"[(（]{_DATES}[)）]")
_NATION = re.compile(r"\b(?:is|was|are|were)\s+(?:an?|the)\s+(?:\S+\s+){0,3}?[A-Z]\w+(?:an|ish|ese|ch|ic)\b")


def implied_terms(sentence: str) -> frozenset[str]:
    """Terms that a reader would take for said."""
    found: list[str] = []
    if _LIFESPAN.search(sentence):
        found += content_terms("born died 出生 去世")
    if _NATION.search(sentence):
        found += content_terms("nationality country")
    return frozenset(found)
