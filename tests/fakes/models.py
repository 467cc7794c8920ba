"""Models and what meters them."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cache

from pydantic import BaseModel

from core.memory.contradictions import StatementMeanings
from core.models.embedding.encoder.sentence_encoder import UniversalSentenceEncoder
from core.models.meter import Meter, ModelPhase
from core.models.ranking.cross_encoder import OnnxCrossEncoder
from core.models.tagging.entity_tagger import OnnxEntityTagger
from core.models.tasks import Output, Request, Task, TextTask
from core.platform.errors import BudgetError, CancelledError
from core.rulebook.classifiers import GraphQuestions, Intents, Introductions, PersonalQuestions, Replies, SelfStatements
from core.runs.events import Event, ModelCalled, ModelProgress
from core.runs.model import Usage


@dataclass
class FakeMeter:
    """A budget of seconds, and of calls where max_calls is given."""

    seconds: float = 60.0
    max_calls: int = 1_000
    stopped: Callable[[], bool] = lambda: False
    emit: Callable[[Event], None] = lambda event: None
    max_tools: int = 1_000
    calls: list[str] = field(default_factory=list)
    tools: list[tuple[str, str]] = field(default_factory=list)
    degradations: list[tuple[str, str]] = field(default_factory=list)
    certainties: dict[str, float | None] = field(default_factory=dict)

    def remaining_seconds(self) -> float:
        return self.seconds

    def before_call(self, task: str, seconds: float = 0.0) -> None:
        if self.stopped():
            raise CancelledError("error.cancelled")
        if len(self.calls) >= self.max_calls or self.seconds <= 0:
            raise BudgetError("llm.budget_calls")
        self.calls.append(task)

    def progress(self, phase: ModelPhase, percent: int) -> None:
        self.emit(ModelProgress(phase, percent))

    def after_call(
        self, task: str, prompt: str, response: str, seconds: float, usage: Usage, certainty: float | None = None
    ) -> None:
        self.certainties[task] = certainty
        self.emit(ModelCalled(task, prompt, response, seconds, usage, certainty))

    def certainty(self, task: str) -> float | None:
        return self.certainties.get(task)

    def check_tokens(self, streamed: int) -> None:
        """Without a budget of tokens."""

    def before_tool(self, tool: str, arguments: str) -> None:
        if self.stopped():
            raise CancelledError("error.cancelled")
        if len(self.tools) >= self.max_tools:
            raise BudgetError("llm.budget_tool_calls")
        self.tools.append((tool, arguments))

    def degraded(self, task: str, reason: str, params: tuple[tuple[str, str], ...] = ()) -> None:
        self.degradations.append((task, reason))

    def asked(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(self.calls))

    def failure(self) -> str:
        return self.degradations[0][1] if self.degradations else ""

    def cancelled(self) -> bool:
        return self.stopped()


class RuleLlm:
    """The built-in engine: every task by its rule."""

    def __init__(self, engine: str = "built-in") -> None:
        self.engine = engine

    def run(self, task: Task[Request, Output], request: Request, meter: Meter) -> Output:
        return task.rule(request)

    def stream(self, task: TextTask[Request], request: Request, meter: Meter) -> Iterator[str]:
        yield from task.rule(request)

    def agent(self) -> None:
        return None

    def pause(self) -> None:
        return None

    def resume(self) -> None:
        return None


class Said:
    """A streamed text in its pieces; an exception among them is raised there."""

    def __init__(self, *pieces: str | Exception, certainty: float | None = None) -> None:
        self.pieces = pieces
        self.certainty = certainty


Given = BaseModel | Said | Exception


class FakeLlm:
    """A model that gives what it is told to: one item a call of a task, the last one again and again."""

    engine = "fake-model"

    def __init__(self, **given: Given | list[Given]) -> None:
        self.given = {name: items if isinstance(items, list) else [items] for name, items in given.items()}
        self.requests: list[tuple[str, object]] = []

    def run(self, task: Task[Request, Output], request: Request, meter: Meter) -> Output:
        item = self._next(task.name, request, meter)
        if not isinstance(item, task.output):
            raise AssertionError(f"{task.name} wants {task.output.__name__}, the test gave {item!r}")
        return item

    def stream(self, task: TextTask[Request], request: Request, meter: Meter) -> Iterator[str]:
        item = self._next(task.name, request, meter)
        if not isinstance(item, Said):
            raise AssertionError(f"{task.name} wants a text, the test gave {item!r}")
        for piece in item.pieces:
            if isinstance(piece, Exception):
                raise piece
            yield piece

    def agent(self) -> None:
        return None

    def pause(self) -> None:
        return None

    def resume(self) -> None:
        return None

    def _next(self, name: str, request: object, meter: Meter) -> Given:
        self.requests.append((name, request))
        meter.before_call(name)
        if name not in self.given:
            raise AssertionError(f"the model was asked for {name}, which the test did not expect")
        items = self.given[name]
        item = items.pop(0) if len(items) > 1 else items[0]
        certainty = item.certainty if isinstance(item, Said) else None
        meter.after_call(name, "prompt", "response", 0.1, Usage(1, 100, 10), certainty)
        if isinstance(item, Exception):
            raise item
        return item


@cache
def sentence_encoder() -> UniversalSentenceEncoder:
    """Loaded once a test process."""
    return UniversalSentenceEncoder()


@cache
def intents() -> Intents:
    """Of the sentence encoder, which is real: its two seconds are spent once a test process."""
    return Intents(sentence_encoder())


@cache
def replies() -> Replies:
    return Replies(sentence_encoder())


@cache
def of_self() -> SelfStatements:
    return SelfStatements(sentence_encoder())


@cache
def personal_questions() -> PersonalQuestions:
    return PersonalQuestions(sentence_encoder())


def meanings() -> StatementMeanings:
    """Those of the app, loaded when the first statement is compared."""
    return StatementMeanings(
        of_self=lambda said: of_self().margin(said),
        request=lambda message: of_self().request(message),
        reply=lambda message: replies().of(message),
        asks_of_self=lambda question: personal_questions().margin(question),
        introduced=Introductions(OnnxEntityTagger()).facts,
    )


@cache
def cross_encoder() -> OnnxCrossEncoder:
    return OnnxCrossEncoder()


@cache
def graph_questions() -> GraphQuestions:
    return GraphQuestions(sentence_encoder())
