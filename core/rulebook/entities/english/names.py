"""The names of English text: runs of capitalised words without titles, roles and chance capitals."""

import re
from collections.abc import Iterator

from core.rulebook.entities.english.capitalized_spans import capital_run, is_function, is_given_name, listed_phrase
from core.rulebook.entities.english.name_extensions import has_head, with_complements, with_year
from core.rulebook.entities.lexicon import WordClass, is_legal_form, is_plain, singular, word_class, words
from core.rulebook.entities.spans import TokenSpan
from core.rulebook.entities.statistics import LEAST_SERIES, Statistics, camel_parts, is_fragment, is_numbered_letter
from core.rulebook.entities.tokens import Token

_PAIRING = frozenset({"and", "or"})
_LISTED, _LISTED_PART, _TITLE = 0.95, 0.8, 0.6
_LONGEST_SHOUTED_ACRONYM = 4
_LONGEST_ACRONYM = 8
"""Longer words in capitals, which the document never writes otherwise, are names in a program."""
_LONGEST_WORD = 40
_SHORTEST, _SHORTEST_MIXED = 3, 4
_CONTRACTED = re.compile(r"['’](?:m|re|ve|ll|d)$")
_ACRONYM_AND_WORD = re.compile(r"([A-Z]{2,})([a-z]{3,})")
"""XMLnamespaces."""


def find_names(tokens: list[Token], statistics: Statistics) -> list[TokenSpan]:
    """Names in order, not overlapping, without types; a confidence of 0 is set later."""
    spans: list[TokenSpan] = []
    index = 0
    while index < len(tokens):
        found, last = _names_from(tokens, index, statistics)
        spans += found
        index = last + 1
    return spans


def _names_from(tokens: list[Token], index: int, statistics: Statistics) -> tuple[list[TokenSpan], int]:
    """The names of the run that starts here, and the last token read."""
    listed = listed_phrase(tokens, index)
    if listed is not None:
        last = with_complements(tokens, index, listed)
        return [TokenSpan(index, last, _LISTED if last == listed else _LISTED_PART, fixed=last == listed)], last
    end = capital_run(tokens, index)
    if end is None:
        return [], index
    if is_function(tokens[index]) and not is_given_name(tokens, index):
        return ([], index) if _stands_before(tokens, index, end) else (_title(tokens, index, end), end)
    found: list[TokenSpan] = []
    for first, last in _pieces(tokens, index, end, statistics):
        end = last if last < end else with_complements(tokens, first, last)
        if _is_name(tokens, first, end, statistics):
            found.append(TokenSpan(with_year(tokens, first, end), end, 0.0))
    return found, end


def _title(tokens: list[Token], index: int, end: int) -> list[TokenSpan]:
    """A run that a small word begins, such as The Wind in the Willows."""
    first = index + 1 if tokens[index].lower == "the" and has_head(tokens, end) else index
    return [] if first == end and is_plain(tokens[end].lower) else [TokenSpan(first, end, _TITLE)]


def _stands_before(tokens: list[Token], index: int, last: int) -> bool:
    """Whether the small word is none of a title's: Both Elena Marlow and Tom Fisk."""
    following, *others = tokens[index + 1 : last + 1]
    if tokens[index].lower == "the" or not following.is_capital or is_plain(following.lower):
        return False
    return all(token.is_capital or token.lower in _PAIRING for token in others)


def _is_name(tokens: list[Token], first: int, last: int, statistics: Statistics) -> bool:
    if _is_split(tokens, last, statistics):
        return False
    return _is_phrase(tokens, first, last) if first < last else _is_single_name(tokens[first], statistics)


def _is_split(tokens: list[Token], last: int, statistics: Statistics) -> bool:
    """Whether its last word goes on behind a blank that stands there by mistake: Mexico Ci ty."""
    if not statistics.splits_words or last + 1 >= len(tokens):
        return False
    return tokens[last + 1].joined and is_fragment(tokens[last + 1])


def _pieces(tokens: list[Token], first: int, last: int, statistics: Statistics) -> Iterator[tuple[int, int]]:
    """The run without what only a sentence start capitalises, cut at titles and roles."""
    start = first
    for index in range(first, last + 1):
        if _is_title(tokens, index, last):
            if index > start and not all(is_plain(token.lower) for token in tokens[start:index]):
                yield from _trimmed(tokens, start, index - 1, statistics)
            start = index + 1
    if start <= last:
        yield from _trimmed(tokens, start, last, statistics)


def _is_title(tokens: list[Token], index: int, last: int) -> bool:
    """An honorific, a role or a month in front of (or between) names: Dr., President, CEO."""
    word = tokens[index].lower.rstrip(".")
    if word in words("calendar"):
        return not is_given_name(tokens, index)
    if word in words("honorifics") and (tokens[index].text.endswith(".") or index < last):
        return index < last and tokens[index + 1].lower not in words("organization_heads")
    return word in words("roles") and (index == last or not is_plain(tokens[index + 1].lower))


def _trimmed(tokens: list[Token], first: int, last: int, statistics: Statistics) -> Iterator[tuple[int, int]]:
    first, last = _without_ends(tokens, first, last)
    if first < last and tokens[first].starts_sentence and _starts_by_chance(tokens, first, last, statistics):
        first += 1
    if first <= last and tokens[first].is_capital:
        yield first, last


