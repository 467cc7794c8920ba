"""A preference for a form of answers changes the answer of every workflow and is told, or it is not counted."""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from types import SimpleNamespace
from typing import Any, cast

import pytest

from core.agents.nodes.answer.generate import AnswerRequest
from core.agents.nodes.runtime import stream_text
from core.agents.workflows.registry import workflows
from core.memory.model import AnswerForm, PreferredForm
from core.memory.units import Units
from core.models.tasks import TextTask
from core.platform.texts import text
from core.runs.execution.preferred_forms import followed
from core.runs.history.view import RunView
from core.runs.model import AnswerOutcome, Length
from pages.components.run.citation_html import CitedPlaces
from pages.components.run.turn_html import turn_parts
from tests.agents.systems.conftest import SystemWorld, run
from tests.agents.systems.models import model_at, sensible
from tests.loopback.openai_server import OpenAiServer

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


@pytest.mark.parametrize("workflow", WORKFLOWS)
@pytest.mark.parametrize("question", ["Which documents mention Karenia?", "Who developed KelpNet?"])
def test_what_is_written_in_vain_is_not_counted(walked: SystemWorld, workflow: str, question: str) -> None:
    usual = run(workflow, walked, question).answer
    walked.preferred = (SHORT,)
    view = run(workflow, walked, question)
    assert bool(view.preferred) is (view.answer != usual)
    assert walked.memories.touched == ["short" for _ in view.preferred]


def test_of_the_closest_passages_the_first_alone_is_unfolded_for_who_prefers_it_short(walked: SystemWorld) -> None:
    question = "Why was KelpNet sold to the trust?"
    usual = run("adaptive", walked, question)
    assert [passage.folded for passage in usual.passages][:2] == [False, False]
    walked.preferred = (SHORT,)
    view = run("adaptive", walked, question)
    assert [(one.text, one.folded) for one in view.passages] == [(one.text, one.number > 1) for one in usual.passages]
    assert view.preferred == (AnswerForm.SHORTER,)
    assert walked.memories.touched == ["short"]
    assert text("run.preferred.shorter") in dict(turn_parts(view, CitedPlaces()))["preferred"]


def test_one_closest_passage_is_no_shorter_for_anybody(empty: SystemWorld) -> None:
    empty.library.add("one.md", ("Crew", "Lena Vogt is the keeper of the buoys."))
    empty.preferred = (SHORT,)
    view = run("adaptive", empty, "What does Lena Vogt eat?")
    assert [passage.folded for passage in view.passages] == [False]
    assert view.preferred == ()


@pytest.mark.parametrize(
    ("question", "sentence", "items"),
    [
        (
            "What are the risks of the mooring?",
            "A risk of the mooring: {} in winter.",
            ("Ice builds up", "The anchor drags", "The chain wears out"),
        ),
        (
            "Which warehouses are there?",
            "The {} warehouse stores buoys and is one of the warehouses.",
            ("Aune", "Ellery", "Port Vessel", "Westhaven"),
        ),
        (
            "总结一下这份文档",
            "{}。",
            ("青屿仓库存放浮标和缆绳", "滨海仓库由林雨晴教授管理", "北岸仓库只在冬季开放", "南港仓库建于2016年"),
        ),
    ],
)
def test_a_taste_for_short_answers_takes_no_item_from_a_list(
    empty: SystemWorld, question: str, sentence: str, items: tuple[str, ...]
) -> None:
    empty.library.add("list.md", ("List", "\n\n".join(map(sentence.format, items))))
    usual = run("adaptive", empty, question).written
    assert sum(item in usual for item in items) > 1
    empty.preferred = (SHORT,)
    shorter = run("adaptive", empty, question).written
    assert [item for item in items if item in shorter] == [item for item in items if item in usual]


def test_the_short_form_counts_only_where_it_changes_the_answer(world: SystemWorld) -> None:
    deps = replace(world.deps(), preferred=(SHORT,), length=Length.SHORTER)
    told = "- “One.” [1]\n- “Two.” [2]"
    for written, shaped in ((told, set()), (f"{text('answer.frame.list')}\n\n{told}", {Length.SHORTER})):
        task = TextTask("generate", partial(_written, written), max_tokens=3_000)
        assert "".join(stream_text(deps, task, AnswerRequest("What?", "en", ()))) == told
        assert {form for form, _ in deps.shaped} == shaped


def test_a_list_of_a_model_is_short_where_its_items_are(world: SystemWorld) -> None:
    deps = replace(world.deps(), preferred=(SHORT,), llm=cast(Any, SimpleNamespace(engine="a model")))
    items = ("Ice.", "Storms.", "Loss of power.", "A flat battery.")
    for answer, found in (
        ("The risks are:\n" + "\n".join(f"- {item}" for item in items), (SHORT,)),
        ("风险有：\n" + "\n".join(f"{at}、{item}" for at, item in enumerate(items, 1)), (SHORT,)),
        (" ".join(f"There is a risk: {item}" for item in items), ()),
        ("- " + " ".join(f"There is a risk: {item}" for item in items), ()),
    ):
        assert followed(cast(Any, None), deps, answer, AnswerOutcome.ANSWERED) == found


def test_the_page_says_what_was_preferred() -> None:
    parts = dict(turn_parts(RunView(preferred=(AnswerForm.SHORTER, AnswerForm.ENGLISH)), CitedPlaces()))
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
        assert deps.shaped == ({(Units.IMPERIAL, told)} if told != written else set())


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
