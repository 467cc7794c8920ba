"""What a run carries from node to node, and what its nodes may use."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any, TypedDict

from core.documents.model import DocumentFilter, DocumentStatus
from core.documents.ports.bases import Bases
from core.documents.ports.documents import Documents
from core.graph.ports import KnowledgeGraph
from core.graph.questions import GraphAsked
from core.memory.contradictions import FormOf, no_form
from core.memory.model import PreferredForm
from core.memory.ports import MemoryStore
from core.memory.units import Units
from core.models.agent_ports import ToolUse
from core.models.meter import Meter
from core.models.ports import Embedder, GraphQuestionReader, IntentReader, Llm
from core.platform.clock import Clock, utc_now
from core.runs.events import Event
from core.runs.model import AnswerOutcome, Length, QuestionPart, RunOptions, Turn
from core.search.model import Citation, Hit, Passage, Rejected, ShownPassage
from core.search.ports import Passages, Retriever, WebResult, WebSearch


@dataclass(frozen=True, slots=True)
class Note:
    """What a node decided: the outcome is also the arrow that the workflow takes."""

    outcome: str = ""
    reason: str = ""
    """Catalogue key whose placeholders the details fill, or a sentence of the model."""
    details: tuple[tuple[str, str], ...] = ()
    """Named values for the trace; names are keys under run.detail."""


class Route(StrEnum):
    """How a question is answered; the ways through the documents are searches."""

    DIRECT = "direct"
    OUT_OF_SCOPE = "out_of_scope"
    CHUNKS = "chunks"
    HIERARCHICAL = "hierarchical"
    GRAPH = "graph"
    WEB = "web"
    FORM = "form"


SEARCHES = (Route.HIERARCHICAL, Route.CHUNKS, Route.GRAPH)
"""The routes that search the documents, in the order in which a correction tries those not yet tried."""


@dataclass(frozen=True, slots=True)
class SearchState:
    """What was looked for, where, and what of it counts as evidence."""

    route: Route | None = None
    tried_routes: tuple[Route, ...] = ()
    documents: tuple[str, ...] = ()
    """Ids of the documents that the question names; empty when it names none."""
    query: str = ""
    """What is searched; the planner may have written it already."""
    tried_queries: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()
    kept: tuple[Hit, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    asked: GraphAsked = field(default_factory=GraphAsked)
    """What the knowledge graph can tell by itself."""
    in_doubt: bool = False
    """A model's answer decides whether the kept passages answer; by their words they do not, or were not weighed."""
    likelihood: float | None = None
    """That what the first search for passages found answers; None before it is weighed."""
    web: tuple[WebResult, ...] = ()
    """What a web search found; an answer rests on it or on the documents, never on both."""
    web_fault: str = ""
    """Why the web, which was wanted, brought nothing: catalogue key."""
    retrievals: int = 0
    corrections: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """The answer as far as it is written, and what was found wrong with it."""

    answer: str = ""
    citations: tuple[Citation, ...] = ()
    unsupported: tuple[str, ...] = ()
    parts: tuple[QuestionPart, ...] = ()
    """Of a question that is two, where the answer goes by them."""
    choices: tuple[str, ...] = ()
    """The ways to read the question, of which the user is to choose one."""
    passages: tuple[ShownPassage, ...] = ()
    """What is shown where nothing surely answers, the best first; the answer is the sentence above them."""
    quoted: bool = False
    """The rules wrote it: sentences of the passages, which are an answer only where that is likely enough."""
    interrupted: bool = False
    """The model broke off in the middle of the answer."""
    verdict_reason: str = ""
    """Why the last answer, or all that was found, was rejected: what a correction has to mend."""
    violations: tuple[str, ...] = ()
    """What the compliance check found in the answer."""
    fixes: int = 0
    """How often the answer was mended for it: a counter apart from corrections."""
    outcome: AnswerOutcome | None = None
    """Set by the node that settles the answer."""

    def published(self) -> "Published":
        return Published(
            self.answer, self.citations, self.unsupported, self.interrupted, self.parts, self.choices, self.passages
        )


@dataclass(frozen=True, slots=True)
class Published:
    """The answer as the reader is to see it. The runner shows it when the node ends that returned it."""

    text: str
    citations: tuple[Citation, ...] = ()
    unsupported: tuple[str, ...] = ()
    """Sentences that nothing supports."""
    interrupted: bool = False
    """The model broke off: this is as far as it came."""
    parts: tuple[QuestionPart, ...] = ()
    choices: tuple[str, ...] = ()
    passages: tuple[ShownPassage, ...] = ()


@dataclass(frozen=True, slots=True)
class Withdrawn:
    """What the reader has seen of an answer is taken back, for this reason: catalogue key or sentence."""

    reason: str


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """An agent's calls of tools for this question."""

    calls: tuple[ToolUse, ...] = ()
    """With results, in order."""
    wanted: tuple[ToolUse, ...] = ()
    """What the agent asks for next."""
    rounds: int = 0
    """How often it was given what it asked for."""
    forced: bool = False
    """No further tool may be called: the answer is due."""
    by_rule: bool = False
    """The built-in rule took over from a model that failed."""


