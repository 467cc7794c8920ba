"""How a document writes its words, counted before the English rules look for names."""

import re
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import log1p

from core.rulebook.entities.boilerplate import OPERATORS
from core.rulebook.entities.lexicon import is_plain
from core.rulebook.entities.spans import TokenSpan
from core.rulebook.entities.tokens import Token

_LEAST_WORDS = 80
_MOST_CAPITALS = 0.4
_LONGEST_FRAGMENT = 2
_MOST_FRAGMENTS, _FRAGMENTS_A_WORD = 20, 0.03
"""Most single letters and pairs that are no words, in all and for each word; formulas and abbreviations have some."""
_CAMEL = re.compile(r"[A-Z]?[^\WA-Z]+|[A-Z]+(?![^\WA-Z])")
_LONGEST_VARIABLE = 4
MOST_FORMAL = 1 / 3
"""Share of the mentions of a name that may stand beside signs of formulas."""
LEAST_SERIES = 3
"""Numbers with which one letter makes a series: T16, T23, T45 are labels and no names."""


@dataclass(frozen=True, slots=True)
class Statistics:
    """How a document writes its words."""

    lower: Counter[str]
    """Occurrences without a capital."""
    inside: Counter[str]
    """Occurrences with a capital elsewhere than at a sentence start or in a heading."""
    titled: Counter[str]
    """Those with the first letter alone in capitals."""
    numbered: Counter[str]
    """Letter -> how many different numbers follow it: T16, T45."""
    compounds: Counter[str]
    """Last part -> how many words like GlobList end in it; none where one of them is not made of known words."""
    identifiers: frozenset[str]
    """Names like der_len of programs."""
    code_parts: frozenset[str]
    """The words that identifiers are made of: der and len."""
    coded: float
    """How much of the document is about a program: identifiers in a hundred words, on a logarithmic scale."""
    variables: frozenset[str]
    """Short words that stand in formulas, not only in sentences."""
    keys: frozenset[str]
    """Words that stand only where references and files are named: database[SharedMIME], Override.xml."""
    splits_words: bool
    """Whether blanks stand inside words, as some files leave them: Mexico Ci ty."""
    words: int
    informative: bool
    """Whether capitals distinguish names; not in a language that capitalises its nouns."""


def statistics(documents: Sequence[list[Token]]) -> Statistics:
    lower = Counter(token.lower for tokens in documents for token in tokens if token.shape == "lower")
    telling = [t for tokens in documents for t in tokens if t.is_capital and not t.starts_sentence and not t.silent]
    inside = Counter(token.lower for token in telling)
    identifiers = frozenset(text.lower() for text in _different(documents, lambda token: token.shape == "code"))
    fragments = sum(is_fragment(token) for tokens in documents for token in tokens)
    lowers, capitals = lower.total(), inside.total()
    return Statistics(
        lower,
        inside,
        titled=Counter(token.lower for token in telling if token.shape == "cap"),
        numbered=Counter(text[0] for text in _different(documents, lambda token: is_numbered_letter(token.text))),
        compounds=_compounds(_different(documents, lambda token: token.shape == "mixed"), lower),
        identifiers=identifiers,
        code_parts=frozenset(part for text in identifiers for part in text.split("_") if part),
        coded=log1p(100 * sum(t.shape == "code" for tokens in documents for t in tokens) / max(1, lowers + capitals)),
        variables=_variables(documents),
        keys=_keys(documents),
        splits_words=fragments > max(_MOST_FRAGMENTS, _FRAGMENTS_A_WORD * lowers),
        words=lowers + capitals,
        informative=lowers + capitals < _LEAST_WORDS or capitals < _MOST_CAPITALS * lowers,
    )


def _different(documents: Iterable[list[Token]], wanted: Callable[[Token], bool]) -> set[str]:
    return {token.text for tokens in documents for token in tokens if wanted(token)}


def _compounds(mixed: set[str], lower: Counter[str]) -> Counter[str]:
    parted = [camel_parts(text) for text in mixed if text.isalpha()]
    unusual = {parts[-1] for parts in parted if not all(lower[part.lower()] for part in parts)}
    return Counter(parts[-1] for parts in parted if parts[-1] not in unusual)


def _variables(documents: Iterable[list[Token]]) -> frozenset[str]:
    seen: Counter[str] = Counter()
    formal: Counter[str] = Counter()
    for tokens in documents:
        for at in _short(tokens):
            seen[tokens[at].text] += 1
            formal[tokens[at].text] += _is_formal(tokens, at)
    return frozenset(text for text, count in formal.items() if count > MOST_FORMAL * seen[text])


def _keys(documents: Iterable[list[Token]]) -> frozenset[str]:
    found: set[str] = set()
    others: set[str] = set()
    for tokens in documents:
        for at, token in enumerate(tokens):
            if token.is_capital:
                (found if _is_key(tokens, at) else others).add(token.text)
    return frozenset(found - others)


def _is_key(tokens: list[Token], index: int) -> bool:
    """Alone in square brackets, or in front of the ending of a file's name."""
    before, after = (tokens[at].text if 0 <= at < len(tokens) else "" for at in (index - 1, index + 1))
    if before == "[" and after == "]":
        return True
    ending = tokens[index + 1 : index + 3]
    touching = len(ending) == 2 and tokens[index].end == ending[0].start and ending[0].end == ending[1].start
    return touching and after == "." and ending[1].shape == "lower"


def _short(tokens: list[Token]) -> Iterator[int]:
    return (at for at, token in enumerate(tokens) if token.is_capital and len(token.text) <= _LONGEST_VARIABLE)


def _is_formal(tokens: list[Token], index: int) -> bool:
    """Whether an operator stands beside it, or it is called like a function."""
    beside = [tokens[at] for at in (index - 1, index + 1) if 0 <= at < len(tokens)]
    called = bool(beside) and beside[-1].text == "(" and beside[-1].start == tokens[index].end
    return called or any(token.text in OPERATORS for token in beside)


def is_identifier(tokens: list[Token], span: TokenSpan, seen: Statistics) -> bool:
    """Whether the document writes the name, or a part of several words, with underscores: der len."""
    words = [token.lower for token in tokens[span.first : span.last + 1]]
    runs = ((start, end) for end in range(2, len(words) + 1) for start in range(end - 1))
    return bool(seen.identifiers) and any("_".join(words[start:end]) in seen.identifiers for start, end in runs)


def is_fragment(token: Token) -> bool:
    """A letter or two in lower case that are no word."""
    return token.shape == "lower" and len(token.text) <= _LONGEST_FRAGMENT and not is_plain(token.lower)


def camel_parts(text: str) -> list[str]:
    """Glob and List of GlobList."""
    return _CAMEL.findall(text)


def is_numbered_letter(text: str) -> bool:
    """T16: a letter with a number."""
    return text[:1].isalpha() and text[1:].isdigit()
