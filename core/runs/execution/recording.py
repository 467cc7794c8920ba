"""Stores a question as a run of its conversation, and reads the turns and steps before it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.agents.workflows.registry import workflow_named
from core.runs.execution.titles import title_of
from core.runs.model import Run, RunPurpose, RunRequest, Turn
from core.runs.ports import RunLog, Threads

if TYPE_CHECKING:
    from core.runs.fork.fork import TakenOver

TURN_CHARACTERS, LAST_CHARACTERS = 600, 4_000
"""Characters of earlier turns, and of the last one, to which a message may refer."""


@dataclass(frozen=True, slots=True)
class Recording:
    log: RunLog
    threads: Threads
    engine: Callable[[str], str]
    """(name of an engine as requested) -> name of the engine that answers."""
    process: str
    """Id of the process that answers."""

    def recorded(self, request: RunRequest) -> tuple[Run, tuple[Turn, ...]]:
        """The stored run, and the conversation so far."""
        engine = self.engine(request.options.engine)
        if not request.thread_id:
            begun = replace(request, after="")
            return self.log.begin(begun, title_of(request.question), engine, self.process), self.said(begun, "")
        thread_id = self.threads.get(request.thread_id).id
        if request.begins_chat:
            self._retitle(thread_id, request.question)
        history = self.said(request, thread_id)
        return self.log.start(request, thread_id, engine, self.process), history

    def _retitle(self, thread_id: str, question: str) -> None:
        """Titles a chat after its new first question, unless a person or a model has named it."""
        begun = {title_of(run.question) for run in self.log.of_thread(thread_id) if not run.parent_id}
        if self.threads.get(thread_id).title in begun:
            self.threads.rename(thread_id, title_of(question))

    def said(self, request: RunRequest, thread_id: str) -> tuple[Turn, ...]:
        """The last turns of the conversation, as many as the workflow reads."""
        turns = workflow_named(request.workflow).history_turns
        said: Sequence[Turn] = ()
        if request.history is not None:
            said = request.history[-turns:] if turns else ()
        elif turns and request.purpose is RunPurpose.CHAT and request.after != "":
            said = self.threads.history(thread_id, turns, request.after)
        lengths = (*[TURN_CHARACTERS] * (len(said) - 1), LAST_CHARACTERS)
        return tuple(replace(turn, text=turn.text[:most]) for turn, most in zip(said, lengths, strict=False))

    def taken_over(self, request: RunRequest) -> TakenOver | None:
        """Steps of the run that the request continues, if any."""
        if request.options.continues is None:
            return None
        from core.runs.fork.fork import taken_over

        return taken_over(self.log, request, request.options.continues)
