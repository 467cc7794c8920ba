"""Runs questions in threads of this process: starts and stops them, and takes care of runs left by a dead process."""

import logging
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, replace
from functools import partial

from core.agents.state import Deps, State
from core.agents.workflows.registry import CompiledWorkflows, workflow_named
from core.platform.errors import AppError, InputError, NotFoundError, RetryableServiceError, ServiceError
from core.platform.identity import on_behalf
from core.platform.plain_text import storable
from core.platform.processes.ports import Lease
from core.runs.events import END_EVENTS, Event, FollowUpsFound, RunFailed, RunFinished, RunStarted, RunStopped
from core.runs.execution.active_runs import ActiveRun, ActiveRuns, CommandPoller, RunControl
from core.runs.execution.attachments import LookAtAttachments, wait_for_attachments
from core.runs.execution.consent import Consent
from core.runs.execution.mentions import as_asked
from core.runs.execution.recording import Recording
from core.runs.execution.recovery import Asker, LaterSettling, Recovery, Successor
from core.runs.execution.runner import Emit, Execution, execute
from core.runs.execution.titles import Entitle, Titles
from core.runs.execution.writer import ChangeSignal, Listener, RunWriter
from core.runs.history.follow import POLL_SECONDS, Followed, WrittenHere, follow
from core.runs.history.model_failure import as_ended
from core.runs.history.view import INTERRUPTED, RunView, apply
from core.runs.model import MAX_QUESTION, Run, RunCommand, RunPurpose, RunRequest, Usage
from core.runs.ports import RunLog, Threads

_LOG = logging.getLogger(__name__)
DepsFactory = Callable[[RunRequest, Emit, RunControl], Deps]
Observe = Callable[[Run, Event], None]
FollowUps = Callable[[Run, RunView], tuple[str, ...]]
MAX_THREADS = 4
MAX_WAITING = 8
"""Threads for questions that wait for attached files, so that others do not wait for them."""
MAX_ACTIVE = 16
QUEUE_SECONDS = 20.0
"""Time that a further question waits: a hundred answers without a model in 3,600 passages take seven on two cores."""
_DRAIN_POLL_SECONDS = 0.5
ABANDON_SECONDS = 0.25
"""After a stop, anything still waiting for a model is abandoned after this time."""


@dataclass(frozen=True, slots=True)
class Hooks:
    """Callbacks from the threads of runs."""

    observe: Observe | None = None
    """Receives every event as it happens."""
    follow_ups: FollowUps | None = None
    """Finds what to ask next, for runs that a page shows."""
    entitle: Entitle | None = None
    """Makes a title for the conversation that a run has begun."""
    allow: Callable[[], None] | None = None
    """Called before a run starts; what it raises refuses the run."""
    asker: Asker | None = None
    """See Successor."""
    serves: bool = False
    """See Successor."""
    attachments: LookAtAttachments | None = None
    """State of the files that a question was sent with."""


