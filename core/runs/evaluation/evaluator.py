"""Asks the questions of an evaluation one after another as runs, measures each answer and stores the result at once."""

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import PurePath

from core.agents.workflows.registry import workflow_named
from core.platform.errors import AppError, InputError, RetryableServiceError
from core.platform.identity import on_behalf
from core.platform.language.sentences import sentences
from core.platform.language.terms import normal_form
from core.runs.evaluation.model import DECLINED, Case, CaseResult, Evaluation, EvaluationStatus
from core.runs.execution.worker import RunWorker
from core.runs.history.view import fold
from core.runs.model import AnswerOutcome, Run, RunPurpose, RunRequest, RunStatus
from core.runs.ports import Evaluations, RunLog, Threads
from core.runs.run_lists import ending_of
from core.search.model import Citation

_LOG = logging.getLogger(__name__)
_BUSY_SECONDS = 600.0
"""Limit of the time that a question waits for other runs to end."""
_POLL_SECONDS = 0.5
OnResult = Callable[[CaseResult], None]
_WRITTEN = (AnswerOutcome.ANSWERED, AnswerOutcome.UNCONFIRMED, AnswerOutcome.DIRECT)
"""Outcomes with an answer whose sentences need support."""


class _Work:
    """An evaluation in progress in this process."""

    def __init__(self) -> None:
        self.stopped = threading.Event()
        self.run_id = ""


