"""Questions to ask next: only what the documents answer."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from core.platform.errors import ServiceError
from core.runs.events import FollowUpsFound
from core.runs.execution.follow_ups import MOST, Suggestions
from core.runs.execution.worker import Hooks
from core.runs.history.view import RunView
from core.runs.model import RunRequest
from tests.fakes import BASE, World
from tests.runs.test_run_worker import Office

TEXT = "KelpNet is a neural network, developed by Lena Vogt in Oslo. Lena Vogt is a professor of optics at Westhaven."


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = Office(tmp_path)
    yield made
    made.worker.close()


def library(text: str = TEXT) -> Suggestions:
    """Every world calls its first document the same, so the citations hold in all of them."""
    world = World()
    world.library.add("handbook.pdf", text)
    for name, kind in (("Lena Vogt", "PERSON"), ("Oslo", "PLACE"), ("KelpNet", "WORK")):
        world.graph.add(name, kind)
    return Suggestions(world.graph, world.retriever, world.library.passages)


def answered(office: Office, question: str) -> RunView:
    run_id = office.ask(question)
    office.events(run_id)
    run = office.log.get(run_id)
    return RunView(question=question, answer=run.answer, citations=run.citations)


def test_only_what_the_documents_answer_is_suggested(office: Office) -> None:
    view = replace(answered(office, "Who developed KelpNet?"), question="Who is Lena Vogt?")
    assert library().next_after(view, BASE) == ("What is KelpNet?",)
    assert library("Lena Vogt, Oslo, KelpNet.").next_after(view, BASE) == ()
    assert library().next_after(replace(view, citations=()), BASE) == ()


def test_questions_that_stand_beside_the_answer_come_first(office: Office) -> None:
    entries = (
        "What is KelpNet?",
        "KelpNet is a neural network that watches algae.",
        "Who developed KelpNet?",
        "KelpNet was developed by Lena Vogt in Oslo in 2021.",
        "谁开发了 KelpNet？",
        "Where is the moon?",
    )
    found = library("\n".join(entries)).next_after(answered(office, "What is KelpNet?"), BASE)
    assert found[0] == "Who developed KelpNet?"
    assert not {"Where is the moon?", "What is KelpNet?", "谁开发了 KelpNet？"} & {*found}


def test_they_are_found_for_runs_that_a_page_shows(office: Office) -> None:
    office.worker._hooks = Hooks(follow_ups=lambda run, view: (f"More than {view.answer[:3]}?",) * MOST)
    shown = office.worker.start(RunRequest("Who developed KelpNet?", BASE, interface_language="en"))
    assert [event.questions for event in office.events(shown) if isinstance(event, FollowUpsFound)]
    assert not any(isinstance(event, FollowUpsFound) for event in office.events(office.ask()))


def test_a_question_asked_while_they_are_looked_for_waits_for_the_run_to_end(office: Office) -> None:
    looking, found = threading.Event(), threading.Event()

    def slow(*_: object) -> tuple[str, ...]:
        looking.set()
        found.wait(1.5)
        return ()

    office.worker._hooks = Hooks(follow_ups=slow)
    first = office.worker.start(RunRequest("Who developed KelpNet?", BASE, interface_language="en"))
    assert looking.wait(10)
    threading.Timer(0.3, found.set).start()
    office.ask("And where?", office.log.get(first).thread_id)
    assert office.log.get(first).outcome == "answered"


def test_a_search_that_fails_leaves_the_answer_alone(office: Office) -> None:
    def broken(*_: object) -> tuple[str, ...]:
        raise ServiceError("llm.empty")

    office.worker._hooks = Hooks(follow_ups=broken)
    shown = office.worker.start(RunRequest("Who developed KelpNet?", BASE, interface_language="en"))
    office.events(shown)
    assert office.log.get(shown).outcome == "answered"


def test_the_first_questions_are_answered_and_in_the_languages_of_the_names() -> None:
    world = World()
    world.library.add("handbook.pdf", TEXT)
    world.library.add("手册.pdf", "林雨晴是青屿站的站长。青屿站是一座海洋观测站，位于宁波外海。")
    for name, kind in (("Oslo", "LOCATION"), ("KelpNet", "WORK"), ("青屿站", "ORGANIZATION")):
        world.graph.add(name, kind)
    sources = Suggestions(world.graph, world.retriever, world.library.passages)
    assert sources.first(BASE, "en") == ("What is KelpNet?", "青屿站是什么？")
    assert sources.first(BASE, "zh-hant")[0] == "青屿站是什么？"
    assert sources.first("another", "en") == ()


def test_a_language_in_which_no_name_is_explained_has_the_question_what_the_documents_are_about() -> None:
    world = World()
    world.library.add("handbook.pdf", TEXT)
    world.library.add("手册.pdf", "林雨晴批准红色预警。")
    for name, kind in (("KelpNet", "WORK"), ("林雨晴", "PERSON")):
        world.graph.add(name, kind)
    sources = Suggestions(world.graph, world.retriever, world.library.passages)
    assert sources.first(BASE, "en") == ("What is KelpNet?", "这些文档讲了什么？")
    assert sources.first(BASE, "zh-hans") == ("What is KelpNet?",)


def test_a_name_in_latin_letters_is_asked_about_in_the_language_of_its_documents() -> None:
    world = World()
    world.library.add("手册.pdf", "KelpNet是一个识别藻华的神经网络模型。青屿站每十分钟上报一次光谱。")
    world.graph.add("KelpNet", "WORK")
    sources = Suggestions(world.graph, world.retriever, world.library.passages)
    assert sources.first(BASE, "zh-hans") == ("KelpNet 是什么？",)
