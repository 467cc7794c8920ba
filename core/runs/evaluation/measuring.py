"""Measures a finished run against the expectations of its case. Pure functions."""

from pathlib import PurePath

from core.platform.language.sentences import sentences
from core.platform.language.terms import normal_form
from core.runs.evaluation.model import DECLINED, Case, CaseResult
from core.runs.model import AnswerOutcome, Run, RunStatus
from core.runs.run_lists import ending_of
from core.search.model import Citation

_WRITTEN = (AnswerOutcome.ANSWERED, AnswerOutcome.UNCONFIRMED, AnswerOutcome.DIRECT)
"""Endings with an answer whose sentences need support."""


def measured(case: Case, run: Run, unsupported: int) -> CaseResult:
    """unsupported: sentences of the answer that nothing supports."""
    ending = ending_of(run.status, run.outcome)
    written = run.status is RunStatus.DONE and run.outcome in _WRITTEN
    count = len(sentences(run.answer)) if written else 0
    return CaseResult(
        case_id=case.id,
        workflow=run.workflow,
        run_id=run.id,
        engine=run.engine,
        ending=ending,
        right_page=_right_page(case, run),
        right_answer=_right_answer(case, run, ending),
        sentences=count,
        supported=max(0, count - unsupported),
        degraded=run.degraded,
        seconds=run.seconds,
        usage=run.usage,
    )


def _right_page(case: Case, run: Run) -> bool | None:
    if not case.document and case.page is None:
        return None
    return any(_cites(citation, case) for citation in run.citations)


def _cites(citation: Citation, case: Case) -> bool:
    if case.document and not _same_file(case.document, citation.document_name):
        return False
    pages = {citation.page, *(page for page, _ in citation.boxes)}
    return case.page is None or case.page - 1 in pages


def _same_file(expected: str, name: str) -> bool:
    """With or without its ending."""
    wanted, found = plain(expected), plain(name)
    return wanted in {found, PurePath(found).stem}


def _right_answer(case: Case, run: Run, ending: str) -> bool | None:
    if case.declined:
        return ending in DECLINED
    if not case.answer:
        return None
    return plain(case.answer) in plain(run.answer)


def plain(text: str) -> str:
    """Without emphasis, and alike in case, width, spaces and Chinese script."""
    return " ".join(normal_form(text.replace("**", "")).casefold().split())
