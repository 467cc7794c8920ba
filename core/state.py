"""What a run carries from node to node, and what its nodes may use."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import TypedDict

from core.domain.events import Event
from core.domain.passages import Citation, Hit, Passage, Rejected
from core.domain.runs import Turn
from core.domain.tool_use import ToolUse
from core.ports import KnowledgeGraph, Library, Llm, MemoryStore, Meter, Retriever, WebResult, WebSearch


@dataclass(frozen=True, slots=True)
class Note:
    """What a node decided: the outcome is also the arrow that the workflow takes."""

    outcome: str = ""
    reason: str = ""
    """Catalogue key whose placeholders the details fill, or a sentence of the model."""
    details: tuple[tuple[str, str], ...] = ()
    """Named values for the trace; names are keys under run.detail."""


@dataclass(frozen=True, slots=True)
class State:
    """Ids and decisions, no texts of documents. Every turn starts with a whole State."""

    question: str
    base_id: str
    thread_id: str
    run_id: str
    history: tuple[Turn, ...] = ()
    use_memory: bool = True
    use_web: bool = False
    language: str = "en"
    """en, zh-hans, zh-hant, or another ISO 639-1 code."""
    resolved_question: str = ""
    """The question with its follow-up references resolved; equal to the question when it stands alone."""
    memory_ids: tuple[str, ...] = ()
    documents: tuple[str, ...] = ()
    """Ids of the documents that the question names; empty when it names none."""
    route: str = ""
    tried_routes: tuple[str, ...] = ()
    query: str = ""
    """What is searched; the planner may have written it already."""
    tried_queries: tuple[str, ...] = ()
    hits: tuple[Hit, ...] = ()
    kept: tuple[Hit, ...] = ()
    rejected: tuple[Rejected, ...] = ()
    in_doubt: bool = False
    """By their words the kept passages do not answer: a model's answer decides."""
    web: tuple[WebResult, ...] = ()
    """What a web search found; an answer rests on it or on the documents, never on both."""
    web_fault: str = ""
    """Why the web, which was wanted, brought nothing: catalogue key."""
    retrievals: int = 0
    corrections: int = 0
    answer: str = ""
    citations: tuple[Citation, ...] = ()
    unsupported: tuple[str, ...] = ()
    interrupted: bool = False
    """The model broke off in the middle of the answer."""
    verdict_reason: str = ""
    """Why the last answer was rejected: what a correction has to mend."""
    violations: tuple[str, ...] = ()
    """What the compliance check found in the answer."""
    fixes: int = 0
    """How often the answer was mended for it: a counter apart from corrections."""
    task_type: str = ""
    """Of the planner: what kind of question this is."""
    intent: str = ""
    """Of the planner: what the user wants, in a few words."""
    tools: tuple[str, ...] = ()
    """Names of the tools that the planner wants called."""
    forms: tuple[str, ...] = ()
    """Ids of the documents that are offered for download."""
    calls: tuple[ToolUse, ...] = ()
    """Of an agent, with results, in order; of this question only."""
    wanted: tuple[ToolUse, ...] = ()
    """What the agent asks for next."""
    tool_rounds: int = 0
    """How often it was given what it asked for."""
    forced: bool = False
    """No further tool may be called: the answer is due."""
    outcome: str = ""
    """An AnswerOutcome, set by the node that settles the answer."""
    note: Note = Note()
    """Of the node that ran last."""


class Update(TypedDict, total=False):
    """What a node may change: mirrored from State (a test compares them), so that a typing error is caught."""

    language: str
    resolved_question: str
    memory_ids: tuple[str, ...]
    documents: tuple[str, ...]
    route: str
    tried_routes: tuple[str, ...]
    query: str
    tried_queries: tuple[str, ...]
    hits: tuple[Hit, ...]
    kept: tuple[Hit, ...]
    rejected: tuple[Rejected, ...]
    in_doubt: bool
    web: tuple[WebResult, ...]
    web_fault: str
    retrievals: int
    corrections: int
    answer: str
    citations: tuple[Citation, ...]
    unsupported: tuple[str, ...]
    interrupted: bool
    verdict_reason: str
    violations: tuple[str, ...]
    fixes: int
    task_type: str
    intent: str
    tools: tuple[str, ...]
    forms: tuple[str, ...]
    calls: tuple[ToolUse, ...]
    wanted: tuple[ToolUse, ...]
    tool_rounds: int
    forced: bool
    outcome: str
    note: Note


def utc_now() -> datetime:
    return datetime.now(UTC)


@dataclass(frozen=True, slots=True)
class Deps:
    """The run's context: LangGraph hands it to every node as runtime.context."""

    llm: Llm
    retriever: Retriever
    library: Library
    graph: KnowledgeGraph
    memories: MemoryStore
    meter: Meter
    emit: Callable[[Event], None]
    web: WebSearch | None = None
    max_corrections: int = field(default=2)
    max_tool_rounds: int = field(default=5)
    sensitive_terms: tuple[str, ...] | None = None
    """What the compliance check looks for; None is the list that comes with the app."""
    now: Callable[[], datetime] = field(default=utc_now)
    read: dict[str, Passage] = field(default_factory=dict)
    """Passages that this run has read, by chunk id: its nodes see one version of each."""
