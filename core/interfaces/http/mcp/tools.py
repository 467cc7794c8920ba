"""The tools: those of the graph agent from its registry, and others for documents, questions and memories."""

from dataclasses import replace
from functools import partial
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from core.agents.state import State
from core.agents.tools.registry import tools_of
from core.agents.tools.tool import AnyTool, Toolset, as_json
from core.app.services import Services
from core.documents.model import page_number
from core.interfaces.http.asking import AnsweredQuestion, QuestionIn, answered, base_named, request_of
from core.interfaces.http.mcp.arguments import AnyProgramTool, Arguments, InBase, ProgramTool, ToolResult
from core.interfaces.http.mcp.library_tools import LIBRARY_TOOLS
from core.interfaces.http.mcp.pages import link_to
from core.interfaces.http.openai.answer_text import footnotes
from core.interfaces.http.v1.documents import read_page
from core.interfaces.http.v1.retrieval import FoundOut, PassageOut, passages
from core.memory.keeping import keep, new_memory
from core.memory.model import MemoryKind, MemoryStatus
from core.memory.relevance import relevant
from core.people.api_keys import ApiKey, KeyScope
from core.runs.history.view import fold
from core.runs.model import MAX_QUESTION, RunRequest

MOST_MEMORIES = 20


class SearchDocuments(InBase):
    query: str = Field(min_length=1, max_length=MAX_QUESTION, description="what to look for, in any language")
    limit: int = Field(default=8, ge=1, le=50)


class Ask(InBase):
    question: str = Field(min_length=1, max_length=MAX_QUESTION)
    workflow: str = Field(default="adaptive", max_length=100)
    thread_id: str = Field(default="", max_length=200, description="the conversation to go on with; empty starts one")


class ReadPage(Arguments):
    document_id: str = Field(max_length=200, description="as search_documents gives it")
    page: int = Field(ge=1, description="from 1")


class Remember(Arguments):
    text: str = Field(min_length=1, max_length=600, description="one statement")
    kind: MemoryKind = MemoryKind.FACT
    importance: int = Field(default=5, ge=1, le=10)


class Recall(Arguments):
    query: str = Field(default="", max_length=500, description="what it is about; empty for the newest")
    limit: int = Field(default=10, ge=1, le=MOST_MEMORIES)


class RememberedOut(BaseModel):
    id: str


class RecalledOut(BaseModel):
    id: str
    text: str
    kind: MemoryKind


class RecallOut(BaseModel):
    memories: list[RecalledOut]


def program_tools() -> tuple[AnyProgramTool, ...]:
    """All tools; a plug-in's tool is left out if a tool for programs has its name."""
    own = {tool.name for tool in _OWN}
    graph = (tool for tool in tools_of(Toolset.GRAPH, Toolset.PROGRAMS) if tool.name not in own)
    return (*_OWN, *map(_of_registry, graph))


def _search_documents(services: Services, _: ApiKey, given: SearchDocuments) -> ToolResult:
    found = passages(services, base_named(services, given.base).id, given.query, given.limit)
    links = dict.fromkeys(link_to(it.document_id, it.document, it.page) for it in found)
    lines = [
        f"[{n}] {it.document}{page_words(it)} (document_id {it.document_id}):\n{it.text}"
        for n, it in enumerate(found, 1)
    ]
    structured = FoundOut(query=given.query, passages=found)
    return ToolResult("\n\n".join(lines) or "Nothing was found.", structured, tuple(links))


def page_words(passage: PassageOut) -> str:
    """The page number as readers see it; empty without page numbers."""
    number = page_number(passage.document, passage.page - 1)
    return f", page {number}" if number else ""


def _ask(services: Services, key: ApiKey, given: Ask) -> ToolResult:
    asked = QuestionIn(question=given.question, base=given.base, workflow=given.workflow, thread_id=given.thread_id)
    run_id = services.worker.start(request_of(services, key, asked))
    events = [event for _, event in services.worker.follow(run_id)]
    run = services.runs.get(run_id)
    text = (run.answer or run.error) + footnotes(run.citations, stands_in=fold(events).stands_in)
    cited = [it for it in run.citations if it.document_id]
    links = dict.fromkeys(link_to(it.document_id, it.document_name, it.page + 1) for it in cited)
    return ToolResult(text, answered(run, events), tuple(links))


def _read_page(services: Services, _: ApiKey, given: ReadPage) -> ToolResult:
    return ToolResult(read_page(services, given.document_id, given.page).text)


def _remember(services: Services, _: ApiKey, given: Remember) -> ToolResult:
    memory = new_memory(given.text, given.kind, given.importance)
    standing, met = keep(services.memories, memory, services.models.meanings)
    words = "Known already as" if met.twin else "Remembered as"
    return ToolResult(f"{words} {standing.id}.", RememberedOut(id=standing.id))


def _recall(services: Services, _: ApiKey, given: Recall) -> ToolResult:
    store = services.memories
    known = relevant(store.search(given.query)) if given.query.strip() else store.find()
    found = [memory for memory in known if memory.status is MemoryStatus.ACTIVE][: given.limit]
    rows = [RecalledOut(id=memory.id, text=memory.text, kind=memory.kind) for memory in found]
    words = "\n".join(f"- {memory.text}" for memory in found)
    return ToolResult(words or "Nothing is remembered.", RecallOut(memories=rows))


def _of_registry(tool: AnyTool) -> AnyProgramTool:
    """A tool of agents, with the knowledge base as another argument."""
    strict = {"model_config": ConfigDict(extra="forbid"), "__module__": __name__}
    arguments = type(f"{tool.arguments.__name__}InBase", (tool.arguments, InBase), strict)
    return ProgramTool(tool.name, tool.description, arguments, partial(_run, tool))


def _run(tool: AnyTool, services: Services, _: ApiKey, given: Any) -> ToolResult:
    base = base_named(services, given.base)
    state = State(question="", base_id=base.id, thread_id="", run_id="")
    deps = services.answering.deps_outside_runs(RunRequest("", base.id, use_memory=False))
    return ToolResult(tool.run(as_json(given), state, replace(deps, web=None)).text)


_OWN: tuple[AnyProgramTool, ...] = (
    ProgramTool(
        "search_documents",
        "Passages of the documents that fit a query, with document, page and text; best first.",
        SearchDocuments,
        _search_documents,
        output=FoundOut,
    ),
    ProgramTool(
        "ask",
        "An answer from the documents with its sources, made by a workflow that searches, grades and checks.",
        Ask,
        _ask,
        output=AnsweredQuestion,
        asks=True,
    ),
    ProgramTool("read_page", "The text of one page of a document.", ReadPage, _read_page),
    ProgramTool(
        "remember", "Keeps a statement for later conversations.", Remember, _remember, KeyScope.WRITE, RememberedOut
    ),
    ProgramTool("recall", "What was kept for later conversations.", Recall, _recall, KeyScope.READ, RecallOut),
    *LIBRARY_TOOLS,
)
