"""Answers of a model that cite nothing: cited where a passage bears them out, else not published as answered."""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from core.agents.workflows.registry import workflows
from core.platform.texts import text
from core.runs.execution.budget import Budget
from core.runs.history.view import RunView
from core.runs.model import AnswerOutcome, RunStatus
from tests.agents.systems.conftest import SystemWorld, run
from tests.agents.systems.models import WRITTEN, model_at, sensible
from tests.loopback.answers import Reply
from tests.loopback.openai_server import OpenAiServer

FROM_DOCUMENTS = [name for name in workflows() if name != "graph_react"]
"""The graph agent's answers rest on results of its tools."""
QUESTIONS = {"Who developed KelpNet?": True, "校准层是什么？": False}
Words = Callable[[str], str]


def asked(world: SystemWorld, workflow: str, question: str, words: Words) -> tuple[RunView, int]:
    """The run with a model that puts its answers in these words and approves of all, and its number of calls."""

    def uncited(request: dict[str, Any]) -> Reply:
        reply = sensible(request)
        if reply.text in WRITTEN.values():
            return replace(reply, text=words(reply.text))
        return replace(reply, text=reply.text.replace('"is_relevant": false', '"is_relevant": true'))

    world.budget = Budget()
    with OpenAiServer(uncited) as server, model_at(server) as model:
        view = run(workflow, world, question, llm=model)
    return view, len(server.chats)


def without_number(answer: str) -> str:
    return answer.replace(" [1]", "")


def invented(answer: str) -> str:
    return "A bank in Paris bought it for nine million." if answer.isascii() else "巴黎的一家银行以九百万买下了它。"


@pytest.mark.parametrize("workflow", FROM_DOCUMENTS)
@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_that_a_passage_bears_out_gets_its_citation(
    walked: SystemWorld, workflow: str, question: str
) -> None:
    written = WRITTEN[QUESTIONS[question]]
    cited, calls = asked(walked, workflow, question, lambda answer: answer)
    view, uncited_calls = asked(walked, workflow, question, without_number)
    assert (view.status, view.outcome) == (RunStatus.DONE, AnswerOutcome.ANSWERED.value)
    assert view.answer.startswith(written)
    assert [citation.chunk_id for citation in view.citations] == [citation.chunk_id for citation in cited.citations]
    assert uncited_calls == calls


@pytest.mark.parametrize("workflow", FROM_DOCUMENTS)
@pytest.mark.parametrize("words", [invented, lambda _: "[1][2]"], ids=["invented", "only numbers"])
@pytest.mark.parametrize("question", QUESTIONS)
def test_an_answer_that_nothing_bears_out_is_not_answered_though_the_model_approves(
    walked: SystemWorld, workflow: str, words: Words, question: str
) -> None:
    view, _ = asked(walked, workflow, question, words)
    assert view.status is RunStatus.DONE
    by_rules = text("answer.by_rules", "en" if question.isascii() else "zh-hans")
    assert view.outcome != AnswerOutcome.ANSWERED.value or view.answer.endswith(by_rules)
    assert words(WRITTEN[QUESTIONS[question]]) not in view.answer
