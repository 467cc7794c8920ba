"""How much of a query stands close together in a text: an answer holds its words in a sentence, not all over a page."""

from collections.abc import Iterable

from core.search.retrieval.ranking import Weights

SPACED = 100
UNSPACED = 33
"""Characters of a window, by whether the language puts spaces between words: about a sentence."""


def proximity(text: str, terms: Iterable[str], weights: Weights, window: int) -> float:
    """The largest share of the query's weight that begins within a window of so many characters, 0..1.

    terms: those that the text holds. They are looked for as they are, because cutting texts into words and stemming
    these takes as long as the search: a form that its stem does not begin, or a traditional character, is missed.
    """
    places = _places(text.lower(), [term for term in terms if term in weights.of])
    inside = dict.fromkeys(weights.of, 0)
    weight = best = 0.0
    first = 0
    for at, term in places:
        weight += 0.0 if inside[term] else weights.of[term]
        inside[term] += 1
        while places[first][0] < at - window:
            left = places[first][1]
            inside[left] -= 1
            weight -= 0.0 if inside[left] else weights.of[left]
            first += 1
        best = max(best, weight)
    return best / weights.total if weights.total else 0.0


def _places(text: str, terms: Iterable[str]) -> list[tuple[int, str]]:
    """Where each term stands, in order."""
    found: list[tuple[int, str]] = []
    for term in terms:
        at = text.find(term)
        while at >= 0:
            found.append((at, term))
            at = text.find(term, at + len(term))
    found.sort()
    return found
