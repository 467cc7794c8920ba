"""`questions`: a list of questions written from the documents, for `evaluate`."""

from argparse import Namespace
from collections.abc import Iterable

from core.app.services import Services
from core.interfaces.cli.arguments import existing_base
from core.interfaces.cli.console import DEGRADED, note, say
from core.models.meter import CountingMeter, Uncancelled
from core.platform.errors import InputError
from core.runs.evaluation.model import Case
from core.runs.evaluation.question_files import line_of
from core.runs.evaluation.written_questions import cases_from, cases_written


def run(services: Services, options: Namespace) -> int:
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
    note(f"Written by: {source.llm.engine}. Model calls: {meter.usage.model_calls}; tokens: {tokens:,}.")
    return DEGRADED if meter.degradations else 0


def _written(cases: Iterable[Case]) -> int:
    count = 0
    for case in cases:
        say(line_of(case))
        count += 1
    note(f"{count} {'question' if count == 1 else 'questions'}.")
    return count