@dataclass(frozen=True, slots=True)
class PlannedTask:
    """What the planner made of the question."""

    type: str = ""
    """A TaskType."""
    intent: str = ""
    """What the user wants, in a few words."""
    tools: tuple[str, ...] = ()
    """Names of the tools to call."""
    forms: tuple[str, ...] = ()
    """Ids of the documents that are offered for download."""


@dataclass(frozen=True, slots=True)
class Noted:
    """The part of a State that most arrows ask for: LangGraph reads no more for them."""

    note: Note = field(default=Note(), kw_only=True)
    """Of the node that ran last."""


@dataclass(frozen=True, slots=True)
class State(Noted):
    """Ids and decisions, no texts of documents. Every turn starts with a whole State."""

    question: str
    base_id: str
    thread_id: str
    run_id: str
    history: tuple[Turn, ...] = ()
    use_memory: bool = True
    use_web: bool = False
    interface_language: str = ""
    """What the pages are shown in, for questions whose own words do not tell their language or script."""
    options: RunOptions = field(default_factory=RunOptions)
    language: str = "en"
    """en, zh-hans, zh-hant, or another ISO 639-1 code."""
    resolved_question: str = ""
    """The question with its follow-up references resolved; empty as long as nothing was resolved."""
    memory_ids: tuple[str, ...] = ()
    search: SearchState = SearchState()
    draft: Draft = Draft()
    shown: Published | Withdrawn | None = None
    """What the reader was shown last."""
    agent: AgentTurn = AgentTurn()
    task: PlannedTask = PlannedTask()

    @property
    def standalone_question(self) -> str:
        return self.resolved_question or self.question


class Update(TypedDict, total=False):
    """What a node may change: mirrored from State (a test compares them), so that a typing error is caught."""

    language: str
    resolved_question: str
    memory_ids: tuple[str, ...]
    search: SearchState
    draft: Draft
    shown: Published | Withdrawn | None
    agent: AgentTurn
    task: PlannedTask
    note: Note


@dataclass(frozen=True, slots=True)
class Deps:
    """The run's context: LangGraph hands it to every node as runtime.context."""

    llm: Llm
    retriever: Retriever
    bases: Bases
    documents: Documents
    passages: Passages
    graph: KnowledgeGraph
    memories: MemoryStore
    meter: Meter
    intents: IntentReader
    emit: Callable[[Event], None]
    web: WebSearch | None = None
    rules: Llm | None = None
    """The engine without a model, where a model answers: what it knows is shown while the model is waited for."""
    without_model: list[Draft] = field(default_factory=list)
    """What was shown so, if anything was."""
    small_model: bool = False
    """The model has few billion parameters: it is slow, and is asked for an answer once."""
    max_corrections: int = field(default=2)
    max_tool_rounds: int = field(default=5)
    preferred: tuple[PreferredForm, ...] = ()
    """What memories ask of the answer's form: at most one length, one language and one kind of units."""
    length: Length | None = None
    """Wished of the answer, by the question or a memory."""
    units: Units | None = None
    """In which a measure is given, too."""
    shaped: set[Length | Units] = field(default_factory=set)
    """What the rules' answer follows, and would be another without."""
    sensitive_terms: tuple[str, ...] | None = None
    """What the compliance check looks for; None is the list that comes with the app."""
    now: Clock = field(default=utc_now)
    form_of: FormOf = field(default=no_form)
    """What a preference asks of the form of answers."""
    read: dict[str, Passage] = field(default_factory=dict)
    """Passages that this run has read, by chunk id: its nodes see one version of each."""
    graph_questions: GraphQuestionReader | None = None
    """None where every question is searched."""
    encoder: Embedder | None = None
    """Of sentences, on this machine; None where meanings cannot be compared."""
    answered: dict[tuple[Callable[..., Any], tuple[Any, ...]], Any] = field(default_factory=dict)
    """What this run has asked the stores, see nodes/runtime.asked_once."""
    readings: dict[Any, Any] = field(default_factory=dict)
    """Passages cut and tokenised, once a run: see `Readings` in builtin/quoting/quotable_spans.py."""
    views: dict[tuple[str, tuple[Passage, ...]], Any] = field(default_factory=dict)
    """What passages say to a question: worked out once a run, see nodes/evidence.view_of."""

    def may_correct(self, state: State) -> bool:
        """Another try is left, time for it, and something to search."""
        left = state.search.corrections < self.max_corrections and self.meter.remaining_seconds() > 0
        return left and self.can_search(state)

    def can_search(self, state: State) -> bool:
        """Any document is ready; without one no other words find anything."""
        ready = DocumentFilter((DocumentStatus.READY,))
        bases = (state.base_id, *state.options.bases)
        return any(self.documents.counts(base_id, ready).get(DocumentStatus.READY) for base_id in bases)
