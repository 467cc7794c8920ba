"""Technical terms of English text: noun phrases that end in a known kind of thing, with or without a name inside."""

from collections.abc import Iterator
from functools import lru_cache

from core.rulebook.entities.lexicon import WordClass, endings, is_plain, singular, word_class, words
from core.rulebook.entities.spans import CONCEPT, PERSON, TECHNOLOGY, TokenSpan
from core.rulebook.entities.tokens import Token

_LONGEST = 5
_BEFORE_VERBS = frozenset(
    {
        "to",
        "can",
        "will",
        "may",
        "must",
        "should",
        "could",
        "would",
        "we",
        "they",
        "i",
        "you",
        "not",
        "which",
        "that",
        "who",
        "also",
    }
)


def find_terms(tokens: list[Token], names: list[TokenSpan]) -> list[TokenSpan]:
    """Terms in order. A term may swallow a name (EM algorithm)."""
    owner = {index: span for span in names for index in range(span.first, span.last + 1)}
    found: list[TokenSpan] = []
    index = 0
    while index < len(tokens):
        last = _phrase_end(tokens, index, owner)
        if last < index:
            index = max(index, owner[index].last if index in owner else index) + 1
            continue
        found.extend(_terms(tokens, index, last, owner))
        index = last + 1
    return found


def _phrase_end(tokens: list[Token], first: int, owner: dict[int, TokenSpan]) -> int:
    """The last token of the noun phrase that starts here, names whole; first - 1 when none does."""
    last = first - 1
    while last + 1 < len(tokens) and (last < first or tokens[last + 1].joined):
        index = last + 1
        if index in owner:
            if not _may_join(owner[index]):
                break
            last = owner[index].last
        elif fits(tokens, index) and (last < first or tokens[index].shape != "cap"):
            last = index
        else:
            break
    return last


def _may_join(name: TokenSpan) -> bool:
    """Whether a name may stand inside a term: EM algorithm, Turing machine, but not London buses."""
    if name.last - name.first > 2 or name.closed:
        return False
    return name.best() in (TECHNOLOGY, CONCEPT) or (name.best() == PERSON and name.first == name.last)


def fits(tokens: list[Token], index: int) -> bool:
    """Whether a word can be part of a technical noun phrase."""
    token = tokens[index]
    if token.silent or not token.is_word or token.shape == "initial":
        return False
    if ends_term(token.lower):
        return True
    kind = word_class(token.lower)
    if kind is WordClass.NOUN_OR_VERB:
        return not (index == 0 or tokens[index - 1].lower in _BEFORE_VERBS)
    if kind is WordClass.PLAIN_NOUN:
        return singular(token.lower) == token.lower
    if kind is WordClass.UNKNOWN:
        return len(token.lower) > 2 and not token.lower.endswith(("ing", "ed", "s"))
    return kind is WordClass.MODIFIER


@lru_cache(maxsize=65536)
def is_head(word: str) -> bool:
    return any(word in words(name) for name in ("technology_heads", "concept_heads", "weak_technology_heads"))


def _is_compound(word: str) -> bool:
    """A hyphenated term: data-mining, cross-entropy."""
    front, hyphen, head = word.rpartition("-")
    return bool(hyphen) and is_head(head) and not _is_weak(head) and word_class(front) is not WordClass.FUNCTION


def _terms(tokens: list[Token], first: int, last: int, owner: dict[int, TokenSpan]) -> Iterator[TokenSpan]:
    """The term in the phrase first..last: it ends at the last head and is at most a few words long."""
    last = max((index for index in range(first, last + 1) if _closes(tokens, index, owner)), default=first - 1)
    if last < first:
        return
    last = _without_tail(tokens, first, last, owner)
    while last - first >= _LONGEST:
        first = owner[first].last + 1 if first in owner else first + 1
    word = tokens[last].lower
    if first == last:
        if not is_head(word) or word in words("terms"):
            yield TokenSpan(first, last, 0.5, {_type_of(word) if "-" in word else CONCEPT: 2.0}, term=True)
    elif _stands_out(word) or any(_is_strong(tokens[i], i in owner, i < last - 1) for i in range(first, last)):
        yield TokenSpan(first, last, 0.6, {_type_of(word): 2.5}, term=True)


def _type_of(head: str) -> str:
    """Return the type of a term that ends in this word; a hyphenated word has the type of its last part."""
    last = head.rpartition("-")[2]
    return TECHNOLOGY if last in words("technology_heads") or last in words("weak_technology_heads") else CONCEPT


def _stands_out(word: str) -> bool:
    """A head that makes a term whatever stands before it."""
    return is_head(word) and not _is_weak(word)


def _closes(tokens: list[Token], index: int, owner: dict[int, TokenSpan]) -> bool:
    if index in owner:
        return False
    word = tokens[index].lower
    return ends_term(word) or (index - 1 in owner and word in words("named_heads"))


@lru_cache(maxsize=65536)
def ends_term(word: str) -> bool:
    return is_head(word) or word in words("terms") or _is_technical(word) or _is_compound(word)


def _without_tail(tokens: list[Token], first: int, last: int, owner: dict[int, TokenSpan]) -> int:
    """The end of a term that is complete without its last word: machine learning (techniques)."""
    if last - 1 <= first or last - 1 in owner or tokens[last].lower not in words("generic_tails"):
        return last
    before = tokens[last - 1].lower
    return last - 1 if ends_term(before) and not _is_weak(before) else last


def _is_weak(word: str) -> bool:
    return word in words("weak_concept_heads") or word in words("weak_technology_heads")


def _is_strong(token: Token, named: bool, apart: bool) -> bool:
    """apart: another word stands between it and the head, as in large language model."""
    word = token.lower
    if named or word in words("terms") or _stands_out(word):
        return True
    return is_special(word) or (apart and word_class(word) is WordClass.MODIFIER)


def is_special(word: str) -> bool:
    """Return whether it is neither an everyday word nor an adjective of size or rank: large number, special case."""
    return word_class(word) in (WordClass.MODIFIER, WordClass.UNKNOWN) and word not in words("plain_adjectives")


def _is_technical(word: str) -> bool:
    return len(word) > 6 and word.endswith(endings("technical_endings")) and not is_plain(word)
