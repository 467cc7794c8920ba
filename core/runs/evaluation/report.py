"""An evaluation as JSON values: figures by workflow, every result, and what changed since the last time."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict
from typing import Any

from core.runs.evaluation.comparing import Change, EvaluationFigures
from core.runs.evaluation.model import Case, CaseResult, Evaluation


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
    """One a question and workflow, in the order of the list."""
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
