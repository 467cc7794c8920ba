"""Writes the graph agent's answer from its tools' results, streaming, and cites the pages that support it."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from core.agents.nodes.answer.not_found import not_found_outcome, unready
from core.agents.nodes.check.compliance_rules import MAX_UNSUPPORTED
from core.agents.nodes.runtime import WrittenText, shown_as_written, stream_text
from core.agents.state import Deps, Draft
from core.agents.tools.results.graph_answers import as_sentence, from_tools, knows
from core.agents.tools.results.graph_evidence import with_citations
from core.documents.model import Chunk
from core.models.agent_ports import ToolUse
from core.models.tasks import TextTask
from core.platform.texts import text
from core.rulebook.verification import claims, unsupported_sentences
from core.runs.model import AnswerOutcome, Turn
from core.search.model import Citation, Passage


@dataclass(frozen=True, slots=True)
class GraphAnswerRequest:
    question: str
    language: str
    names: tuple[str, ...] = ()
    """Entities of the graph in the question, longest first."""
    history: tuple[Turn, ...] = ()
    used: tuple[ToolUse, ...] = ()
    """Tools called, with results."""
    connections: tuple[str, ...] = ()
    """Sentences about the connections of the question's entities, or about the groups of an overview."""


def _by_sentences(request: GraphAnswerRequest) -> Iterator[str]:
    return from_tools(request.question, request.language, request.names, request.used, request.connections)


GRAPH_ANSWER = TextTask("graph_answer", _by_sentences, max_tokens=3_000)


def graph_answer(deps: Deps, base_id: str, request: GraphAnswerRequest, written: WrittenText) -> Draft:
    """The final answer with citations, unsupported sentences and warnings."""
    known = any(map(knows, request.used))
    answer, citations = _cited(deps, base_id, request, written.text) if known else (written.text, ())
    lacking = _unsupported(deps, answer, citations, request) if known else ()
    doubtful = len(lacking) > MAX_UNSUPPORTED * len(claims(answer))
    outcome = AnswerOutcome.ANSWERED if known else not_found_outcome(deps, base_id)
    if outcome is AnswerOutcome.UNREADY:
        answer = unready(deps, base_id, request.language)
    elif outcome is AnswerOutcome.UNJUDGED:
        answer = f"{answer}\n\n{text('answer.graph.unjudged', request.language)}"
    if written.fault or doubtful:
        warning = text("answer.interrupted" if written.fault else "answer.unconfirmed", request.language)
        answer, outcome = f"{answer}\n\n{warning}", AnswerOutcome.UNCONFIRMED
    return Draft(answer, citations, lacking, interrupted=bool(written.fault), outcome=outcome)


def written_by_model(deps: Deps, request: GraphAnswerRequest) -> WrittenText:
    """The model's answer, or the rule's if the model fails."""
    return shown_as_written(deps, GRAPH_ANSWER.name, stream_text(deps, GRAPH_ANSWER, request))


def written_by_rule(deps: Deps, request: GraphAnswerRequest) -> WrittenText:
    return shown_as_written(deps, GRAPH_ANSWER.name, _by_sentences(request))


def _cited(deps: Deps, base_id: str, request: GraphAnswerRequest, answer: str) -> tuple[str, tuple[Citation, ...]]:
    topic = deps.graph.named_in(base_id, request.question, len(request.names)) if request.names else []
    return with_citations(deps, base_id, answer, topic)


def _unsupported(
    deps: Deps, answer: str, citations: Sequence[Citation], request: GraphAnswerRequest
) -> tuple[str, ...]:
    """Sentences that neither results of tools, connections nor cited pages support."""
    results = [(use.call_id, as_sentence(use.result), use.tool) for use in request.used if knows(use)]
    results += [(f"connection {at}", words, "") for at, words in enumerate(request.connections)]
    results.append(("in words", "".join(_by_sentences(request)), ""))
    said = [Passage(Chunk(id, "", at, words, (), ()), tool, 1.0) for at, (id, words, tool) in enumerate(results)]
    pages = deps.passages.get([citation.chunk_id for citation in citations])
    return tuple(unsupported_sentences(answer, [*said, *pages]))
