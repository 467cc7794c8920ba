"""Runs questions in threads of this process: starts and stops them, and takes care of runs left by a dead process."""

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

from core.domain.events import END_EVENTS, Event, FollowUpsFound, RunFailed, RunFinished, RunStarted, RunStopped
from core.domain.people import SYSTEM, Person, acting, on_behalf
from core.domain.runs import MAX_QUESTION, Run, RunPurpose, RunRequest, RunWish, Turn
from core.errors import AppError, InputError, NotFoundError, RetryableServiceError
from core.ports.processes import Lease
from core.ports.runs import RunLog, Threads
from core.runs.consent import Answer, Consent
from core.runs.follow import POLL_SECONDS, follow
from core.runs.mentioned import without_marks
from core.runs.recovery import Asker, Recovery, may_pass
from core.runs.runner import Emit, Execution, execute
from core.runs.titles import title_of
from core.runs.titling import Entitle, Titles
from core.runs.view import INTERRUPTED, RunView, apply, as_ended
from core.runs.wishes import WishWatch
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
_GLANCE_SECONDS = 0.5
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
    allow: Callable[[], None] | None = None
    """Called before a run starts; what it raises refuses the run."""
    asker: Asker | None = None
    """For whom a run is answered that a process has left; None for a person who is gone. Without it, runs that a
    process leaves are not taken over by another."""


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
    person: Person | None = field(default_factory=acting)


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
        self.is_closing = False
        """It takes no more questions."""
        self._owner = owner
        self._bell = ChangeSignal()
        self._wishes = WishWatch(lambda: log.wished(owner.id), self._heed, lambda: bool(self._active))

    def start(self, request: RunRequest) -> str:
        """The id of the run, which continues in the background. Raises AppError if it cannot start."""
        if self._hooks.allow:
            self._hooks.allow()
        workflow_named(request.workflow)
        if len(request.question) > MAX_QUESTION:
            raise InputError("run.question_too_long", length=len(request.question))
        self._check_room()
        taken = self._taken_over(request)
        run, history = self._recorded(request)
        self._begin(run, request, history, taken)
        return run.id

    def _check_room(self) -> None:
        if self.is_closing:
            raise RetryableServiceError("run.closing")
        if len(self._active) >= MAX_ACTIVE:
            raise RetryableServiceError("run.busy", count=len(self._active))

    def _begin(self, run: Run, request: RunRequest, history: tuple[Turn, ...], taken: TakenOver | None) -> None:
        active = _Active(run, request, history, RunWriter(run, self._log, self._bell, self._writers), taken)
        with self._lock:
            self._active[run.id] = active
        self._pool.submit(on_behalf(self._run), active).add_done_callback(_report)
        self._wishes.begin()

    def stop(self, run_id: str) -> bool:
        """True if the run was under way, here or in another process, which hears of it within two seconds.

        The text written so far is kept.
        """
        active = self._own(run_id)
        if active is None:
            return self._log.wish_stop(run_id)
        active.cancel.set()
        timer = threading.Timer(ABANDON_SECONDS, on_behalf(self._abandon), (active,))
        timer.daemon = True
        timer.start()
        return True

    def answer(self, run_id: str, consent: Consent) -> bool:
        """True if the run was under way, here or in another process, which hears of it within two seconds."""
        active = self._own(run_id)
        if active is None:
            return self._log.wish_consent(run_id, consent.value)
        active.cancel.answer.give(consent)
        return True

    def _heed(self, wish: RunWish) -> None:
        if wish.stop:
            self.stop(wish.run_id)
        elif active := self._own(wish.run_id):
            active.cancel.answer.give(Consent(wish.consent))

    def follow(self, run_id: str, after: int = 0, poll_seconds: float = POLL_SECONDS) -> Iterator[tuple[int, Event]]:
        """Logged events of any run; those of this process arrive at once."""
        return follow(self._log, run_id, after, poll_seconds, self._bell, self.is_alive)

    def view(self, run_id: str) -> RunView | None:
        """The run at this moment, ahead of the log; None if it is not active here."""
        active = self._own(run_id)
        return active.writer.view if active else None

    @contextmanager
    def listening(self, run_id: str, listener: Listener) -> Iterator[None]:
        """Inside, the listener receives every event of a run active here; it must not block."""
        active = self._own(run_id)
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

    def is_alive(self, run_id: str, owner_id: str) -> bool:
        """Whether the run is active here, or its owner is alive elsewhere, or somebody will go on with it."""
        if owner_id != self._owner.id:
            return self._owner.is_alive(owner_id) or bool(run_id and self._hooks.asker)
        with self._lock:
            return run_id in self._active

    def recover(self) -> list[str]:
        """Ids of the runs left unfinished by a dead process; they are answered here, or interrupted now."""
        if self.is_closing:
            return []
        return Recovery(self._log, self._owner, self._hooks.asker, self._resume).settle(self._is_gone)

    def _is_gone(self, run_id: str, owner_id: str) -> bool:
        if owner_id != self._owner.id:
            return self._owner.has_died(owner_id)
        with self._lock:
            return run_id not in self._active

    def _resume(self, run: Run, request: RunRequest) -> None:
        """From its beginning."""
        self._check_room()
        self._begin(run, request, self._said(request, run.thread_id), self._taken_over(request))

    def warm(self, also: Callable[[], None] = lambda: None) -> None:
        """Loads what the first question would otherwise wait for; comes back when that is done or has failed."""
        loading = [self._pool.submit(also), self._pool.submit(self._workflows.load)]
        for job in loading:
            job.add_done_callback(_report)
        wait(loading)

    def drain(self, seconds: float) -> None:
        """Takes no more questions and waits for those under way.

        What is left after the seconds goes on elsewhere, or is interrupted.
        """
        until = time.monotonic() + seconds
        self.is_closing = True
        while self._active and (left := until - time.monotonic()) > 0:
            self._bell.wait(self._bell.rung, min(left, _GLANCE_SECONDS))
        self._part()

    def _part(self) -> None:
        with self._lock:
            under_way = list(self._active.values())
        for active in under_way:
            active.cancel.set()
            if self._hooks.asker is None:
                self._end(active, RunFailed(INTERRUPTED))
            elif active.ended.acquire(blocking=False):
                self._leave(active)
            self._forget(active)

    @staticmethod
    def _leave(active: _Active) -> None:
        try:
            active.writer.leave()
        except AppError as error:  # another process begins it afresh anyway
            _LOG.warning("the last events of a run are not stored: %s", error)

    def close(self) -> None:
        """Stops all active runs, or leaves them to other processes; afterwards this one writes nothing more."""
        self.is_closing = True
        if self._hooks.asker:
            self._part()
        with self._lock:
            under_way = list(self._active.values())
        for active in under_way:
            active.cancel.set()
        self._wishes.close()
        self._pool.shutdown(wait=False, cancel_futures=True)
        self._titles.close()
        for active in under_way:
            self._abandon(active)
        self._writers.shutdown()
        self._owner.close()

    def _own(self, run_id: str) -> _Active | None:
        """If it is active here, and of the person who acts."""
        with self._lock:
            active = self._active.get(run_id)
        is_own = active is not None and acting() in (None, SYSTEM, active.person)
        return active if is_own else None

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
        history = self._said(request, thread_id)
        engine = self._engine(request.options.engine)
        return self._log.start(replace(request, thread_id=thread_id), thread_id, engine, self._owner.id), history

    def _said(self, request: RunRequest, thread_id: str) -> tuple[Turn, ...]:
        """The conversation as far as the workflow looks back."""
        turns = workflow_named(request.workflow).history_turns
        said: Sequence[Turn] = ()
        if request.history is not None:
            said = request.history[-turns:] if turns else ()
        elif turns and request.purpose is RunPurpose.CHAT:
            said = self._threads.history(thread_id, turns, request.after)
        return tuple(Turn(turn.role, turn.text[:TURN_CHARACTERS]) for turn in said)

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
        if self._hooks.asker and isinstance(event, RunFailed) and may_pass(self._log, active.run, event):
            if active.ended.acquire(blocking=False):  # begun again with the next sign of life of this process
                self._leave(active)
        elif isinstance(event, END_EVENTS):
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
