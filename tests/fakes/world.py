"""Everything that nodes need, in memory."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from typing import Any

from core.agents.state import Deps, State
from core.runs.events import Event
from tests.fakes.graph import TextGraph
from tests.fakes.library import FakeLibrary
from tests.fakes.memories import FakeMemories
from tests.fakes.models import FakeLlm, FakeMeter, RuleLlm, graph_questions, intents, meanings
from tests.fakes.retriever import FakeRetriever
from tests.fakes.samples import BASE, NOW


@dataclass
class World:
    """Everything a run needs, and what it emitted."""

    library: FakeLibrary = field(default_factory=FakeLibrary)
    memories: FakeMemories = field(default_factory=FakeMemories)
    meter: FakeMeter = field(default_factory=FakeMeter)
    llm: RuleLlm | FakeLlm = field(default_factory=RuleLlm)
    events: list[Event] = field(default_factory=list)
    small_model: bool = False

    def __post_init__(self) -> None:
        self.retriever = FakeRetriever(self.library)
        self.graph = TextGraph(self.library)

    def deps(self, emit: Callable[[Event], None] | None = None) -> Deps:
        out = emit or self.events.append
        self.meter.emit = out
        return Deps(
            llm=self.llm,
            retriever=self.retriever,
            bases=self.library.bases,
            documents=self.library.documents,
            passages=self.library.passages,
            graph=self.graph,
            memories=self.memories,
            meter=self.meter,
            intents=intents(),
            graph_questions=graph_questions(),
            meanings=meanings(),
            emit=out,
            now=lambda: NOW,
            small_model=self.small_model,
        )

    def of(self, kind: type) -> list[Event]:
        return [event for event in self.events if isinstance(event, kind)]


def state_of(question: str, **given: object) -> State:
    """Fields of the state or of its parts."""
    made = State(question=question, base_id=BASE, thread_id="t1", run_id="r1")
    own = {name: given.pop(name) for name in list(given) if hasattr(made, name)}
    made = replace(made, **own)  # type: ignore[arg-type]  # fields of State
    for name in ("search", "draft", "agent", "task"):
        part: Any = getattr(made, name)
        of_part = {field: given.pop(field) for field in list(given) if hasattr(part, field)}
        made = replace(made, **{name: replace(part, **of_part)})
    assert not given
    return made
