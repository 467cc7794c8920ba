"""`ask QUESTION`: one answer with its citations and its trace. `retrieve QUESTION`: the passages found for it alone."""

import json
import sys
import time
from argparse import Namespace
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from textwrap import indent
from typing import Any

from core.app.services import Services
from core.graph.model import GraphStats
from core.interfaces.cli.arguments import existing_base
from core.interfaces.cli.console import DEGRADED, note, place, progress, say, say_json
from core.interfaces.lookups import found_passages
from core.platform.texts import text
from core.runs.events import (
    SEARCH_UNFINISHED,
    ConsentAsked,
    Event,
    ModelProgress,
    NodeFinished,
    NodeStarted,
    RulesAnswered,
    RunFailed,
)
from core.runs.execution.consent import Consent
from core.runs.history.model_failure import ModelFailure, failure_of
from core.runs.history.passage_text import bold, marked_text, place_of_passage
from core.runs.history.prices import cost_of, load_prices
from core.runs.history.view import RunView, apply
from core.runs.model import AnswerOutcome, Run, RunRequest, RunStatus, Usage
from core.search.model import Citation, ShownPassage

UNANSWERED = {
    AnswerOutcome.CLOSEST: 6,
    **dict.fromkeys((AnswerOutcome.NOT_FOUND, AnswerOutcome.UNJUDGED, AnswerOutcome.UNREADY), 5),
}
"""Exit statuses of --exit-status by outcome."""
GRAPH_WORKFLOW = "graph_react"
"""Workflow whose result has more fields."""


def run(services: Services, options: Namespace) -> int:
    started = time.monotonic()
    run_id = services.worker.start(_request(services, options))
    trace: list[NodeFinished] = []
    view = RunView()
    for _, event in services.worker.follow(run_id):
        view = apply(view, event)
        if isinstance(event, NodeFinished):
            trace.append(event)
        if not (options.json and isinstance(event, NodeStarted | RulesAnswered | ModelProgress)):
            _react(services, run_id, event)
    finished = services.runs.get(run_id)
    failure = failure_of(view) if finished.status is RunStatus.DONE else None
    if failure:
        note(failure.sentence("en"))
    if options.json:
        said = run_as_json(finished, trace, time.monotonic() - started)
        said["degraded"] = _failure(failure) if failure else None
        say_json(said | _further(services, finished, view))
    else:
        _say_answer(view)
    _note_circumstances(view, options)
    if finished.status is not RunStatus.DONE:
        return 1
    return exit_status(finished.outcome, failure is not None, options.exit_status)


def exit_status(outcome: str, is_degraded: bool, by_outcome: bool) -> int:
    unanswered = UNANSWERED.get(AnswerOutcome(outcome), 0) if by_outcome and outcome else 0
    return unanswered or (DEGRADED if is_degraded else 0)


def _note_circumstances(view: RunView, options: Namespace) -> None:
    """Notes preferences that the answer followed, and an incomplete search."""
    for form in () if options.json else view.preferred:
        note(text(f"run.preferred.{form.name.lower()}", "en"))
    if view.is_search_unfinished:
        note(text(SEARCH_UNFINISHED, "en"))


def _request(services: Services, options: Namespace) -> RunRequest:
    """Searches the web with --web, otherwise only if somebody can be asked for consent."""
    base = existing_base(services, options.kb)
    use_web = options.web or (services.answering.web_configured and _is_terminal())
    return RunRequest(
        options.question, base.id, options.workflow, options.thread or "", use_web=use_web, web_agreed=options.web
    )


def _react(services: Services, run_id: str, event: Event) -> None:
    """Shows progress to the user, and asks for consent."""
    match event:
        case NodeStarted():
            progress(event.node)
        case ModelProgress():
            progress(text(f"run.model.{event.phase}", "en", percent=event.percent))
        case RulesAnswered() if _is_terminal():
            note(f"\n{text('run.by_rules', 'en')}\n")
            note(_said(event.answer.text, event.answer.passages, event.answer.citations))
            note("")
        case ConsentAsked():
            services.worker.answer(run_id, _consent(event.query))
        case RunFailed():
            note(services.runs.get(run_id).error or event.message)


def _further(services: Services, finished: Run, view: RunView) -> dict[str, object]:
    """Values of some runs only: parts of the question, the graph agent's result, the cost if the price is known."""
    said: dict[str, object] = {"parts": [asdict(part) for part in view.parts], "choices": list(view.choices)}
    said["passages"] = [asdict(passage) for passage in view.passages]
    said["stands_in"] = asdict(view.stands_in) if view.stands_in else None
    said["beside"] = [
        {"passage": asdict(found.passage), "citation": _citation(found.citation)} for found in view.beside
    ]
    said["preferences"] = list(view.preferred)
    said["assessment"] = view.assessment.as_json() if view.assessment else None
    said["search_unfinished"] = view.is_search_unfinished
    if finished.workflow == GRAPH_WORKFLOW:
        said |= graph_result(view, services.graph.stats(finished.base_id))
    if cost := cost_of(finished.usage, finished.engine, load_prices(services.settings)):
        said["cost"] = asdict(cost)
    return said


