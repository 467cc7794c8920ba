"""How nodes ask for a decision or a text: the model's, or the rule's when the question's budget is used up."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from string import Formatter

from core.domain.events import AnswerDelta
from core.domain.intents import A_QUESTION, Intent, Understanding
from core.errors import BudgetError, ServiceError
from core.llm.metering import stop_if_cancelled
from core.state import Deps, Note, State
from core.tasks import Output, Request, Task, TextTask
from core.texts import known, text

MAX_NAMES = 20
"""Entities of a question that are looked up in the graph."""
MAX_QUERY = 1000
"""Characters of a question or query that a model wrote."""


def ask_model(deps: Deps, task: Task[Request, Output], request: Request) -> Output:
    try:
        return deps.llm.run(task, request, deps.meter)
    except BudgetError as error:
        deps.meter.degraded(task.name, error.key)
    return task.rule(request)


def stream_text(deps: Deps, task: TextTask[Request], request: Request) -> Iterator[str]:
    """Pieces of text. Raises BudgetError or ServiceError only after the first piece, CancelledError at a stop.

    It is raised in here, not by who reads, so that the model's stream is closed and counted before the run ends.
    """
    begun = False
    try:
        for piece in deps.llm.stream(task, request, deps.meter):
            begun = True
            yield piece
            stop_if_cancelled(deps.meter)
        return
    except BudgetError as error:
        if begun:
            raise
        deps.meter.degraded(task.name, error.key)
    yield from task.rule(request)


@dataclass(frozen=True, slots=True)
class Written:
    text: str
    """As far as it came."""
    fault: str = ""
    """Catalogue key of what broke it off, if anything."""


def shown_as_written(deps: Deps, task: str, pieces: Iterator[str]) -> Written:
    """Shows the pieces to the reader as they come."""

    def shown() -> Iterator[str]:
        for piece in pieces:
            deps.emit(AnswerDelta(piece))
            yield piece

    return unseen(deps, task, shown())


def unseen(deps: Deps, task: str, pieces: Iterator[str]) -> Written:
    """Shows nobody anything: the text is checked first."""
    said: list[str] = []
    fault = ""
    try:
        said.extend(pieces)
    except (ServiceError, BudgetError) as error:
        fault = error.key
        deps.meter.degraded(task, fault)
    return Written("".join(said).strip(), fault)


Writer = Callable[[Deps, str, Iterator[str]], Written]


def noted(outcome: str, reason: str = "", **details: object) -> Note:
    """A note whose empty details are left out. A reason that is a catalogue key needs its placeholders among them."""
    said = {name: str(value) for name, value in details.items() if value not in ("", None, ())}
    return Note(str(outcome), reason if _can_be_said(reason, said) else "", tuple(said.items()))


def _can_be_said(reason: str, details: Mapping[str, str]) -> bool:
    """False for a key, perhaps written by a model, whose placeholders nothing fills."""
    if not known(reason):
        return True
    wanted = {name for _, name, _, _ in Formatter().parse(text(reason)) if name}
    return wanted <= details.keys()


def understood_in(state: State, deps: Deps) -> Understanding:
    """What the turn's message is for; where nothing was answered yet, nothing can be said in another form."""
    understood = deps.intents.of(state.question)
    answered = any(turn.role == "assistant" for turn in state.history)
    return understood if answered or understood.perhaps is not Intent.REWORK else A_QUESTION
