"""Runs questions in threads of this process: starts and stops them, and settles runs left by a dead process."""

from __future__ import annotations

import logging
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from functools import partial
from typing import TYPE_CHECKING

from core.domain.events import END_EVENTS, Event, FollowUpsFound, RunFinished, RunStarted, RunStopped
from core.domain.runs import MAX_QUESTION, Run, RunPurpose, RunRequest, Turn
from core.errors import AppError, InputError, NotFoundError, RetryableServiceError
from core.ports.processes import Lease
from core.ports.runs import RunLog, Threads
from core.runs.consent import Answer, Consent
from core.runs.follow import POLL_SECONDS, follow
from core.runs.mentioned import without_marks
from core.runs.recovery import recover
from core.runs.runner import Emit, Execution, execute
from core.runs.titles import title_of
from core.runs.titling import Entitle, Titles
from core.runs.view import RunView, apply, as_ended
from core.runs.writer import ChangeSignal, Listener, RunWriter
from core.state import Deps, State
from core.workflows.registry import CompiledWorkflows, workflow_named

if TYPE_CHECKING:
    from core.runs.continuing import TakenOver

_LOG = logging.getLogger(__name__)
DepsFactory = Callable[[RunRequest, Emit, "RunControl"], Deps]
Observe = Callable[[Run, Event], None]
FollowUps = Callable[[Run, RunView], tuple[str, ...]]
MAX_THREADS = 4
MAX_ACTIVE = 16
TURN_CHARACTERS = 600
ABANDON_SECONDS = 0.25
"""After a stop, anything still waiting for a model is abandoned after this time."""


@dataclass(slots=True)
class RunControl:
    """Input to a run from outside: stop() and the user's answer."""

    _set: threading.Event = field(default_factory=threading.Event)
    answer: Answer = field(default_factory=Answer)

    def set(self) -> None:
        self._set.set()

    def requested(self) -> bool:
        return self._set.is_set()


@dataclass(frozen=True, slots=True)
class Hooks:
    """Called from the threads of runs."""

    observe: Observe | None = None
    """Receives every event as it happens."""
    follow_ups: FollowUps | None = None
    """Finds what to ask next, for runs that a page shows."""
    entitle: Entitle | None = None
    """Makes a title for the conversation that a run has begun."""