def _without_ends(tokens: list[Token], first: int, last: int) -> tuple[int, int]:
    """Return the span without leading small words, legal forms and item letters, and without words that end no name."""
    while first <= last and (not tokens[first].is_capital or is_legal_form(tokens[first].text)):
        first += 1
    if first < last and _is_item_letter(tokens, first):
        first += 1
    while first < last and tokens[last].lower in words("stop_names") and tokens[last].shape == "cap":
        last -= 1
    return first, last


def _is_item_letter(tokens: list[Token], index: int) -> bool:
    """The letter of an item: B. List."""
    letter = tokens[index]
    return letter.shape == "initial" and letter.starts_sentence and is_plain(tokens[index + 1].lower)


def _starts_by_chance(tokens: list[Token], first: int, last: int, statistics: Statistics) -> bool:
    """Whether the first word of a run has its capital only because a sentence starts with it."""
    token, word = tokens[first], tokens[first].lower
    if token.shape != "cap" or not is_plain(word) or statistics.inside[word] > statistics.lower[word]:
        return False
    if token.text in words("demonyms") or token.text in words("given_names") or has_head(tokens, last):
        return False
    if word_class(word) in (WordClass.VERB, WordClass.PLAIN_ADJECTIVE) or singular(word) != word:
        return True
    return not is_plain(tokens[first + 1].lower)


def _is_phrase(tokens: list[Token], first: int, last: int) -> bool:
    """Whether a run may be a name although all its words are everyday ones: not shouted, and without a verb."""
    parts = tokens[first : last + 1]
    if all(len(token.text) == 1 or token.lower in words("stop_names") for token in parts):
        return False
    if has_head(tokens, last) or not all(is_plain(token.lower) for token in parts):
        return True
    if all(token.shape == "upper" for token in parts):
        return False
    return not any(word_class(token.lower) is WordClass.VERB for token in parts)


def _is_single_name(token: Token, statistics: Statistics) -> bool:
    word = token.lower
    if not _is_spelled(token) or _is_no_name(word) or _is_label(token.text, statistics):
        return False
    if token.text in words("demonyms"):
        return True
    if token.shape == "upper":
        return _is_acronym(word, statistics)
    if is_plain(word) or _is_adjective(word):
        return False
    return token.shape != "cap" or (statistics.informative and statistics.inside[word] >= statistics.lower[word])


def _is_no_name(word: str) -> bool:
    """A part of a document, an honorific, a month (mid-April), a pronoun with its verb (I'm), or an everyday word with
    the hyphen of a line's end: ELE-MENT."""
    bare = word.rstrip(".")
    if bare in words("stop_names") or bare in words("honorifics") or _CONTRACTED.search(word):
        return True
    return "-" in word and (is_plain(word.replace("-", "")) or word.rpartition("-")[2] in words("calendar"))


def _is_label(text: str, statistics: Statistics) -> bool:
    """A variable, a key, one of a series of numbered letters, or an identifier of a program."""
    if text in statistics.variables or text in statistics.keys or _is_identifier(text, statistics):
        return True
    return is_numbered_letter(text) and statistics.numbered[text[0]] >= LEAST_SERIES


def _is_acronym(word: str, statistics: Statistics) -> bool:
    """Whether a word in capitals is no everyday word that is shouted, and no constant of a program."""
    if is_plain(word):
        shouted = len(word) > _LONGEST_SHOUTED_ACRONYM or statistics.titled[word] > 0
        return not shouted and statistics.inside[word] > statistics.lower[word]
    return len(word) <= _LONGEST_ACRONYM or statistics.titled[word] > 0


def _is_spelled(token: Token) -> bool:
    """Return whether it is no initial, variable of a formula or something that is no word at all."""
    text = token.text
    if token.shape == "initial" or not 2 <= len(text) <= _LONGEST_WORD:
        return False
    if token.shape == "upper" or text in words("given_names") or text in words("surnames_pinyin"):
        return True
    return len(text) >= (_SHORTEST_MIXED if text[0].islower() else _SHORTEST)


def _is_identifier(text: str, statistics: Statistics) -> bool:
    """Words written as one: localName, and GlobList beside MagicList and AliasList."""
    parts = camel_parts(text)
    if len(parts) < 2:
        return False
    joined = _ACRONYM_AND_WORD.fullmatch(text)
    if joined is not None and all(_is_word(part, statistics) for part in joined.groups()):
        return True
    series = statistics.compounds[parts[-1]] >= LEAST_SERIES
    return series or (text[0].islower() and all(_is_word(part, statistics) for part in parts))


def _is_word(part: str, statistics: Statistics) -> bool:
    """Everyday English, or what the document writes by itself too."""
    forms = {part.lower(), singular(part.lower())}
    return any(map(is_plain, forms)) or (
        len(part) > 1 and any(statistics.lower[form] or statistics.inside[form] for form in forms)
    )


def _is_adjective(word: str) -> bool:
    """Linux-based, FAA-approved."""
    tail = word.rpartition("-")[2]
    return tail != word and word_class(tail) in (WordClass.VERB, WordClass.PLAIN_ADJECTIVE)