def graph_result(view: RunView, stats: GraphStats) -> dict[str, Any]:
    """The result of a run of the graph agent.

    total_messages counts the question, two messages for each tool call (call and result), and the answer. The token
    usage is the sum over all model calls.
    """
    from core.agents.tools.describe_graph import density

    calls = [tool for step in view.steps for tool in step.tools]
    prompt, completion = view.usage.prompt_tokens, view.usage.completion_tokens
    return {
        "question": view.question,
        "answer": view.answer,
        "tool_calls": [
            {"tool": it.tool, "args": json.loads(it.arguments or "{}"), "call_id": it.call_id} for it in calls
        ],
        "total_messages": 2 + 2 * len(calls),
        "token_usage": {"prompt": prompt, "completion": completion, "total": prompt + completion},
        "kg_stats": {"nodes": stats.entities, "edges": stats.relations, "density": density(stats)},
    }


def _is_terminal() -> bool:
    """Whether a user can be asked."""
    return sys.stdin.isatty() and sys.stderr.isatty()


def _consent(query: str) -> Consent:
    """Reads y (this question) or a (the whole conversation); anything else, and the end of the input, means no."""
    if not _is_terminal():
        return Consent.NO
    note(text("chat.consent.typed", "en", query=query))
    said = sys.stdin.readline().strip().lower()
    return {"y": Consent.ONCE, "a": Consent.THREAD}.get(said, Consent.NO)


def _say_answer(view: RunView) -> None:
    """Prints the answer, its unfolded passages, the places of all sources and what was found besides."""
    say(_said(view.answer, view.passages, view.citations))
    at_once = {passage.number for passage in view.passages if not passage.folded}
    for citation in view.citations:
        where = f"[{citation.number}] {place(citation.document_name, citation.page + 1)}"
        if view.stands_in and citation.number == view.stands_in.number:
            say(f"{where}:\n{_indented(view.stands_in)}")
        elif citation.number not in at_once:
            say(f"{where}: {citation.text}")
    if view.beside:
        passages, citations = [it.passage for it in view.beside], [it.citation for it in view.beside]
        say(_said(f"\n{text('run.beside', 'en')}", passages, citations))


def _said(answer: str, passages: Sequence[ShownPassage], citations: Sequence[Citation]) -> str:
    cited = {citation.number: citation for citation in citations}
    shown = [passage for passage in passages if not passage.folded]
    blocks = [f"[{it.number}] {place_of_passage(it, cited[it.number])}\n{_indented(it)}" for it in shown]
    return "\n\n".join([answer, *blocks])


def _indented(passage: ShownPassage) -> str:
    return indent(marked_text(passage, _bright if sys.stdout.isatty() else bold), "    ")


def _bright(words: str) -> str:
    return f"\033[1m{words}\033[0m"


def run_as_json(finished: Run, trace: list[NodeFinished], seconds: float) -> dict[str, object]:
    return {
        "question": finished.question,
        "answer": finished.answer,
        "workflow": finished.workflow,
        "engine": finished.engine,
        "outcome": finished.outcome,
        "citations": [_citation(citation) for citation in finished.citations],
        "trace": [_step(event) for event in trace],
        "usage": asdict(finished.usage),
        "seconds": round(seconds, 3),
        "run_id": finished.id,
        "thread_id": finished.thread_id,
    }


def _failure(failure: ModelFailure) -> dict[str, object]:
    return {"reason": failure.reason, "instead": failure.instead, "message": failure.sentence("en")}


def _citation(citation: Citation) -> dict[str, object]:
    return {
        "number": citation.number,
        "document": citation.document_name,
        "page": citation.page + 1,
        "bbox": list(citation.boxes[0][1]) if citation.boxes else None,
        "text": citation.text,
        "score": round(citation.score, 4),
        "row": asdict(citation.row) if citation.row else None,
    }


def _step(event: NodeFinished) -> dict[str, object]:
    return {
        "node": event.node,
        "attempt": event.attempt,
        "seconds": round(event.seconds, 4),
        "outcome": event.outcome,
        **_usage(event.usage),
    }


def _usage(usage: Usage) -> dict[str, int]:
    return {
        "model_calls": usage.model_calls,
        "prompt_tokens": usage.prompt_tokens,
        "completion_tokens": usage.completion_tokens,
    }


def retrieve(services: Services, options: Namespace) -> int:
    base = existing_base(services, options.kb)
    found = found_passages(services, base.id, options.question, options.top)
    return say_passages(options, base.name, [{"rank": rank, **row} for rank, row in enumerate(found, start=1)])


def say_passages(options: Namespace, base_name: str, rows: Sequence[Mapping[str, Any]]) -> int:
    if options.json:
        say_json({"question": options.question, "base": base_name, "passages": rows})
    for rank, row in enumerate(() if options.json else rows, start=1):
        say(f"{rank}. {row['score']}  {place(row['document'], row['page'])}\n   {row['text'][:300]}")
    return 0
