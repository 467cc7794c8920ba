"""The state that a run carries from node to node, and the dependencies of its nodes."""

from collections.abc import Callable
from dataclasses import dataclass, field
from enum import StrEnum
from typing import TYPE_CHECKING, Any, TypeAlias, TypedDict

from core.documents.model import DocumentFilter, DocumentStatus
from core.documents.ports.bases import Bases
from core.documents.ports.documents import Documents
from core.graph.ports import KnowledgeGraph
from core.graph.questions import GraphAsked
from core.memory.contradictions import StatementMeanings
from core.memory.model import PreferredForm
from core.memory.ports import MemoryStore
from core.memory.units import Units
from core.models.agent_ports import ToolUse
from core.models.meter import Meter
from core.models.ports import CrossEncoder, Embedder, GraphQuestionReader, IntentReader, Llm
from core.platform.clock import Clock, utc_now
from core.runs.events import AnswerReady, AnswerReset, Event
from core.runs.model import AnswerOutcome, Length, QuestionPart, RunOptions, Turn
from core.search.model import Citation, Hit, Passage, Rejected, ShownPassage
from core.search.ports import Passages, Retriever, WebResult, WebSearch

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

NodeRuntime: TypeAlias = "Runtime[Deps]"
"""What LangGraph, which takes a second to load, hands to a node beside the state."""


@dataclass(frozen=True, slots=True)
class Note:
    """Decision of a node; the outcome selects the next edge of the workflow."""

    outcome: str = ""
    reason: str = ""
    """Catalogue key whose placeholders the details fill, or a sentence of the model."""
    details: tuple[tuple[str, str], ...] = ()
    """Named values for the trace; names are keys under run.detail."""