class Evaluator:
    """close() when done."""

    def __init__(self, store: Evaluations, worker: RunWorker, runs: RunLog, threads: Threads) -> None:
        self._store = store
        self._worker = worker
        self._runs = runs
        self._threads = threads
        self._lock = threading.Lock()
        self._under_way: dict[str, _Work] = {}
        self._faults: dict[str, AppError] = {}

    def begin(self, list_id: str, base_id: str, workflows: Sequence[str]) -> Evaluation:
        """Creates the evaluation without asking anything yet. Raises AppError."""
        if not workflows:
            raise InputError("evaluation.no_workflow")
        for name in workflows:
            workflow_named(name)
        cases = self._store.cases(list_id)
        if not cases:
            raise InputError("evaluation.file_empty")
        title = next((one.name for one in self._store.lists() if one.id == list_id), "")
        thread = self._threads.create(title, base_id, workflows[0], RunPurpose.EVALUATION)
        return self._store.begin(list_id, base_id, thread.id, tuple(dict.fromkeys(workflows)), cases)

    def work(self, evaluation_id: str, on_result: OnResult = lambda _: None) -> Evaluation:
        """Asks the questions without a result; returns at the end or after stop(). Raises AppError."""
        return self._ask(evaluation_id, self._claim(evaluation_id), on_result)

    def start(self, evaluation_id: str) -> None:
        """Runs work() in the background unless it is already running."""
        if self.is_under_way(self._store.get(evaluation_id)):
            return
        work = self._claim(evaluation_id)
        threading.Thread(
            target=on_behalf(self._work_alone), args=(evaluation_id, work), name="evaluation", daemon=True
        ).start()

    def stop(self, evaluation_id: str) -> None:
        """Keeps the results so far; the current question is abandoned, and asked again when work resumes."""
        with self._lock:
            work = self._under_way.get(evaluation_id)
        if work:
            work.stopped.set()
            self._worker.stop(work.run_id)

    def is_under_way(self, evaluation: Evaluation) -> bool:
        """Whether this or another live process works on it."""
        with self._lock:
            if evaluation.id in self._under_way:
                return True
        elsewhere = evaluation.owner not in ("", self._worker.owner_id)
        return (
            evaluation.status is EvaluationStatus.RUNNING and elsewhere and self._worker.is_alive("", evaluation.owner)
        )

    def fault(self, evaluation_id: str) -> AppError | None:
        """Why the work that start() began ended before its time, in this process; None while it goes on."""
        return self._faults.get(evaluation_id)

    def close(self) -> None:
        with self._lock:
            ids = list(self._under_way)
        for evaluation_id in ids:
            self.stop(evaluation_id)

    def _ask(self, evaluation_id: str, work: _Work, on_result: OnResult = lambda _: None) -> Evaluation:
        with self._marked(evaluation_id):
            evaluation = self._store.get(evaluation_id)
            for case, workflow in self._left(evaluation):
                result = None if work.stopped.is_set() else self._result(evaluation, case, workflow, work)
                if result is None:
                    break
                self._store.add_result(evaluation_id, result)
                on_result(result)
        return self._store.get(evaluation_id)

    def _work_alone(self, evaluation_id: str, work: _Work) -> None:
        try:
            self._ask(evaluation_id, work)
        except AppError as error:
            self._faults[evaluation_id] = error
            _LOG.exception("an evaluation could not go on")

    def _claim(self, evaluation_id: str) -> _Work:
        """Raises InputError if it is in progress in this process."""
        with self._lock:
            if evaluation_id in self._under_way:
                raise InputError("evaluation.under_way")
            self._faults.pop(evaluation_id, None)
            return self._under_way.setdefault(evaluation_id, _Work())

    @contextmanager
    def _marked(self, evaluation_id: str) -> Iterator[None]:
        """Marks the evaluation as running in this process; at the end as done if every question has a result."""
        try:
            self._store.mark(evaluation_id, EvaluationStatus.RUNNING, self._worker.owner_id)
            try:
                yield
            finally:
                done = not list(self._left(self._store.get(evaluation_id)))
                self._store.mark(evaluation_id, EvaluationStatus.DONE if done else EvaluationStatus.STOPPED, "")
        finally:
            with self._lock:
                del self._under_way[evaluation_id]

    def _left(self, evaluation: Evaluation) -> Iterator[tuple[Case, str]]:
        had = {(result.case_id, result.workflow) for result in self._store.results(evaluation.id)}
        for case in evaluation.cases:
            for workflow in evaluation.workflows:
                if (case.id, workflow) not in had:
                    yield case, workflow

    def _result(self, evaluation: Evaluation, case: Case, workflow: str, work: _Work) -> CaseResult | None:
        """None if the run has not come to its end."""
        request = RunRequest(
            case.question,
            evaluation.base_id,
            workflow,
            evaluation.thread_id,
            use_memory=False,
            after="",
            purpose=RunPurpose.EVALUATION,
        )
        work.run_id = self._started(request, work)
        if not work.run_id:
            return None
        if work.stopped.is_set():
            self._worker.stop(work.run_id)
        view = fold(event for _, event in self._worker.follow(work.run_id))
        run = self._runs.get(work.run_id)
        if run.status is RunStatus.RUNNING or (run.status is RunStatus.STOPPED and work.stopped.is_set()):
            return None
        return measured(case, run, len(view.unsupported))

    def _started(self, request: RunRequest, work: _Work) -> str:
        """The id of the run, as soon as there is room for it; empty after a stop.

        Raises RetryableServiceError after _BUSY_SECONDS.
        """
        until = time.monotonic() + _BUSY_SECONDS
        while not work.stopped.is_set():
            try:
                return self._worker.start(request)
            except RetryableServiceError:
                if time.monotonic() > until:
                    raise
                work.stopped.wait(_POLL_SECONDS)
        return ""


def measured(case: Case, run: Run, unsupported: int) -> CaseResult:
    """unsupported: number of sentences of the answer that no passage supports."""
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
    """Compares file names with and without their suffix."""
    wanted, found = plain(expected), plain(name)
    return wanted in {found, PurePath(found).stem}


def _right_answer(case: Case, run: Run, ending: str) -> bool | None:
    if case.declined:
        return ending in DECLINED
    if not case.answer:
        return None
    return plain(case.answer) in plain(run.answer)


def plain(text: str) -> str:
    """The text without emphasis, normalised in case, width, spaces and Chinese script."""
    return " ".join(normal_form(text.replace("**", "")).casefold().split())
