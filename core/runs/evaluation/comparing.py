"""Figures of an evaluation by workflow, changes since the previous one, and both as JSON values. Pure functions."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from enum import StrEnum
from typing import Any

from core.runs.evaluation.model import DECLINED, FAILED, Case, CaseResult, Evaluation
from core.runs.history.prices import Price, cost_of
from core.runs.model import Usage


class Change(StrEnum):
    BETTER = "better"
    WORSE = "worse"
    SAME = "same"


@dataclass(frozen=True, slots=True)
class Proportion:
    """A count of a total."""

    some: int
    all: int


@dataclass(frozen=True, slots=True)
class EvaluationFigures:
    workflow: str
    asked: int
    answered: int
    declined: int
    failed: int
    right_pages: Proportion
    right_answers: Proportion
    supported: Proportion
    """Sentences."""
    degraded: int
    seconds: float
    """Mean."""
    usage: Usage
    costs: Mapping[str, float] = field(default_factory=dict)
    """By currency."""


def figures_of(workflow: str, results: Iterable[CaseResult], prices: Sequence[Price]) -> EvaluationFigures:
    own = [result for result in results if result.workflow == workflow]
    declined, failed = _count(own, _is_declined), _count(own, _is_failed)
    return EvaluationFigures(
        workflow=workflow,
        asked=len(own),
        answered=len(own) - declined - failed,
        declined=declined,
        failed=failed,
        right_pages=_share(result.right_page for result in own),
        right_answers=_share(result.right_answer for result in own),
        supported=Proportion(sum(result.supported for result in own), sum(result.sentences for result in own)),
        degraded=_count(own, lambda result: result.degraded),
        seconds=sum(result.seconds for result in own) / len(own) if own else 0.0,
        usage=sum((result.usage for result in own), Usage()),
        costs=_costs(own, prices),
    )


def changes(
    cases: Iterable[Case], before: Iterable[CaseResult], now: Iterable[CaseResult]
) -> dict[tuple[str, str], Change]:
    """Changes by case id and workflow, for those in both evaluations."""
    earlier = {(result.case_id, result.workflow): result for result in before}
    unanswerable = {case.id for case in cases if case.declined}
    return {
        key: _change(earlier[key], result, result.case_id in unanswerable)
        for result in now
        if (key := (result.case_id, result.workflow)) in earlier
    }


def last_time(evaluation: Evaluation, all_of_list: Iterable[Evaluation]) -> Evaluation | None:
    """The newest earlier evaluation of the same knowledge base."""
    older = (one for one in all_of_list if one.started_at < evaluation.started_at)
    return next((one for one in older if one.base_id == evaluation.base_id), None)


def _change(before: CaseResult, now: CaseResult, unanswerable: bool) -> Change:
    """Worse if any criterion got worse, whatever else improved."""
    marks = list(zip(_marks(before, unanswerable), _marks(now, unanswerable), strict=True))
    if any(old and new is False for old, new in marks):
        return Change.WORSE
    return Change.BETTER if any(old is False and new for old, new in marks) else Change.SAME


def _marks(result: CaseResult, unanswerable: bool) -> tuple[bool | None, ...]:
    """Whether the result meets each criterion; None for one that does not apply.

    Being answered is a criterion of cases that the documents answer.
    """
    answered = None if unanswerable else not _is_declined(result) and not _is_failed(result)
    supported = result.supported == result.sentences if result.sentences else None
    return result.right_page, result.right_answer, answered, supported, not _is_failed(result)


def _is_declined(result: CaseResult) -> bool:
    return result.ending in DECLINED


def _is_failed(result: CaseResult) -> bool:
    return result.ending in FAILED


def _count(results: Iterable[CaseResult], holds: Callable[[CaseResult], bool]) -> int:
    return sum(map(holds, results))


def _share(marks: Iterable[bool | None]) -> Proportion:
    given = [mark for mark in marks if mark is not None]
    return Proportion(sum(given), len(given))


def _costs(results: Iterable[CaseResult], prices: Sequence[Price]) -> dict[str, float]:
    spent: dict[str, float] = {}
    for result in results:
        if result.usage.model_calls and (cost := cost_of(result.usage, result.engine, prices)):
            spent[cost.currency] = spent.get(cost.currency, 0.0) + cost.amount
    return spent


def report_of(
    evaluation: Evaluation,
    figures: Sequence[EvaluationFigures],
    results: Iterable[CaseResult],
    changed: Mapping[tuple[str, str], Change],
    before: Evaluation | None,
) -> dict[str, Any]:
    return {
        "evaluation": evaluation.id,
        "started_at": evaluation.started_at.isoformat(),
        "status": evaluation.status.value,
        "compared_with": before.started_at.isoformat() if before else None,
        "workflows": [asdict(one) for one in figures],
        "results": rows_of(evaluation.cases, results, changed),
    }


def rows_of(
    cases: Iterable[Case], results: Iterable[CaseResult], changed: Mapping[tuple[str, str], Change]
) -> list[dict[str, Any]]:
    """One row for each question and workflow, in the order of the list."""
    found: dict[str, list[CaseResult]] = {}
    for result in results:
        found.setdefault(result.case_id, []).append(result)
    return [_row(case, result, changed) for case in cases for result in found.get(case.id, ())]


def _row(case: Case, result: CaseResult, changed: Mapping[tuple[str, str], Change]) -> dict[str, Any]:
    change = changed.get((case.id, result.workflow))
    return {
        "question": case.question,
        "workflow": result.workflow,
        "ending": result.ending,
        "right_page": result.right_page,
        "right_answer": result.right_answer,
        "sentences": result.sentences,
        "supported": result.supported,
        "degraded": result.degraded,
        "seconds": round(result.seconds, 3),
        "prompt_tokens": result.usage.prompt_tokens,
        "completion_tokens": result.usage.completion_tokens,
        "engine": result.engine,
        "change": change.value if change else None,
        "run_id": result.run_id,
    }
