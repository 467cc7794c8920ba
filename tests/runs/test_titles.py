"""Titles of conversations: the telling part of the question, or a model's; a name that a person gave stays."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from core.models.meter import Cancel
from core.platform.errors import ServiceError
from core.platform.processes.leases import ProcessLease
from core.runs.events import Degraded, ModelCalled
from core.runs.execution.runner import Emit
from core.runs.execution.titles import Title, title_found, title_of
from core.runs.execution.worker import Hooks, RunWorker
from core.runs.history.view import RunView, fold
from core.runs.model import Run, RunRequest, Usage
from tests.fakes import BASE, World
from tests.fakes.models import FakeLlm, FakeMeter, RuleLlm
from tests.runs.test_run_worker import Office, wait_for

QUESTION = "Who developed KelpNet?"
CALL = ModelCalled("title_chat", "prompt", "KelpNet's developer", 0.2, Usage(1, 90, 8))


@pytest.mark.parametrize(
    ("question", "title"),
    [
        ("How often is each buoy calibrated?", "How often is each buoy calibrated"),
        ("How are KelpNet and SeaLoom related?", "How are KelpNet and SeaLoom related"),
        ("How high is the spring tide at Gannet Point 3?", "How high is the spring tide at Gannet Point 3"),
        ("Could you please tell me what the capital of France is?", "What the capital of France is"),
        ("请问观测站是什么时候成立的？", "观测站是什么时候成立的"),
        ("hello", "hello"),
        ("谁是站长？", "谁是站长？"),
        ("  a\n b ", "a b"),
        ("", ""),
        ("word " * 40, "Word " + "word " * 10 + "word"),
        ("x" * 100, "x" * 59 + "…"),
    ],
)
def test_a_title_is_the_question_on_one_line(question: str, title: str) -> None:
    assert title_of(question) == title


def test_of_a_long_question_the_part_with_the_names_is_taken() -> None:
    talk = "I have been reading about all sorts of things for a while now and I wonder whether you might know "
    assert "KelpNet" in title_of(f"{talk * 2} who develops KelpNet at Westhaven and {talk}")


def test_what_the_answer_names_stands_for_this_document() -> None:
    assert title_of("What is this document about?", ["KelpNet", "SeaLoom"]) == "KelpNet · SeaLoom"
    assert title_of("What is KelpNet?", ["SeaLoom"]) == "What is KelpNet"


def test_a_model_names_it_and_its_line_is_cut() -> None:
    world, meter = World(), FakeMeter()
    world.graph.add("KelpNet", "WORK")
    llm = FakeLlm(title_chat=[Title(title=" “Developer\n of KelpNet.” "), Title(title="y" * 90), Title(title="“”")])
    asked = (QUESTION, "KelpNet was developed by Lena Vogt.", BASE, world.graph)
    titles = [title_found(*asked, llm, meter) for _ in range(3)]
    assert titles == ["Developer of KelpNet", "y" * 59 + "…", "Who developed KelpNet"]
    assert title_found(*asked, RuleLlm(), meter) == "Who developed KelpNet"


@pytest.fixture
def office(tmp_path: Path) -> Iterator[Office]:
    made = Office(tmp_path)
    made.worker.close()

    def entitle(run: Run, view: RunView, emit: Emit, cancel: Cancel) -> str:
        assert view.answer
        emit(CALL)
        emit(Degraded("title_chat", "llm.empty"))
        if "fails" in run.question:
            raise ServiceError("llm.empty")
        return "KelpNet's developer"

    hooks = Hooks(entitle=entitle)
    owner = ProcessLease(tmp_path / "workers")
    made.worker = RunWorker(made.deps, lambda wanted: "built-in", made.log, made.threads, owner, hooks)
    yield made
    made.worker.close()


def asked(office: Office, question: str, thread_id: str = "", after: str | None = None) -> Run:
    run_id = office.worker.start(RunRequest(question, BASE, thread_id=thread_id, interface_language="en", after=after))
    office.events(run_id)
    return office.log.get(run_id)


def test_the_call_for_a_title_counts_for_the_run_but_its_failure_does_not(office: Office) -> None:
    run = asked(office, QUESTION)
    wait_for(lambda: office.log.get(run.id).usage.model_calls == 1)
    view = fold(event for _, event in office.log.events(run.id, 0))
    assert office.threads.get(run.thread_id).title == "KelpNet's developer"
    assert (view.usage, view.failures, view.outcome) == (office.log.get(run.id).usage, (), "answered")
    again = asked(office, "Who is Lena Vogt?", run.thread_id)
    assert office.threads.get(again.thread_id).title == "KelpNet's developer"
    assert office.log.get(again.id).usage.model_calls == 0


def test_without_a_title_the_first_one_stays(office: Office) -> None:
    run = asked(office, "Who developed KelpNet, which fails?")
    after = asked(office, QUESTION)
    wait_for(lambda: office.log.get(after.id).usage.model_calls == 1)
    assert office.threads.get(run.thread_id).title == title_of(run.question)


def test_another_first_question_gives_another_title_unless_the_chat_was_named(office: Office) -> None:
    run = asked(office, "Who developed KelpNet, which fails?")
    asked(office, "Who approves a red alert, which fails?", run.thread_id, after="")
    assert office.threads.get(run.thread_id).title == title_of("Who approves a red alert, which fails?")
    asked(office, "Who is Lena Vogt, which fails?", run.thread_id)
    assert office.threads.get(run.thread_id).title == title_of("Who approves a red alert, which fails?")
    office.threads.rename(run.thread_id, "Alerts")
    again = asked(office, QUESTION, run.thread_id, after="")
    office.worker.close()
    assert office.threads.get(run.thread_id).title == "Alerts"
    assert office.log.get(again.id).usage.model_calls == 0


def test_the_first_question_after_small_talk_gives_the_title(office: Office) -> None:
    greeted = asked(office, "Hi there!")
    thanked = asked(office, "Thank you!", greeted.thread_id)
    assert (greeted.outcome, thanked.outcome) == ("direct", "direct")
    assert office.threads.get(greeted.thread_id).title == "Hi there!"
    asked(office, QUESTION, greeted.thread_id)
    wait_for(lambda: office.threads.get(greeted.thread_id).title == "KelpNet's developer")


def test_what_the_person_told_first_stays_the_title(office: Office) -> None:
    told = asked(office, "My sister is called Ada.")
    asked(office, QUESTION, told.thread_id)
    office.worker.close()
    assert (told.outcome, office.threads.get(told.thread_id).title) == ("direct", title_of(told.question))


def test_a_chat_named_after_small_talk_keeps_its_name(office: Office) -> None:
    greeted = asked(office, "Hi there!")
    office.threads.rename(greeted.thread_id, "Kelp")
    asked(office, QUESTION, greeted.thread_id)
    office.worker.close()
    assert office.threads.get(greeted.thread_id).title == "Kelp"
