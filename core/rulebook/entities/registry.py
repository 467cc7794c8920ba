"""Registry of the English names in a document: evidence summed over their mentions, aliases, all occurrences."""

from collections import defaultdict
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, field

from core.rulebook.entities import lexicon
from core.rulebook.entities.lexicon import singular
from core.rulebook.entities.spans import CONCEPT, ORGANIZATION, PERSON, TokenSpan
from core.rulebook.entities.tokens import Token

Key = tuple[bool, tuple[str, ...]]
"""Whether it is a term, and its words: as written for names, lower case with a singular last word for terms."""
_LONGEST_IN_HEADING = 8
_REPEATED, _MOST_REPEATED = 0.02, 5
"""Confidence that every further mention adds, and how many of them count."""


@dataclass(slots=True)
class Known:
    """One name of a document."""

    confidence: float = 0.0
    evidence: dict[str, float] = field(default_factory=dict)
    aliases: dict[str, None] = field(default_factory=dict)
    count: int = 0

    def add(self, kind: str, weight: float) -> None:
        self.evidence[kind] = self.evidence.get(kind, 0.0) + weight

    def best(self) -> str:
        return max(sorted(self.evidence), key=lambda kind: self.evidence[kind]) if self.evidence else CONCEPT

    def certainty(self) -> float:
        return round(min(1.0, self.confidence + _REPEATED * min(max(0, self.count - 1), _MOST_REPEATED)), 3)


class Registry:
    """Filled by add() and pair(); after settle() it finds every occurrence."""

    def __init__(self) -> None:
        self._known: dict[Key, Known] = defaultdict(Known)
        self._name_lengths: dict[str, list[int]] = {}
        self._term_lengths: dict[str, list[int]] = {}
        self._folded: dict[tuple[str, ...], Key] = {}
        self._pairs: dict[tuple[Key, Key], None] = {}

    def add(self, tokens: Sequence[Token], span: TokenSpan) -> None:
        known = self._known[_key(tokens[span.first : span.last + 1], span.term)]
        known.confidence = max(known.confidence, span.confidence)
        for kind, weight in span.evidence.items():
            known.add(kind, weight)
        known.count += 1

    def pair(self, tokens: Sequence[Token], long: TokenSpan, short: TokenSpan, names: tuple[str, str]) -> None:
        """Make a long form and its acronym aliases that share their evidence."""
        keys = (
            _key(tokens[long.first : long.last + 1], long.term),
            _key(tokens[short.first : short.last + 1], short.term),
        )
        first, second = (self._known[key] for key in keys)
        for known, span in ((first, long), (second, short)):
            known.confidence = max(known.confidence, span.confidence)
        first.aliases[names[1]] = None
        second.aliases[names[0]] = None
        self._pairs[keys] = None

    def settle(self) -> None:
        """Share evidence between names that belong together, and index all names by their first words."""
        names: dict[str, set[int]] = defaultdict(set)
        terms: dict[str, set[int]] = defaultdict(set)
        for key, known in list(self._known.items()):
            words = key[1]
            self._tell_shorter_names(words, known)
            (terms if key[0] else names)[words[0]].add(len(words))
            self._folded.setdefault(tuple(word.lower() for word in words), key)
        for long, short in self._pairs:
            _share(self._known[long], self._known[short])
        self._name_lengths = {word: sorted(found, reverse=True) for word, found in names.items()}
        self._term_lengths = {word: sorted(found, reverse=True) for word, found in terms.items()}

    def _tell_shorter_names(self, words: tuple[str, ...], known: Known) -> None:
        """The family name of a person; a firm without its legal form, which decides what it is."""
        surname = self._known.get((False, words[-1:]))
        if len(words) in (2, 3) and surname is not None and known.best() == PERSON and known.evidence[PERSON] > 1.5:
            surname.add(PERSON, 2.0)
        firm = self._known.get((False, _before_legal_form(words)))
        if firm is not None and firm is not known and known.best() == ORGANIZATION:
            firm.add(ORGANIZATION, 2.0 + max(firm.evidence.values(), default=0.0))

    def names(self) -> Iterator[tuple[str, Known]]:
        for (_, words), known in self._known.items():
            yield " ".join(words), known

    def known(self, key: Key) -> Known:
        return self._known[key]

    def drop(self, keys: Collection[Key]) -> None:
        """Remove names; parts of them that are names by themselves stay."""
        for key in keys:
            del self._known[key]
        self._folded = {words: key for words, key in self._folded.items() if key in self._known}

    def occurrences(self, tokens: Sequence[Token]) -> Iterator[tuple[TokenSpan, Key, Known]]:
        """Every mention of a known name, longest match first, none overlapping."""
        index = 0
        while index < len(tokens):
            key = self._match(tokens, index)
            if key is None:
                index += 1
                continue
            known = self._known[key]
            last = index + len(key[1]) - 1
            yield TokenSpan(index, last, known.certainty(), term=key[0]), key, known
            index = last + 1

    def _match(self, tokens: Sequence[Token], index: int) -> Key | None:
        token = tokens[index]
        if token.silent:
            return self._match_silent(tokens, index)
        names = self._name_lengths.get(token.text, [])
        terms = self._term_lengths.get(token.lower) or self._term_lengths.get(singular(token.lower), [])
        for length in sorted({*names, *terms}, reverse=True) if names and terms else names or terms:
            found = tokens[index : index + length]
            if len(found) < length or not all(token.joined for token in found[1:]):
                continue
            for term in (False, True):
                key = _key(found, term)
                if key in self._known:
                    return key
        return None

    def _match_silent(self, tokens: Sequence[Token], index: int) -> Key | None:
        """Return the key of the longest name that begins here in a heading, where capitals do not count."""
        for length in range(min(_LONGEST_IN_HEADING, len(tokens) - index), 0, -1):
            found = tokens[index : index + length]
            key = self._folded.get(tuple(token.lower for token in found))
            if key is not None and all(token.joined for token in found[1:]):
                return key
        return None


def _share(long: Known, short: Known) -> None:
    """The mean evidence of a mention of each goes to all mentions of the other: one full name says more than a hundred
    acronyms."""
    means = [{kind: weight / max(1, each.count) for kind, weight in each.evidence.items()} for each in (long, short)]
    for each, mean in zip((short, long), means, strict=True):
        for kind, weight in mean.items():
            each.add(kind, weight * max(1, each.count))


def _before_legal_form(words: tuple[str, ...]) -> tuple[str, ...]:
    while len(words) > 1 and lexicon.is_legal_form(words[-1]):
        words = words[:-1]
    return words


def _key(tokens: Sequence[Token], term: bool) -> Key:
    if not term:
        return False, tuple(token.text for token in tokens)
    return True, (*(token.lower for token in tokens[:-1]), singular(tokens[-1].lower))
