"""A preference for a form of answers changes the answer of every workflow and is told, or it is not counted."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest

from core.domain.memories import AnswerForm, PreferredForm
from core.domain.runs import AnswerOutcome, Length
from core.domain.units import Units
from core.nodes.answer.generate import AnswerRequest
from core.nodes.runtime import stream_text
from core.runs.preferred_forms import followed
from core.runs.view import RunView
from core.tasks import TextTask
from core.texts import text
from core.workflows.registry import workflows
from pages.components.run.citation_html import Evidence
from pages.components.run.turn_html import turn_parts
from tests.loopback.openai_server import OpenAiServer
from tests.systems.conftest import SystemWorld, run
from tests.systems.models import model_at, sensible

SHORT = PreferredForm("short", AnswerForm.SHORTER)
ENGLISH = PreferredForm("english", AnswerForm.ENGLISH)
WORKFLOWS = list(workflows())


def _written(answer: str, _: AnswerRequest) -> Iterator[str]:
    return iter([answer])


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_rules_answer_shorter_and_say_so(walked: SystemWorld, workflow: str) -> None:
    question = "What is KelpNet and who developed it?" if workflow != "graph_react" else "What is near KelpNet?"
    usual = run(workflow, walked, question).answer
    walked.preferred = (SHORT,)
    view = run(workflow, walked, question)
    shorter = len(view.answer) < len(usual)
    assert view.preferred == ((AnswerForm.SHORTER,) if shorter else ())
    assert walked.memories.touched == (["short"] if shorter else [])


def test_a_list_becomes_its_first_item_and_counts_as_shaped(world: SystemWorld) -> None:
    deps = replace(world.deps(), preferred=(SHORT,), length=Length.SHORTER)
    listed, alone = "Found:\n\n- “One.” [1]\n- “Two.” [2]", "“One.” [1]"
    for written, shaped in ((alone, set()), (listed, {Length.SHORTER})):
        task = TextTask("generate", partial(_written, written), max_tokens=3_000)
        assert "".join(stream_text(deps, task, AnswerRequest("What?", "en", ()))) == alone
        assert deps.shaped == shaped


def test_the_page_says_what_was_preferred() -> None:
    parts = dict(turn_parts(RunView(preferred=(AnswerForm.SHORTER, AnswerForm.ENGLISH)), Evidence()))
    assert text("run.preferred.shorter") in parts["preferred"]
    assert text("run.preferred.english") in parts["preferred"]


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_words_around_quotes_are_in_the_preferred_language(walked: SystemWorld, workflow: str) -> None:
    walked.preferred = (ENGLISH,)
    view = run(workflow, walked, "校准层是什么？")
    assert view.answer
    assert view.preferred == (AnswerForm.ENGLISH,)
    assert walked.memories.touched == ["english"]
    assert run(workflow, walked, "Who developed KelpNet?").preferred == ()


def test_a_value_alone_is_in_no_language(world: SystemWorld) -> None:
    world.preferred = (PreferredForm("zh", AnswerForm.SIMPLIFIED_CHINESE),)
    view = run("adaptive", world, "When was the Marlow Sound Observatory founded?")
    assert view.answer.startswith("**2011**")
    assert view.preferred == ()
    assert world.memories.touched == []


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_a_model_is_asked_for_the_form_and_believed_only_where_it_keeps_it(walked: SystemWorld, workflow: str) -> None:
    walked.preferred = (SHORT, PreferredForm("zh", AnswerForm.SIMPLIFIED_CHINESE))
    with OpenAiServer(sensible) as server, model_at(server) as model:
        view = run(workflow, walked, "Who developed KelpNet?", llm=model)
        asked = "\n".join(map(str, server.chats))
    assert text("answer.length.shorter", "en") in asked
    assert view.preferred == (AnswerForm.SHORTER,)
    assert walked.memories.touched == ["short"]


def test_a_leading_measure_is_given_in_the_preferred_units_too(world: SystemWorld) -> None:
    deps = replace(world.deps(), units=Units.IMPERIAL)
    for written, told in (
        ("**88 m**: “It is 88 m high.” [1]", "**88 m** (≈ 290 ft): “It is 88 m high.” [1]"),
        ("**88 m**: “It cost $3, or 88 m in all.” [1]", "**88 m**: “It cost $3, or 88 m in all.” [1]"),
        ("“It is 88 m high.” [1]", "“It is 88 m high.” [1]"),
        ("**12 metres**: “Below 12 metres per second.” [1]", "**12 metres**: “Below 12 metres per second.” [1]"),
    ):
        deps.shaped.clear()
        task = TextTask("generate", partial(_written, written), max_tokens=3_000)
        assert "".join(stream_text(deps, task, AnswerRequest("How high?", "en", ()))) == told
        assert deps.shaped == ({Units.IMPERIAL} if told != written else set())


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_units_are_not_counted_where_nothing_is_measured(walked: SystemWorld, workflow: str) -> None:
    walked.preferred = (PreferredForm("units", AnswerForm.IMPERIAL),)
    assert run(workflow, walked, "Who developed KelpNet?").preferred == ()
    assert walked.memories.touched == []


@pytest.mark.parametrize("workflow", WORKFLOWS)
def test_a_model_is_asked_for_the_units_and_believed_only_where_it_gives_them(
    walked: SystemWorld, workflow: str
) -> None:
    walked.preferred = (PreferredForm("units", AnswerForm.IMPERIAL),)
    with OpenAiServer(sensible) as server, model_at(server) as model:
        view = run(workflow, walked, "Who developed KelpNet?", llm=model)
        assert text("answer.units.imperial", "en") in "\n".join(map(str, server.chats))
    assert view.preferred == ()


def test_units_of_a_model_count_beside_those_of_the_source(world: SystemWorld) -> None:
    units = PreferredForm("units", AnswerForm.IMPERIAL)
    deps = replace(world.deps(), preferred=(units,), llm=cast(Any, SimpleNamespace(engine="a model")))
    for answer, found in (
        ("It is 88 m (290 ft) high.", (units,)),
        ("It is 290 ft high.", ()),
        ("It is 88 m high.", ()),
    ):
        assert followed(cast(Any, None), deps, answer, AnswerOutcome.ANSWERED) == found
