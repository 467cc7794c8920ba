"""Whole passages with marked sentences: those closest to a question, and the one that an answer rests on."""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain, count

from core.agents.nodes.check.evaluate_compliance import may_be_shown
from core.agents.nodes.evidence import passages_of
from core.agents.state import Deps
from core.platform.language.detect import same_script
from core.platform.language.stretches import Interval
from core.rulebook.evidence import EvidenceAssessment
from core.rulebook.quotes import citations_of, locate
from core.runs.events import AnswerReady
from core.search.model import Citation, FoundPassage, Hit, Passage, ShownPassage

UNFOLDED = 3
MOST = 5
MARKED = 2
"""Most marked sentences of a passage; the right one is often the second."""


@dataclass(frozen=True, slots=True)
class NearestPassages:
    shown: tuple[ShownPassage, ...] = ()
    """Best first."""
    citations: tuple[Citation, ...] = ()
    is_abroad: bool = False
    """No passage in the script of the question is close."""
    is_far: bool = False
    """Neither sentences nor search scores indicate that they are about the question."""
    is_short: bool = False
    """Fewer are unfolded than usual."""


def nearest_passages(view: EvidenceAssessment, unfolded: int = UNFOLDED) -> NearestPassages:
    """The passage with the likeliest sentence, the first of the search, those with further sentences, then as found.

    Passages in another script than the question are unfolded only if none in its own is close. One that has a name of
    the question which neither of the first two has comes second. For a question of two parts the nearest passage to
    each comes first.
    """
    nearest = [[quote.passage for quote in part.closest] for part in view.parts or (view,)]
    heads, near = {places[0] for places in nearest if places}, list(dict.fromkeys(chain.from_iterable(nearest)))
    near.sort(key=lambda place: place not in heads)
    found = range(len(view.passages))
    has_own = any(_is_own(view, place) for place in {*near, *found[:1]})
    own = [place for place in dict.fromkeys([*near, *found]) if not has_own or _is_own(view, place)]
    first = own[: max(1, len(heads))]
    second = _naming(view, [*first, *found[:1]], own) or [place for place in found[:1] if place in own]
    at_once = list(dict.fromkeys([*first, *second, *own]))[:UNFOLDED]
    ordered = list(dict.fromkeys([*at_once, *(place for place in own if place in near), *near, *found]))[:MOST]
    placed = [_placed(view, number, place) for number, place in enumerate(ordered, 1)]
    shown = tuple(replace(one, folded=one.number > min(unfolded, len(at_once))) for one, _ in placed)
    citations = tuple(citation for _, citation in placed)
    return NearestPassages(shown, citations, not has_own, is_short=unfolded < len(at_once))


def _naming(view: EvidenceAssessment, first: Sequence[int], others: Sequence[int]) -> list[int]:
    """The first of the others with a name of the question that the first passages lack, if any."""
    told = frozenset[str]().union(*(view.texts[place] for place in first))
    names = [word for word, _ in view.needs.weights if word.is_name and not word.credit(told)]
    return [place for place in others if any(name.credit(view.texts[place]) for name in names)][:1]


def _is_own(view: EvidenceAssessment, place: int) -> bool:
    return same_script(view.question, view.passages[place].chunk.text)


def _placed(view: EvidenceAssessment, number: int, place: int) -> tuple[ShownPassage, Citation]:
    passage = view.passages[place]
    quotes = [quote for part in view.parts or (view,) for quote in part.likely_quotes_in(place, MARKED)]
    claims = [f"“{quote.text}” [1]" for quote in quotes] or ["“…” [1]"]  # no sentence is close: cite the whole passage
    (citation,) = citations_of("\n".join(claims), [passage])
    return _shown(number, passage, ((it.start, it.end) for it in quotes)), replace(citation, number=number)


def standing_in(question: str, citations: Sequence[Citation], deps: Deps) -> ShownPassage | None:
    """The passage that the first sentence of an answer rests on.

    None for an answer of the web or the graph, and where the passage holds what no answer may say.
    """
    first = next((citation for citation in citations if citation.document_id), None)
    passage = next(iter(passages_of([Hit(first.chunk_id, first.score)], deps)), None) if first else None
    if first is None or passage is None or not may_be_shown(question, passage.chunk.text, deps):
        return None
    spans = (locate(piece, passage) for piece in first.text.split(" … "))
    return _shown(first.number, passage, filter(None, spans))


def found_beside(answer: AnswerReady, by_rules: AnswerReady) -> tuple[FoundPassage, ...]:
    """Unfolded passages of the answer of the rules that another answer does not show whole.

    One that is cited has the number of its citation, others those that follow.
    """
    whole = {found.citation.chunk_id for found in _unfolded(answer)}
    cited = {citation.chunk_id: citation for citation in reversed(answer.citations)}
    numbers = count(1 + max(citation.number for citation in answer.citations))
    others = [found for found in _unfolded(by_rules) if found.citation.chunk_id not in whole]
    places = [cited.get(it.citation.chunk_id) or replace(it.citation, number=next(numbers)) for it in others]
    placed = zip(others, places, strict=True)
    found = [FoundPassage(replace(other.passage, number=place.number), place) for other, place in placed]
    return tuple(found[: UNFOLDED - len(whole)])


def _unfolded(answer: AnswerReady) -> Iterator[FoundPassage]:
    places = {citation.number: citation for citation in answer.citations}
    for passage in filter(None, (*answer.passages, answer.stands_in)):
        if not passage.folded:
            yield FoundPassage(passage, places[passage.number])


def _shown(number: int, passage: Passage, spans: Iterable[Interval]) -> ShownPassage:
    return ShownPassage(number, passage.chunk.section, passage.chunk.text, tuple(_apart(sorted(spans))))


def _apart(spans: Iterable[Interval]) -> Iterator[Interval]:
    end = 0
    for start, stop in spans:
        if stop > end:
            yield max(start, end), stop
            end = stop
