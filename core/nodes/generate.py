"""Writes the answer from the kept passages, streaming, with [n] after what each passage says."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING

from core.domain.memories import Memory
from core.domain.passages import Passage
from core.domain.runs import Turn
from core.nodes.deciding import noted, shown_as_written, write
from core.nodes.memories import recalled
from core.nodes.reading import evidence_of
from core.nodes.rules.citing import Numbering, citations_of, renumbered
from core.nodes.rules.questions import Kind, kind_of
from core.nodes.rules.quoting import choose_quotes, quotes_together
from core.nodes.rules.refusing import Refusal, unless_refused
from core.nodes.rules.weighing import Quote
from core.state import Deps, State, Update
from core.tasks import TextTask
from core.texts import text

if TYPE_CHECKING:
    from langgraph.runtime import Runtime

HISTORY_TURNS = 4
MAX_NEIGHBOURS = 8


@dataclass(frozen=True, slots=True)
class AnswerRequest:
    question: str
    language: str
    passages: tuple[Passage, ...]
    """Numbered from 1 in the prompt; the answer refers to them as [n]."""
    memories: tuple[Memory, ...] = ()
    history: tuple[Turn, ...] = ()
    neighbours: tuple[str, ...] = ()
    """For a question about what lies around one thing: its neighbours in the knowledge graph, closest first."""


def _by_quoting(request: AnswerRequest) -> Iterator[str]:
    """A word of introduction and the best sentences as they stand, each with its number."""
    if together := quotes_together(request.neighbours, request.passages):
        yield text("answer.frame.neighbours", request.language) + "\n"
        for name, quote in together:
            yield f"\n- {name}: {_quoted(quote)}"
        return
    quotes = choose_quotes(request.question, request.passages)
    if not quotes:
        return
    frame = text(f"answer.frame.{_frame(request)}", request.language)
    if len(quotes) == 1:
        yield f"{frame} "
        yield _quoted(quotes[0])
        return
    yield frame + "\n"
    for quote in quotes:
        yield f"\n- {_quoted(quote)}"


def _unwritten(_: AnswerRequest) -> Iterator[str]:
    """What the words of the passages do not answer, only a model can."""
    return iter(())


ANSWER = TextTask("generate", _by_quoting)


def generate(state: State, runtime: Runtime[Deps]) -> Update:
    deps = runtime.context
    passages = evidence_of(state, deps)
    request = AnswerRequest(
        question=state.resolved_question or state.question,
        language=state.language,
        passages=passages,
        memories=recalled(state, deps),
        history=state.history[-HISTORY_TURNS:],
        neighbours=_neighbours(state, deps),
    )
    task = replace(ANSWER, rule=_unwritten) if state.in_doubt and not state.web else ANSWER
    numbering, refusal = Numbering(len(passages)), Refusal()
    pieces = unless_refused(write(deps, task, request), refusal)
    written = shown_as_written(deps, ANSWER.name, renumbered(pieces, numbering))
    if refusal.made:
        return _refused(refusal.reason)
    shown = tuple(passages[position] for position in numbering.order)
    citations = citations_of(written.text, shown)
    outcome = "interrupted" if written.fault else "written"
    return {
        "answer": written.text,
        "citations": citations,
        "interrupted": bool(written.fault),
        "verdict_reason": written.fault,
        "note": noted(outcome, written.fault or "run.reason.written", citations=len(citations)),
    }


def _refused(reason: str) -> Update:
    why = reason.strip() or "run.reason.evidence_short"
    return {
        "answer": "",
        "citations": (),
        "interrupted": False,
        "verdict_reason": why,
        "note": noted("refused", why),
    }


def _neighbours(state: State, deps: Deps) -> tuple[str, ...]:
    question = state.resolved_question or state.question
    if kind_of(question) is not Kind.RELATION:
        return ()
    named = deps.graph.named_in(state.base_id, question, 2)
    if len(named) != 1:
        return ()
    return tuple(found.entity.name for found in deps.graph.neighbours(named[0].id, 1, MAX_NEIGHBOURS))


def _quoted(quote: Quote) -> str:
    return f"“{quote.text}” [{quote.passage + 1}]"


def _frame(request: AnswerRequest) -> str:
    if any(passage.url for passage in request.passages):
        return "web"
    kind = kind_of(request.question)
    framed = {Kind.OVERVIEW, Kind.DEFINITION, Kind.COMPARISON, Kind.LIST}
    return kind.value if kind in framed else "fact"
