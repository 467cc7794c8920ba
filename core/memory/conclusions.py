"""Conclusions: whole sentences of documents that more than one document supports."""

import re
from collections.abc import Mapping, Sequence

from core.platform.language.patterns import pattern
from core.platform.language.terms import content_terms
from core.search.model import Citation

SOURCES = 2
"""Least documents behind a conclusion; what one document says is searched again instead."""
LONGEST = 240
"""Characters."""
SHORTEST = 3
"""Least content terms of a sentence that makes sense alone."""
MOSTLY_NAMES = 0.5
"""The share of capitalised words and numbers above which a line is a title, a list of authors or a row of a table."""
AGREE = 0.8
"""Least share of a sentence's content terms in the sentence of another document that supports it."""
_WHOLE = pattern(r"[“\"「『(（]?(?:[^\W\d_a-z]).*[.!。！][”\"」』)）]?", re.DOTALL)
"""Begins as a sentence does and ends as one that claims something."""
_CUT = ("…", "...", "|", "\t", "\n")
"""What a cut text, a table and a text of several lines have."""
_WORD = re.compile(r"[^\W_]+")


def whole_sentences(citations: Sequence[Citation]) -> tuple[str, ...]:
    """Whole sentences of the citations, best first; empty unless they come from several documents."""
    ordered = sorted(citations, key=lambda citation: (-citation.score, citation.number))
    whole = {" ".join(it.text.split()): it.document_id or it.url for it in ordered if is_whole(it.text.strip())}
    return tuple(whole) if len(set(whole.values())) >= SOURCES else ()


def is_whole(words: str) -> bool:
    """Whether it is a sentence, rather than a part of one, a heading, a title block or a row of a table."""
    if len(words) > LONGEST or any(mark in words for mark in _CUT) or not _WHOLE.fullmatch(words):
        return False
    return len(content_terms(words)) >= SHORTEST and not _is_mostly_names(words)


def borne_out(sentences: Sequence[str]) -> str:
    """The first sentence that another one supports; empty if each says something different."""
    said: Mapping[str, set[str]] = {sentence: set(content_terms(sentence)) for sentence in sentences}
    for sentence, terms in said.items():
        if any(other != sentence and len(terms & said[other]) >= AGREE * len(terms) for other in said):
            return sentence
    return ""


def _is_mostly_names(words: str) -> bool:
    found = [word for word in _WORD.findall(words) if word.isascii()]
    named = [word for word in found[1:] if word[0].isupper() or word[0].isdigit()]
    return len(named) > MOSTLY_NAMES * max(1, len(found) - 1)