@dataclass(slots=True)
class _Active:
    run: Run
    request: RunRequest
    history: tuple[Turn, ...]
    writer: RunWriter
    taken: TakenOver | None = None
    """From the run that it continues."""
    cancel: RunControl = field(default_factory=RunControl)
    started_at: float = field(default_factory=time.monotonic)
    ended: threading.Lock = field(default_factory=threading.Lock)
    """Acquired once, by whoever ends the run."""


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
        """`engine` names what answers when one is asked for; `owner` is this process, closed with the worker."""
        self._hooks = hooks or Hooks()
        self._deps = deps
        self._engine = engine
        self._log = log
        self._threads = threads
        self._workflows = CompiledWorkflows()
        self._pool = ThreadPoolExecutor(MAX_THREADS, thread_name_prefix="run")
        self._writers = ThreadPoolExecutor(MAX_ACTIVE, thread_name_prefix="run-writer")
        self._titles = Titles(self._hooks.entitle, log, threads)
        self._lock = threading.Lock()
        self._active: dict[str, _Active] = {}
        self._owner = owner
        self._bell = ChangeSignal()

    def start(self, request: RunRequest) -> str:
        """The id of the run, which continues in the background. Raises AppError if it cannot start."""
        workflow_named(request.workflow)
        if len(request.question) > MAX_QUESTION:
            raise InputError("run.question_too_long", length=len(request.question))
        if len(self._active) >= MAX_ACTIVE:
            raise RetryableServiceError("run.busy", count=len(self._active))
        taken = self._taken_over(request)
        run, history = self._recorded(request)
        active = _Active(run, request, history, RunWriter(run, self._log, self._bell, self._writers), taken)
        with self._lock:
            self._active[run.id] = active
        self._pool.submit(self._run, active).add_done_callback(_report)
        return run.id

    def stop(self, run_id: str) -> bool:
        """True if the run was active here. The text written so far is kept."""
        with self._lock:
            active = self._active.get(run_id)
        if active is None:
            return False
        active.cancel.set()
        timer = threading.Timer(ABANDON_SECONDS, self._abandon, (active,))
        timer.daemon = True
        timer.start()
        return True

    def answer(self, run_id: str, consent: Consent) -> bool:
        """True if the run is active here and got the answer."""
        with self._lock:
            active = self._active.get(run_id)
        if active is not None:
            active.cancel.answer.give(consent)
        return active is not None

    def follow(self, run_id: str, after: int = 0, poll_seconds: float = POLL_SECONDS) -> Iterator[tuple[int, Event]]:
        """Logged events of any run; those of this process arrive at once."""
        return follow(self._log, run_id, after, poll_seconds, self._bell, self.is_alive)

    def view(self, run_id: str) -> RunView | None:
        """The run at this moment, ahead of the log; None if it is not active here."""
        with self._lock:
            active = self._active.get(run_id)
        return active.writer.view if active else None

    @contextmanager
    def listening(self, run_id: str, listener: Listener) -> Iterator[None]:
        """Inside, the listener receives every event of a run active here; it must not block."""
        with self._lock:
            active = self._active.get(run_id)
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
        """Names this process as the owner of what it works on."""
        return self._owner.id

    @property
    def leads(self) -> bool:
        """Whether this process does what only one of several should do."""
        return self._owner.leads()

    def is_alive(self, run_id: str, owner_id: str) -> bool:
        """Whether the run is active here, or its owner is alive elsewhere."""
        if owner_id != self._owner.id:
            return self._owner.is_alive(owner_id)
        with self._lock:
            return run_id in self._active

    def recover(self) -> list[str]:
        """Ids of the runs left unfinished by a dead process; they are now interrupted."""
        settled = recover(self._log, self.is_alive)
        self._owner.tidy()
        return [run.id for run in settled]

    def warm(self, also: Callable[[], None] = lambda: None) -> None:
        """Loads what the first question would otherwise wait for; comes back when that is done or has failed."""
        loading = [self._pool.submit(also), self._pool.submit(self._workflows.load)]
        for job in loading:
            job.add_done_callback(_report)
        wait(loading)

    def close(self) -> None:
        """Stops all active runs; afterwards every run has its last event."""
        with self._lock:
            under_way = list(self._active.values())
        for active in under_way:
            active.cancel.set()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._titles.close()
        for active in under_way:
            self._abandon(active)
        self._writers.shutdown()
        self._owner.close()

    def _taken_over(self, request: RunRequest) -> TakenOver | None:
        if request.options.continues is None:
            return None
        from core.runs.continuing import taken_over

        return taken_over(self._log, request, request.options.continues)

    def _recorded(self, request: RunRequest) -> tuple[Run, tuple[Turn, ...]]:
        """The run in the log, and the conversation so far."""
        if request.thread_id:
            thread_id = self._threads.get(request.thread_id).id
        else:
            title, base = title_of(request.question), request.base_id
            thread_id = self._threads.create(title, base, request.workflow, request.purpose).id
        said = self._said(request, thread_id)
        history = tuple(Turn(turn.role, turn.text[:TURN_CHARACTERS]) for turn in said)
        engine = self._engine(request.options.engine)
        return self._log.start(replace(request, thread_id=thread_id), thread_id, engine), history

    def _said(self, request: RunRequest, thread_id: str) -> Sequence[Turn]:
        """The conversation as far as the workflow looks back."""
        turns = workflow_named(request.workflow).history_turns
        if request.history is not None:
            return request.history[-turns:] if turns else ()
        in_conversation = turns and request.purpose is RunPurpose.CHAT
        return self._threads.history(thread_id, turns, request.after) if in_conversation else ()

    def _run(self, active: _Active) -> None:
        run, request, taken = active.run, active.request, active.taken
        state = State(
            question=without_marks(run.question) if request.options.is_limited else run.question,
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
            emit(RunStarted(run.question, run.workflow, run.engine, self._owner.id))
            graph = partial(self._workflows.named, run.workflow, taken.node if taken else "")
            asked = replace(request, thread_id=run.thread_id)
            begun, before = (taken.applied(state), taken.events) if taken else (state, ())
            execute(Execution(graph, begun, lambda out: self._deps(asked, out, active.cancel), before), emit)
        finally:
            self._forget(active)

    def _emit(self, active: _Active, event: Event) -> None:
        if isinstance(event, END_EVENTS):
            if isinstance(event, RunFinished):
                self._suggest(active)
            self._end(active, event)
            if isinstance(event, RunFinished) and self._is_shown(active) and not active.request.thread_id:
                self._titles.begin(active.run, active.writer.view)
        else:
            if self._hooks.observe:
                self._hooks.observe(active.run, event)
            active.writer.emit(event)

    def _suggest(self, active: _Active) -> None:
        """The answer is on the page already; without an index it stands there alone."""
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
    def _is_shown(active: _Active) -> bool:
        """By a page, as part of a conversation."""
        return active.run.purpose is RunPurpose.CHAT and bool(active.request.interface_language)

    def _end(self, active: _Active, event: Event) -> None:
        if not active.ended.acquire(blocking=False):
            return
        if self._hooks.observe:
            self._hooks.observe(active.run, event)
        try:
            active.writer.end(as_ended(active.run, apply(active.writer.view, event)), event)
        except NotFoundError:
            _LOG.info("a run was deleted while it was under way")

    def _abandon(self, active: _Active) -> None:
        """Ends a run that did not end by itself after a stop; its later events are dropped."""
        self._end(active, RunStopped(time.monotonic() - active.started_at))
        self._forget(active)

    def _forget(self, active: _Active) -> None:
        with self._lock:
            self._active.pop(active.run.id, None)
        self._bell.ring()


def _report(job: Future[None]) -> None:
    """A failure that could not be written to the run's log goes to the app's log."""
    if not job.cancelled() and (error := job.exception()):
        _LOG.error("a background job failed", exc_info=error)
