"""Searches the knowledge base of the session; matches in titles weigh more than those in the text."""

from dataclasses import replace
from functools import partial
from typing import Annotated

from pydantic import Field, StringConstraints

from core.agents.state import Deps, State
from core.agents.tools.tool import AnyTool, Tool, ToolArguments, ToolOutcome, Toolset, ToolSituation
from core.documents.model import page_number
from core.platform.language.terms import content_terms
from core.rulebook.messages import Question
from core.search.model import Passage

NAME = "knowledge_search"
LIMIT = 15
SIMILAR = 0.3
"""Least similarity of a result to answer from it."""
LEAST = 3
TITLE_WEIGHT, CONTENT_WEIGHT = 0.6, 0.4
SHOWN = 600
"""Longest excerpt of a passage in the result, in characters."""
MAX_QUERY = 1_000


class SearchQuery(ToolArguments):
    query: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1)] = Field(
        description="The words of the question that matter, in its language"
    )

    @property
    def plain(self) -> str:
        """The text on one line, truncated."""
        return " ".join(self.query.split())[:MAX_QUERY]


def search_passages(base_id: str, query: str, deps: Deps) -> ToolOutcome:
    """Text with rank, similarity, title, content and source of each passage that is similar; else of the first few."""
    found = {hit.chunk_id: hit for hit in deps.retriever.chunks(base_id, query, LIMIT)}
    passages = [replace(it, score=found[it.chunk.id].score) for it in deps.passages.get(list(found))]
    if not passages:
        return ToolOutcome(f"Nothing found for '{query}'.", best=0.0)
    ranked = sorted(passages, key=lambda passage: (-_weight(query, passage), passage.chunk.id))
    best = max(passage.score for passage in ranked)
    entries = [(passage.score, _entry(rank, passage)) for rank, passage in enumerate(ranked, 1)]
    near = [entry for score, entry in entries if score >= SIMILAR]
    text = "\n\n".join(near or [entry for _, entry in entries[:LEAST]])
    return ToolOutcome(text, tuple(found[passage.chunk.id] for passage in ranked), best=best)


def next_search(tool: str, situation: ToolSituation) -> SearchQuery | None:
    """Rule: each tool once with the question, or with each part of a two-part one, until a result suffices."""
    parts = Question(situation.question).parts
    searched = sum(use.tool == tool for use in situation.used)
    if searched < len(parts):
        return SearchQuery(query=parts[searched][:MAX_QUERY])
    if situation.enough or searched:
        return None
    return SearchQuery(query=Question(situation.question).plain[:MAX_QUERY] or situation.question)


def _weight(query: str, passage: Passage) -> float:
    wanted = set(content_terms(query))
    title = set(content_terms(" ".join((passage.document_name, *passage.chunk.section))))
    share = len(wanted & title) / len(wanted) if wanted else 0.0
    return TITLE_WEIGHT * share + CONTENT_WEIGHT * passage.score


def _entry(rank: int, passage: Passage) -> str:
    content = " ".join(passage.chunk.text.split())[:SHOWN]
    title = " > ".join(passage.chunk.section) or passage.document_name
    number = page_number(passage.document_name, passage.chunk.page)
    source = f"{passage.document_name}, page {number}" if number else passage.document_name
    return f"Rank {rank} | similarity {passage.score:.2f} | title: {title}\n{content}\nSource: {source}"


def knowledge_search(arguments: SearchQuery, state: State, deps: Deps) -> ToolOutcome:
    return search_passages(state.base_id, arguments.plain, deps)


def _for_session(tool: AnyTool, state: State, deps: Deps) -> tuple[AnyTool, ...]:
    base = deps.bases.get(state.base_id)
    return (replace(tool, description=f"{tool.description} {base.name}"),)


TOOL = Tool(
    name=NAME,
    description="Searches the documents of",
    toolset=Toolset.SEARCH,
    order=10,
    arguments=SearchQuery,
    call=knowledge_search,
    next=partial(next_search, NAME),
    for_session=_for_session,
)
