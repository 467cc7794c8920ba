"""`evaluate FILE` asks a list of questions, measures the answers and compares them with the evaluation before.

`questions` writes such a list from the documents.
"""

from argparse import Namespace
from collections.abc import Iterable, Sequence
from pathlib import Path

from core.app.services import Services
from core.interfaces.cli.arguments import existing_base
from core.interfaces.cli.console import DEGRADED, counted, note, say, say_json, table
from core.models.meter import CountingMeter, Uncancelled
from core.platform.errors import InputError
from core.runs.evaluation.comparing import (
    Change,
    EvaluationFigures,
    Proportion,
    changes,
    figures_of,
    last_time,
    report_of,
)
from core.runs.evaluation.model import Case, CaseResult, Evaluation, EvaluationStatus
from core.runs.evaluation.question_files import cases_of, line_of
from core.runs.evaluation.written_questions import cases_from, cases_written
from core.runs.history.prices import load_prices

WORSE = 4
"""Exit status if an answer is worse than in the previous evaluation."""
_HEADER = ("workflow", "asked", "answered", "declined", "failed", "right page", "right answer", "supported")


def run(services: Services, options: Namespace) -> int:
    evaluation = _begun(services, options)
    found = services.storage.records.evaluations
    left = evaluation.questions - len(found.results(evaluation.id))
    if left < evaluation.questions:
        note(f"Going on. Questions left: {left} of {evaluation.questions}.")
    services.warm()  # or the first question would include the loading time
    cases = {case.id: case for case in evaluation.cases}
    try:
        evaluation = services.answering.evaluator.work(evaluation.id, lambda result: _tell(cases, result))
    except KeyboardInterrupt:
        note("Stopped. The same command goes on with what is left.")
        return 130
    results = found.results(evaluation.id)
    before = last_time(evaluation, found.of_list(evaluation.list_id))
    changed = changes(evaluation.cases, found.results(before.id), results) if before else {}
    figures = [figures_of(workflow, results, load_prices(services.settings)) for workflow in evaluation.workflows]
    if options.json:
        say_json(report_of(evaluation, figures, results, changed, before))
    else:
        _say(evaluation, figures, changed)
    return _status(evaluation, figures, changed)


def _begun(services: Services, options: Namespace) -> Evaluation:
    """The unfinished evaluation of the same questions, or a new one."""
    path: Path = options.file
    try:
        cases = cases_of(path.read_bytes())
    except OSError as error:
        raise InputError("error.file_unreadable", name=path.name, reason=error.strerror or "") from error
    base, workflows = existing_base(services, options.kb), tuple(dict.fromkeys(options.workflow or ["adaptive"]))
    kept = services.storage.records.evaluations.keep_list(path.stem, cases)
    newest = next(iter(services.storage.records.evaluations.of_list(kept.id)), None)
    same = newest and (newest.cases, newest.workflows, newest.base_id) == (tuple(cases), workflows, base.id)
    if newest and same and newest.status is not EvaluationStatus.DONE and not options.restart:
        if services.answering.evaluator.is_under_way(newest):
            raise InputError("evaluation.under_way")
        return newest
    return services.answering.evaluator.begin(kept.id, base.id, workflows)


def _tell(cases: dict[str, Case], result: CaseResult) -> None:
    note(f"{result.workflow}  {result.ending}  {result.seconds:.2f} s  {cases[result.case_id].question[:80]}")


def _say(evaluation: Evaluation, figures: Sequence[EvaluationFigures], changed: dict[tuple[str, str], Change]) -> None:
    rows = [
        (
            one.workflow,
            one.asked,
            one.answered,
            one.declined,
            one.failed,
            *map(_share, (one.right_pages, one.right_answers, one.supported)),
            one.seconds,
            one.usage.prompt_tokens + one.usage.completion_tokens,
            " + ".join(f"{amount:.4f} {currency}" for currency, amount in one.costs.items()),
        )
        for one in figures
    ]
    table((*_HEADER, "seconds", "tokens", "cost"), rows)
    questions = {case.id: case.question for case in evaluation.cases}
    for (case_id, workflow), change in changed.items():
        if change is not Change.SAME:
            say(f"{change}: {workflow}: {questions[case_id]}")


def _share(share: Proportion) -> str:
    return f"{share.some}/{share.all}" if share.all else "-"


def _status(
    evaluation: Evaluation, figures: Sequence[EvaluationFigures], changed: dict[tuple[str, str], Change]
) -> int:
    if evaluation.status is not EvaluationStatus.DONE or any(one.failed for one in figures):
        return 1
    if Change.WORSE in changed.values():
        return WORSE
    return DEGRADED if any(one.degraded for one in figures) else 0


def write_questions(services: Services, options: Namespace) -> int:
    """Prints each question at once, so that an interrupted output is a valid list."""
    base = existing_base(services, options.kb)
    if options.names:
        if not _written(cases_from(base.id, services.graph, services.library.passages)):
            raise InputError("evaluation.no_names")
        return 0
    source, meter = services.answering.question_source, CountingMeter(Uncancelled())
    if not _written(case for read in cases_written(base.id, source, meter) for case in read.cases):
        raise InputError("evaluation.no_questions")
    tokens = meter.usage.prompt_tokens + meter.usage.completion_tokens
    note(f"Written by: {source.llm.engine}, {counted(meter.usage.model_calls, 'call')}, {tokens:,} tokens.")
    return DEGRADED if meter.degradations else 0


def _written(cases: Iterable[Case]) -> int:
    count = 0
    for case in cases:
        say(line_of(case))
        count += 1
    note(f"{counted(count, 'question')}.")
    return count