class Route(StrEnum):
    """How a question is answered."""

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
    """State of the search: queries, routes, hits and evidence."""

    route: Route | None = None
    tried_routes: tuple[Route, ...] = ()
    documents: tuple[str, ...] = ()
    """Ids of the documents that the question names; empty when it names none."""
    query: str = ""
    """The current search query; the planner may have written it."""
    tried_queries: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()
    kept: tuple[Hit, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    asked: GraphAsked = field(default_factory=GraphAsked)
    """What the knowledge graph alone can answer."""
    in_doubt: bool = False
    """Only the model's answer shows whether the kept passages suffice; the rules are unsure or were not applied."""
    likelihood: float | None = None
    """0..1: likelihood of an answer in the passages of the first search; None before they are assessed."""
    web: tuple[WebResult, ...] = ()
    """Results of a web search; an answer is based on them or on the documents, never on both."""
    web_fault: str = ""
    """Catalogue key of the reason why a wanted web search has no results."""
    retrievals: int = 0
    corrections: int = 0


@dataclass(frozen=True, slots=True)
class Draft:
    """The answer so far, and the results of its checks."""

    answer: str = ""
    citations: tuple[Citation, ...] = ()
    unsupported: tuple[str, ...] = ()
    parts: tuple[QuestionPart, ...] = ()
    """The parts of a two-part question, if the answer treats them one by one."""
    choices: tuple[str, ...] = ()
    """Readings of the question, of which the user has to choose one."""
    passages: tuple[ShownPassage, ...] = ()
    """The closest passages where no answer is sure, best first; the answer introduces them."""
    quoted: bool = False
    """The rules wrote it by quoting passages; it is an answer only if that is likely enough."""
    outline: bool = False
    """It tells what documents are about by their own titles and headings, word for word: there is nothing to check."""
    interrupted: bool = False
    """The model broke off in the middle of the answer."""
    verdict_reason: str = ""
    """Why the last answer or all passages were rejected; a correction has to address it."""
    violations: tuple[str, ...] = ()
    """Violations found by the compliance check."""
    fixes: int = 0
    """Number of rewrites because of violations, counted apart from corrections."""
    outcome: AnswerOutcome | None = None
    """Set by the node that completes the answer."""

    def published(self) -> AnswerReady:
        """The answer to show; the runner emits it at the end of the node that returns it."""
        return AnswerReady(
            self.answer, self.citations, self.unsupported, self.interrupted, self.parts, self.choices, self.passages
        )

    def shown_with(self, note: Note) -> "Update":
        return {"draft": self, "shown": self.published(), "note": note}


@dataclass(frozen=True, slots=True)
class AgentTurn:
    """An agent's calls of tools for this question."""

    calls: tuple[ToolUse, ...] = ()
    """With results, in order."""
    wanted: tuple[ToolUse, ...] = ()
    """Calls that the agent requests next."""
    rounds: int = 0
    """Number of rounds of executed calls."""
    forced: bool = False
    """No further tool may be called; the agent has to answer."""
    by_rule: bool = False
    """The built-in rule took over from a model that failed."""


@dataclass(frozen=True, slots=True)
class PlannedTask:
    """The planner's classification of the question."""

    type: str = ""
    """A TaskType."""
    intent: str = ""
    """What the user wants, in a few words."""
    tools: tuple[str, ...] = ()
    """Names of the tools to call."""
    forms: tuple[str, ...] = ()
    """Ids of documents offered for download."""


@dataclass(frozen=True, slots=True)
class Noted:
    """The part of a State that most edges need, so that LangGraph reads no more of it."""

    note: Note = field(default=Note(), kw_only=True)
    """Note of the node that ran last."""


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
    """Language of the pages, for questions whose own words do not show their language or script."""
    options: RunOptions = field(default_factory=RunOptions)
    language: str = "en"
    """en, zh-hans, zh-hant, or another ISO 639-1 code."""
    resolved_question: str = ""
    """The question with its references resolved; empty before that."""
    memory_ids: tuple[str, ...] = ()
    search: SearchState = SearchState()
    draft: Draft = Draft()
    shown: AnswerReady | AnswerReset | None = None
    """What the reader was shown last."""
    agent: AgentTurn = AgentTurn()
    task: PlannedTask = PlannedTask()

    @property
    def standalone_question(self) -> str:
        return self.resolved_question or self.question


class Update(TypedDict, total=False):
    """Fields that a node may change, mirrored from State for type checks; a test compares them."""

    language: str
    resolved_question: str
    memory_ids: tuple[str, ...]
    search: SearchState
    draft: Draft
    shown: AnswerReady | AnswerReset | None
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
    """The engine without a model, if a model answers; its answer is shown while the model works."""
    without_model: list[Draft] = field(default_factory=list)
    """The answer shown in this way, if any."""
    small_model: bool = False
    """The model has few billion parameters: it is slow and writes an answer once."""
    max_corrections: int = field(default=2)
    max_tool_rounds: int = field(default=5)
    preferred: tuple[PreferredForm, ...] = ()
    """Preferences in memories about the answer: at most one length, language and system of units."""
    length: Length | None = None
    """Length requested by the question or a memory."""
    units: Units | None = None
    """Units in which measures are also given."""
    shaped: set[tuple[Length | Units, str]] = field(default_factory=set)
    """Preferences that changed a text of the rules, each with that text, which need not become the answer."""
    sensitive_terms: tuple[str, ...] | None = None
    """Terms of the compliance check; None for the built-in list."""
    now: Clock = field(default=utc_now)
    meanings: StatementMeanings = field(default=StatementMeanings())
    read: dict[str, Passage] = field(default_factory=dict)
    """Passages read by this run, by chunk id, so that its nodes see one version of each."""
    graph_questions: GraphQuestionReader | None = None
    """None if every question is searched for in the documents."""
    encoder: Embedder | None = None
    """Local sentence encoder; None if meanings cannot be compared."""
    cross_encoder: CrossEncoder | None = None
    """None if the vectors of sentences are all that is compared."""
    answered: dict[tuple[Callable[..., Any], tuple[Any, ...]], Any] = field(default_factory=dict)
    """Answers of stores in this run, see nodes/runtime.asked_once."""
    readings: dict[Any, Any] = field(default_factory=dict)
    """Passages split into sentences and tokenised once a run, see rulebook/assessing/quotable_spans.Readings."""
    views: dict[tuple[str, tuple[Passage, ...]], Any] = field(default_factory=dict)
    """Assessments of passages, computed once a run, see nodes/evidence.view_of."""

    def may_correct(self, state: State) -> bool:
        """Whether a correction, time for it and something to search are left."""
        left = state.search.corrections < self.max_corrections and self.meter.remaining_seconds() > 0
        return left and self.can_search(state)

    def can_search(self, state: State) -> bool:
        """Whether any document can be searched; otherwise no other query finds anything."""
        ready = DocumentFilter((DocumentStatus.READY,))
        bases = (state.base_id, *state.options.bases)
        return any(self.documents.counts(base_id, ready).get(DocumentStatus.READY) for base_id in bases)
