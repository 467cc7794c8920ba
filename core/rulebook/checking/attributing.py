"""Attributes each sentence of a finished answer to a passage, by its words or by the citation number given."""

from collections.abc import Callable, Sequence

from core.platform.language.answer_marks import SHOWN, sentences_with_markers, without_markers
from core.platform.language.sentences import before_closing_marks, introduces
from core.platform.language.terms import content_terms
from core.rulebook.assessing.citing import NO_PLACES, Places, citations_of
from core.rulebook.assessing.quotable_spans import units_of
from core.rulebook.checking.support import SUPPORTED, Bearing, ClaimSupport, Evidence, Place, claims
from core.search.model import Citation, Passage


def attributed(answer: str, passages: Sequence[Passage], ranked: Sequence[str]) -> tuple[str, tuple[Citation, ...]]:
    """The answer with [n] after each supported sentence, and the citations.

    ranked are the chunk ids of the result to which the writer's own numbers refer.
    """
    known = {passage.chunk.id for passage in passages}
    terms = _terms(passages)

    def sources(sentence: str) -> list[str]:
        own = [ranked[int(n) - 1] for n in SHOWN.findall(sentence) if 1 <= int(n) <= len(ranked)]
        found = _source(without_markers(sentence), terms) or next((it for it in own if it in known), "")
        return [found] if found else []

    return _cited(answer, passages, sources)


def with_citations(answer: str, evidence: Evidence, own: Sequence[int] = ()) -> tuple[str, tuple[Citation, ...]]:
    """The answer with [n] after each supported sentence, and the citations of the supporting places.

    own: positions of the passages that the writer's own numbers refer to, in order. They choose among the supporting
    passages, and stay where the passages neither support nor contradict the sentence.
    """
    passages = evidence.passages
    places: dict[str, list[tuple[int, int]]] = {}

    def sources(sentence: str) -> list[str]:
        said = without_markers(sentence).strip()
        if not claims(said):
            return []
        hints = [own[int(number) - 1] for number in SHOWN.findall(sentence) if 1 <= int(number) <= len(own)]
        hinted = [support for hint in hints if (support := evidence.support(said, [hint])).places]
        found = hinted or [evidence.support(said)]
        if found[0].bearing is Bearing.UNKNOWN:
            found = [ClaimSupport(Bearing.UNKNOWN, tuple(map(Place, hints)))]
        told = [place for support in found for place in support.places]
        for place in told:
            places.setdefault(passages[place.passage].chunk.id, []).extend([place.span] if place.span else [])
        return [passages[place.passage].chunk.id for place in told]

    return _cited(answer, passages, sources, places)


def _cited(
    answer: str, passages: Sequence[Passage], sources: Callable[[str], Sequence[str]], places: Places = NO_PLACES
) -> tuple[str, tuple[Citation, ...]]:
    """`sources` gives the ids of the chunks that a sentence is from, and may fill `places`."""
    by_id = {passage.chunk.id: passage for passage in passages}
    order: list[str] = []
    lines = []
    for line in answer.splitlines():
        written = [_marked(without_markers(part), sources(part), order) for part in sentences_with_markers(line)]
        lines.append("".join(written).rstrip())
    marked = "\n".join(lines).strip()
    return marked, citations_of(marked, [by_id[chunk_id] for chunk_id in order], places)


def _terms(passages: Sequence[Passage]) -> list[tuple[str, frozenset[str]]]:
    """(chunk id, terms of one of its units with its neighbours)."""
    found = []
    for passage in passages:
        units = units_of([passage])
        for at in range(len(units)):
            near = units[max(0, at - 1) : at + 2]
            found.append((passage.chunk.id, frozenset().union(*(unit.terms for unit in near))))
    return found


def _source(sentence: str, terms: Sequence[tuple[str, frozenset[str]]]) -> str:
    """The chunk that shares most terms with the sentence; "" if none shares enough."""
    wanted = set(content_terms(sentence))
    if len(wanted) < 2 or not terms or introduces(sentence):
        return ""
    chunk_id, words = max(terms, key=lambda pair: len(wanted & pair[1]))
    return chunk_id if len(wanted & words) >= SUPPORTED * len(wanted) else ""


def _marked(sentence: str, sources: Sequence[str], order: list[str]) -> str:
    """The sentence with the numbers of its sources, each by its first place in `order`, before its closing marks."""
    order += [source for source in dict.fromkeys(sources) if source not in order]
    cut = before_closing_marks(sentence)
    numbers = "".join(f"[{order.index(source) + 1}]" for source in dict.fromkeys(sources))
    return f"{sentence[:cut]} {numbers}{sentence[cut:]}" if numbers else sentence
