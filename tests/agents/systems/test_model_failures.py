"""What a person reads when the model fails: first what failed and what was done instead, in every workflow."""

from collections.abc import Callable
from importlib import import_module
from itertools import cycle
from typing import Any

import pytest

from core.agents.workflows.registry import workflows
from core.app.lazy import Configuration
from core.app.local_model import OnThisMachine
from core.app.models import llm_of
from core.platform.settings.settings import load_settings
from core.platform.texts import text
from core.runs.execution.budget import Budget
from core.runs.history.model_failure import failure_of
from core.runs.model import AnswerOutcome
from pages.components.run.citation_html import CitedPlaces
from pages.components.run.run_html import run_parts
from pages.components.run.turn_html import turn_parts
from pages.components.shell.language import use_language
from tests.agents.systems.conftest import SystemWorld, every_pair, half_slow, run
from tests.agents.systems.models import model_at, sensible
from tests.loopback.answers import Answer, Cut, Failure, KeepAlives
from tests.loopback.openai_server import OpenAiServer

HANGING, ANSWERING = 0.2, 5.0
"""Limits in seconds: what hangs is waited for, what answers at once has time on a busy machine, too."""
FAULTS: dict[str, tuple[Callable[[], Answer], str]] = {
    "401": (lambda: Failure(401, "Incorrect API key provided.", "invalid_api_key"), "llm.key_refused"),
    "403": (lambda: Failure(403, "Not allowed."), "llm.key_refused"),
    "404": (lambda: Failure(404, "The model does not exist.", "model_not_found"), "llm.not_found"),
    "413": (lambda: Failure(413, "Request too large."), "llm.refused"),
    "429": (lambda: Failure(429, "Rate limit reached.", headers={"Retry-After": "86400"}), "llm.busy"),
    "500": (lambda: Failure(500, "The server had an error."), "llm.unavailable"),
    "hang": (KeepAlives, "llm.timeout"),
}
QUESTIONS = {
    "en": "What is the upkeep of buoys about?",
    "zh-hans": "海藻的颜色由什么决定？",
    "zh-hant": "海藻的顏色由什麼決定？",
}
"""Words alone find no sure answer."""
BROKEN = {
    "en": ("Who developed KelpNet?", "KelpNet was developed by Lena Vogt [1]. It estim"),
    "zh-hans": ("校准层是什么？", "校准层是指KelpNet中为每个浮标单独拟合的一组参数 [1]。它由"),
    "zh-hant": ("校准层是什么？", "校准层是指KelpNet中为每个浮标单独拟合的一组参数 [1]。它由"),
}


@pytest.fixture(scope="module", autouse=True)
def _loaded() -> None:
    """Importing the libraries is not the endpoint's time."""
    import_module("core.models.chat.agent_loop")
    import_module("core.models.chat.dialogue")


@pytest.fixture
def metered(walked: SystemWorld) -> SystemWorld:
    walked.budget = Budget()
    return walked


@pytest.mark.parametrize(("workflow", "fault", "language"), half_slow(every_pair(workflows(), FAULTS, QUESTIONS)))
def test_a_failed_model_is_told_before_the_answer(
    metered: SystemWorld, workflow: str, fault: str, language: str
) -> None:
    answer, key = FAULTS[fault]
    seconds = HANGING if fault == "hang" else ANSWERING
    with (
        OpenAiServer(lambda _: answer()) as server,
        model_at(server, call_seconds=seconds, stream_seconds=seconds, retries=1) as model,
    ):
        view = run(workflow, metered, QUESTIONS[language], llm=model)
        assert server.chats
    failure = failure_of(view)
    assert failure is not None
    assert (failure.reason, failure.instead) == (key, "built_in")
    assert view.outcome != AnswerOutcome.NOT_FOUND.value
    with use_language(language):
        parts = turn_parts(view, CitedPlaces())
        head = run_parts(view)[0][1]
    names = [name for name, _ in parts]
    assert names.index("failure") < names.index("answer")
    shown = dict(parts)["failure"]
    assert text(key, language)[:20] in shown
    assert 'data-event="again"' in shown
    assert 'data-event="settings"' in shown
    assert text("chat.run.failed", language, count=len(view.failures)) in head
    assert text("chat.run.no_model", language) not in head
    for missing in ("answer.not_found.fixed", "answer.not_found.no_web"):
        assert text(missing, language) not in view.answer
    searched = text("answer.not_found.searched", language, scope="{", asked="")
    assert searched[: searched.index("{") // 2] not in view.answer


@pytest.mark.parametrize("workflow", workflows())
def test_an_endpoint_that_is_not_there_is_called_that(metered: SystemWorld, workflow: str) -> None:
    with OpenAiServer(sensible) as server:
        pass
    with model_at(server, call_seconds=ANSWERING, stream_seconds=ANSWERING, retries=1) as model:
        failure = failure_of(run(workflow, metered, QUESTIONS["en"], llm=model))
    assert failure is not None
    assert (failure.reason, failure.instead) == ("llm.unreachable", "built_in")


@pytest.mark.parametrize("workflow", ["adaptive", "graph_react", "tool_loop"])
def test_a_model_on_this_machine_that_is_gone_is_told_with_its_file(metered: SystemWorld, workflow: str) -> None:
    settings = load_settings().model_copy(update={"local_model": "/gone/own.gguf"})
    model = llm_of(settings, OnThisMachine(Configuration(settings)))
    view = run(workflow, metered, QUESTIONS["en"], llm=model)
    failure = failure_of(view)
    assert failure is not None
    assert (failure.reason, failure.instead) == ("local_model.no_file", "built_in")
    with use_language("en"):
        shown = [dict(turn_parts(view, CitedPlaces()))["failure"], *(html for _, html in run_parts(view))]
    assert "There is no file /gone/own.gguf" in shown[0]
    assert not any(text("chat.run.reason_unknown", "en") in part for part in shown)


@pytest.mark.parametrize(("workflow", "language"), zip(workflows(), cycle(BROKEN), strict=False))
def test_an_answer_that_breaks_off_keeps_its_sources_and_offers_another_try(
    metered: SystemWorld, workflow: str, language: str
) -> None:
    question, begun = BROKEN[language]

    def breaking(request: dict[str, Any]) -> Answer:
        reply = sensible(request)
        return Cut(begun) if not reply.tool_calls and "response_format" not in request else reply

    with OpenAiServer(breaking) as server, model_at(server) as model:
        view = run(workflow, metered, question, llm=model)
    failure = failure_of(view)
    assert view.citations
    assert failure is not None
    assert (failure.reason, failure.instead) == ("llm.interrupted", "kept")
    with use_language(language):
        shown = dict(turn_parts(view, CitedPlaces()))["failure"]
    assert text("run.instead.kept", language, reason="") in shown
    assert 'data-event="again"' in shown


@pytest.mark.parametrize("workflow", ["graph_react", "tool_loop"])
def test_a_request_that_is_too_long_leaves_the_model_its_tools(metered: SystemWorld, workflow: str) -> None:
    long = (
        "This model's maximum context length is 8192 tokens. However, your messages resulted in 9000 tokens "
        "(8900 in the messages, 100 in the functions). Please reduce the length of the messages or functions."
    )
    with (
        OpenAiServer(lambda _: Failure(400, long, "context_length_exceeded")) as server,
        model_at(server, rest_seconds=0.0) as model,
    ):
        view = run(workflow, metered, "Who developed KelpNet?", llm=model)
        assert model.agent() is not None
    assert {event.reason for event in view.failures} == {"llm.refused"}