class RunWorker:
    """close() when done."""

    def __init__(
        self,
        deps: DepsFactory,
        engine: Callable[[str], str],
        log: RunLog,
        threads: Threads,
        owner: Lease,
        hooks: Hooks | None = None,
    ) -> None:
        """engine: (requested name) -> name of the engine that answers. owner: this process, closed with the worker."""
        self._hooks = hooks or Hooks()
        self._deps = deps
        self._log = log
        self._workflows = CompiledWorkflows()
        self._pool = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="run")
        self._waiting_pool = ThreadPoolExecutor(MAX_WAITING, thread_name_prefix="run-waiting")
        self._writers = ThreadPoolExecutor(MAX_ACTIVE, thread_name_prefix="run-writer")
        self._titles = Titles(self._hooks.entitle, log, threads)
        self._active = ActiveRuns()
        self.is_closing = False
        """No more questions are accepted."""
        self._owner = owner
        self._recording = Recording(log, threads, engine, owner.id)
        self._successor = Successor(self._hooks.asker, self._hooks.serves)
        self._recovery = Recovery(log, owner, self._successor, self._resume, lambda: self._active.count() < MAX_ACTIVE)
        self._later = LaterSettling(self.recover)
        self._bell = ChangeSignal()
        self._commands = CommandPoller(lambda: log.commands(owner.id), self._carry_out, self._active.count)

    def start(self, request: RunRequest) -> str:
        """The id of the run, which continues in the background. Raises AppError if it cannot start."""
        self.check_allowed()
        workflow_named(request.workflow)
        if len(request.question) > MAX_QUESTION:
            raise InputError("run.question_too_long", length=f"{len(request.question):,}", limit=f"{MAX_QUESTION:,}")
        self._check_open()
        request = replace(request, question=storable(request.question))  # arguments of a command line are any bytes
        self._active.await_complete(request.thread_id)
        with self._active.coming(MAX_ACTIVE, QUEUE_SECONDS):
            self._check_open()
            taken = self._recording.taken_over(request)
            try:
                run, history = self._recording.recorded(request)
            except ServiceError:  # it may have been stored, although nobody said so
                self._later.begin()
                raise
            self._begin(ActiveRun(run, request, history, self._writer(run), taken))
        return run.id

    def check_allowed(self) -> None:
        """Raises BudgetError if the person has used up the daily quota."""
        if self._hooks.allow:
            self._hooks.allow()

    def _check_open(self) -> None:
        if self.is_closing:
            raise RetryableServiceError("run.closing")

    def _writer(self, run: Run) -> RunWriter:
        return RunWriter(run, self._log, self._bell, self._writers)

    def _begin(self, active: ActiveRun) -> None:
        self._active.add(active)
        pool = self._waiting_pool if active.run.options.attached else self._pool
        pool.submit(on_behalf(self._run), active).add_done_callback(_report)
        self._commands.begin()

    def stop(self, run_id: str) -> bool:
        """True if the run was active, here or in another process, which receives the command within two seconds.

        The text written so far is kept.
        """
        active = self._active.own(run_id)
        if active is None:
            return self._log.request_stop(run_id)
        active.cancel.set()
        timer = threading.Timer(ABANDON_SECONDS, on_behalf(self._abandon), (active,))
        timer.daemon = True
        timer.start()
        return True

    def answer(self, run_id: str, consent: Consent) -> bool:
        """True if the run was active, here or in another process, which receives the answer within two seconds."""
        active = self._active.own(run_id)
        if active is None:
            return self._log.send_consent(run_id, consent.value)
        active.cancel.answer.give(consent)
        return True

    def _carry_out(self, command: RunCommand) -> None:
        if command.stop:
            self.stop(command.run_id)
        elif active := self._active.own(command.run_id):
            active.cancel.answer.give(Consent(command.consent))

    def follow(self, run_id: str, after: int = 0, poll_seconds: float = POLL_SECONDS) -> Iterator[tuple[int, Event]]:
        """Logged events of any run; those of this process arrive at once."""
        active = self._active.own(run_id)
        log: Followed = self._log
        if active and active.is_first:
            log = WrittenHere(self._log, active.run, active.writer.written, partial(self._active.has, run_id))
        return follow(log, run_id, after, poll_seconds, self._bell, self.is_alive)

    def view(self, run_id: str) -> RunView | None:
        """The current state of the run, ahead of the log; None if it is not active here."""
        active = self._active.own(run_id)
        return active.writer.view if active else None

    @contextmanager
    def listening(self, run_id: str, listener: Listener) -> Iterator[None]:
        """Calls the listener on every event of a run active here; it must not block."""
        active = self._active.own(run_id)
        if active is None:
            yield
            return
        active.writer.listen(listener)
        try:
            yield
        finally:
            active.writer.unlisten(listener)

    @property
    def owner_id(self) -> str:
        """Id of this process as an owner of runs."""
        return self._owner.id

    def is_alive(self, run_id: str, owner_id: str) -> bool:
        """Whether the run is active here, its owner is alive elsewhere, or another process will continue it."""
        if run_id and self._hooks.asker:
            return True
        if owner_id == self._owner.id:
            return not self._active.has_left(run_id)
        return self._owner.is_alive(owner_id)

    def recover(self) -> list[str]:
        """Ids of the runs left unfinished by a dead process; they are answered here, or interrupted now."""
        if self.is_closing:
            return []
        return self._recovery.settle(self._is_gone)

    def _is_gone(self, run_id: str, owner_id: str) -> bool:
        return self._active.has_left(run_id) if owner_id == self._owner.id else self._owner.has_died(owner_id)

    def _resume(self, run: Run, request: RunRequest, spent: Usage) -> None:
        """Answers the run from its beginning."""
        self._check_open()
        with self._active.coming(MAX_ACTIVE, seconds=0):
            taken, history = self._recording.taken_over(request), self._recording.said(request, run.thread_id)
            self._begin(ActiveRun(run, request, history, self._writer(run), taken, spent, is_first=False))

    def warm(self, also: Callable[[], None] = lambda: None) -> None:
        """Loads what the first question would otherwise wait for; returns when that is done or has failed."""
        loading = [self._pool.submit(also), self._pool.submit(self._workflows.load)]
        for job in loading:
            job.add_done_callback(_report)
        wait(loading)

    def drain(self, seconds: float) -> None:
        """Accepts no more questions and waits for active runs.

        Runs that are left after the seconds continue in another process, or are interrupted.
        """
        until = time.monotonic() + seconds
        self.is_closing = True
        while self._active.count() and (left := until - time.monotonic()) > 0:
            self._bell.wait(self._bell.rung, min(left, _DRAIN_POLL_SECONDS))
        self._part()
        for active in self._active.all():
            active.cancel.set()
            self._end(active, RunFailed(INTERRUPTED, seconds=time.monotonic() - active.started_at))
            self._forget(active)

    def _part(self) -> None:
        """Leaves the runs that another process begins again."""
        for active in self._active.all():
            if self._successor.begins(active.run):
                self._leave(active)
                active.cancel.set()
                self._forget(active)

    @staticmethod
    def _leave(active: ActiveRun) -> None:
        """Writes the pending events of the run, unless it has ended."""
        if not active.ended.acquire(blocking=False):
            return
        try:
            active.writer.leave()
        except AppError as error:  # another process starts it again anyway
            _LOG.warning("the last events of a run are not stored: %s", error)

    def close(self) -> None:
        """Stops all active runs, or leaves them to other processes; afterwards this one writes nothing more."""
        self.is_closing = True
        self._part()
        under_way = self._active.all()
        for active in under_way:
            active.cancel.set()
        self._commands.close()
        self._later.close()
        for pool in (self._pool, self._waiting_pool):
            pool.shutdown(wait=False, cancel_futures=True)
        self._titles.close()
        for active in under_way:
            self._abandon(active)
        self._writers.shutdown()
        self._owner.close()

    def _run(self, active: ActiveRun) -> None:
        run, request, taken = active.run, active.request, active.taken
        state = State(
            question=as_asked(run.question, request.options),
            base_id=run.base_id,
            thread_id=run.thread_id,
            run_id=run.id,
            history=active.history,
            use_memory=request.use_memory,
            use_web=request.use_web,
            interface_language=request.interface_language,
            options=request.options,
        )
        emit = partial(self._emit, active)
        try:
            emit(RunStarted(run.question, run.workflow, run.engine, self._owner.id, active.spent))
            if not active.is_first:
                active.writer.store()  # a run that kills its process must not be restarted endlessly
            graph = partial(self._workflows.named, run.workflow, taken.node if taken else "")
            asked = replace(request, thread_id=run.thread_id)
            begun, before = (taken.applied(state), taken.events) if taken else (state, ())
            made = Execution(
                graph,
                begun,
                lambda out: self._deps(asked, out, active.cancel),
                before,
                active.spent,
                self._preparation(active),
            )
            execute(made, emit)
        finally:
            self._forget(active)

    def _preparation(self, active: ActiveRun) -> Callable[[Emit], None] | None:
        """A step that waits for attached files; None for a run without any, or that continues from a later step."""
        options, look = active.run.options, self._hooks.attachments
        if look is None or not options.attached or options.continues:
            return None
        return partial(wait_for_attachments, active.run, look, active.cancel)

    def _emit(self, active: ActiveRun, event: Event) -> None:
        if isinstance(event, RunFailed) and self._recovery.may_pass(active.run, event):
            self._leave(active)  # recover() starts it again
        elif isinstance(event, END_EVENTS):
            if isinstance(event, RunFinished):
                self._suggest(active)
            self._end(active, event)
            if isinstance(event, RunFinished) and self._is_shown(active):
                self._titles.begin(active.run, active.writer.view)
        else:
            if self._hooks.observe:
                self._hooks.observe(active.run, event)
            active.writer.emit(event)

    def _suggest(self, active: ActiveRun) -> None:
        """Finds follow-up questions; without an index the answer is shown without them."""
        run = active.run
        if self._hooks.follow_ups is None or not self._is_shown(active):
            return
        try:
            questions = self._hooks.follow_ups(run, active.writer.view)
        except AppError as error:
            _LOG.warning("no follow-up questions: %s", error)
            return
        if questions:
            active.writer.emit(FollowUpsFound(questions))

    @staticmethod
    def _is_shown(active: ActiveRun) -> bool:
        """Whether a page shows the run as part of a conversation."""
        return active.run.purpose is RunPurpose.CHAT and bool(active.request.interface_language)

    def _end(self, active: ActiveRun, event: Event) -> None:
        if not active.ended.acquire(blocking=False):
            return
        if self._hooks.observe:
            self._hooks.observe(active.run, event)
        try:
            active.writer.end(as_ended(active.run, apply(active.writer.view, event)), event)
        except NotFoundError:
            _LOG.info("a run was deleted while it was under way")
        except ServiceError:
            self._later.begin()
            raise

    def _abandon(self, active: ActiveRun) -> None:
        """Ends a run that did not end by itself after a stop; its later events are dropped."""
        self._end(active, RunStopped(time.monotonic() - active.started_at))
        self._forget(active)

    def _forget(self, active: ActiveRun) -> None:
        self._active.forget(active)
        self._bell.ring()


def _report(job: Future[None]) -> None:
    """A failure that could not be written to the run's log goes to the app's log."""
    if job.cancelled() or (error := job.exception()) is None:
        return
    if isinstance(error, RetryableServiceError):  # as when the database is away
        _LOG.warning("the end of a run is not stored: %s", error)
    else:
        _LOG.error("a background job failed", exc_info=error)
