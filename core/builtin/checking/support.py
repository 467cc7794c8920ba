"""Which sentences of an answer the passages bear out: by their words and, strictly, by their numbers."""

import re
from collections.abc import Sequence

from core.builtin.quoting.citing import stands_in, without_markers
from core.builtin.quoting.quotable_spans import QuotableSpan, units_of
from core.domain.passages import Passage
from core.language.detect import is_han
from core.language.sentences import sentences
from core.language.terms import content_terms, normal_form

SUPPORTED = 0.55
"""The share of a sentence's content terms that one stretch of a passage must have."""
_NUMBER = re.compile(r"\d+(?:[.,]\d+)*")
_INTRODUCES = re.compile(r"[:：]\s*$")


def unsupported_sentences(
    answer: str, passages: Sequence[Passage], units: Sequence[QuotableSpan] | None = None
) -> list[str]:
    """The claims that no passage bears out, as they stand in the answer; introductions and questions claim nothing.

    units: of the passages, where they are known already.
    """
    stretches = _stretches(units_of(passages) if units is None else units)
    whole = normal_form(" ".join(p.chunk.text for p in passages))
    numbers = set(_NUMBER.findall(whole.replace(",", "")))
    texts = [passage.chunk.text for passage in passages]
    doubtful = (claim for claim in claims(answer) if not _is_supported(claim, stretches, numbers))
    return [claim for claim in doubtful if not any(stands_in(claim, text) for text in texts)]


def claims(answer: str) -> list[str]:
    lines = (line.strip().lstrip("-*•> ").strip() for line in without_markers(answer).splitlines())
    return [sentence for line in lines for sentence in sentences(line) if _claims_something(sentence)]


def _claims_something(sentence: str) -> bool:
    if _INTRODUCES.search(sentence) or sentence.endswith(("?", "？")):
        return False
    return len(content_terms(sentence)) >= 2 or bool(_NUMBER.search(sentence))


def _is_supported(claim: str, stretches: list[tuple[bool, frozenset[str]]], numbers: set[str]) -> bool:
    said = {number.rstrip(".") for number in _NUMBER.findall(normal_form(claim).replace(",", ""))}
    if not said <= numbers:
        return False
    script = is_han(claim)
    comparable = [words for of_script, words in stretches if of_script is script]
    if not comparable:
        return bool(stretches)
    wanted = set(content_terms(claim))
    return not wanted or max(len(wanted & words) for words in comparable) >= SUPPORTED * len(wanted)


def _stretches(units: Sequence[QuotableSpan]) -> list[tuple[bool, frozenset[str]]]:
    """(is it Chinese, terms) of every unit with its neighbours, because an answer's sentence may join two."""
    found = []
    for at, unit in enumerate(units):
        near = [other for other in units[max(0, at - 1) : at + 2] if other.passage == unit.passage]
        found.append((is_han(unit.text), frozenset().union(*(other.terms for other in near))))
    return found
