"""Asks a model of few billion parameters, in two steps, about excerpts: do they answer, then what is the answer.

If such a model may refuse while it writes, it refuses even though a passage answers; if it may not, it invents.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import closing, suppress
from dataclasses import dataclass, replace
from itertools import groupby

from core.agents.nodes.runtime import stream_text
from core.agents.state import Deps
from core.models.fences import opening
from core.models.tasks import Request, TextTask
from core.models.tokens import estimate_tokens
from core.platform.errors import BudgetError, ServiceError
from core.rulebook.evidence import EvidenceAssessment, QuotableSpan
from core.rulebook.messages import Question
from core.search.model import Passage

MAX_TOKENS = 600
"""Most tokens of an answer."""
LEAST_CERTAINTY = -0.3
"""Mean log probability of its tokens from which an answer is taken."""
YES = ("yes", "是")
RANK_OFFSET = 3
"""Constant of reciprocal rank fusion: the sum of 1 / (RANK_OFFSET + rank) over two rankings."""
BEHIND = 0.02
"""Cosine that a sentence loses for each passage that the search found before its own."""


@dataclass(frozen=True, slots=True)
class AnswerableRequest:
    question: str
    passages: tuple[Passage, ...]


def _yes(request: AnswerableRequest) -> tuple[str]:
    """Rule: yes if there are passages; then the rule of the answer decides."""
    return ("yes" if request.passages else "no",)


CAN_ANSWER = TextTask("can_answer", _yes, max_tokens=4)


def can_answer(deps: Deps, question: str, passages: tuple[Passage, ...]) -> bool:
    """Whether the model says yes; stops reading after that."""
    said = ""
    with (
        closing(stream_text(deps, CAN_ANSWER, AnswerableRequest(question, passages))) as pieces,
        suppress(ServiceError, BudgetError),
    ):
        for piece in pieces:
            said = (said + piece).lstrip(" *\"'\n").casefold()
            if len(said) >= len(YES[0]):
                break
    return said.startswith(YES)


def write_answer(task: TextTask[Request]) -> TextTask[Request]:
    """The task of answering, for a small model."""
    return replace(task, name="write_answer", max_tokens=MAX_TOKENS)


def doubt_of(deps: Deps, task: TextTask[Request], question: str, answer: str) -> str:
    """The key of the reason why the answer that the model wrote last for the task is not taken; or empty."""
    certainty = deps.meter.certainty(task.name)
    if certainty is not None and certainty < LEAST_CERTAINTY:
        return "run.reason.model_unsure"
    if opening("passages") in answer:
        return "run.reason.model_copied"
    return "run.reason.model_untold" if Question(question).is_left_open_by(answer) else ""


def excerpts(view: EvidenceAssessment, tokens: int) -> dict[int, str]:
    """Excerpts of the most relevant sentences by position of the passage, at most so many estimated tokens in all.

    Ranked by fitted likelihood (words) and by cosine with the question (meaning), because each misses what the other
    finds.
    """
    chosen: set[QuotableSpan] = set()
    left = tokens
    for unit in _likeliest(view):
        cost = estimate_tokens(unit.text)
        if unit not in chosen and cost <= left:
            chosen.add(unit)
            left -= cost
    in_order = sorted(chosen, key=lambda unit: (unit.passage, unit.start))
    by_passage = groupby(in_order, key=lambda unit: unit.passage)
    return {place: "\n".join(_lines(units, view.passages[place].chunk.section)) for place, units in by_passage}


def _likeliest(view: EvidenceAssessment) -> Iterator[QuotableSpan]:
    """Most relevant first; after each the sentence that it depends on."""
    candidates = view.candidates
    by_meaning = _ranks_by_meaning(view, [candidate.unit for candidate in candidates])
    ranks = {
        place: 1.0 / (RANK_OFFSET + place) + 1.0 / (RANK_OFFSET + by_meaning.get(place, place))
        for place in range(len(candidates))
    }
    for place in sorted(ranks, key=lambda place: (-ranks[place], place)):
        yield candidates[place].unit
        if before := candidates[place].before:
            yield before


def _ranks_by_meaning(view: EvidenceAssessment, units: Sequence[QuotableSpan]) -> dict[int, int]:
    cosines = view.cosines([unit.text for unit in units])
    nearness = [cosine - BEHIND * unit.passage for cosine, unit in zip(cosines, units, strict=False)]
    nearest = sorted(range(len(nearness)), key=lambda place: -nearness[place])
    return {place: rank for rank, place in enumerate(nearest)}


def _lines(units: Iterable[QuotableSpan], section: Sequence[str]) -> Iterator[str]:
    """Sentences, each below its question or heading if that is not the section's."""
    above = next(reversed(section), "")
    for unit in units:
        if unit.under not in ("", above):
            above = unit.under
            yield above
        yield unit.text
