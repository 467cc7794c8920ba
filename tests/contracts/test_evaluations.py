"""What every store of evaluations and votes does."""

from dataclasses import replace

import pytest
from sqlalchemy import Engine

from core.platform.errors import NotFoundError
from core.runs.evaluation.model import Case, CaseResult, EvaluationStatus
from core.runs.model import RunPurpose, Usage
from core.runs.ports import Evaluations
from core.runs.store.evaluations import SqlEvaluations, SqlVotes
from core.runs.store.threads import SqlThreads
from tests.store.databases import TickingClock, clock, engine, migrated_file
from tests.store.interleaving import interleaved
from tests.store.samples import delete_thread

__all__ = ["clock", "engine", "migrated_file"]
CASES = [Case("c1", "How deep?", "a.pdf", 3, "42 m"), Case("c2", "谁?", declined=True)]
RESULT = CaseResult("c1", "adaptive", "r1", "m", "answered", True, None, 2, 1, True, 1.5, Usage(1, 2, 3, True))


@pytest.fixture
def store(engine: Engine, clock: TickingClock) -> Evaluations:
    return SqlEvaluations(engine, clock)


def test_a_list_keeps_its_cases_in_order_and_takes_new_ones(store: Evaluations) -> None:
    kept = store.keep_list("Tides", CASES)
    assert store.cases(kept.id) == CASES
    again = store.keep_list("TIDES", CASES[1:])
    assert again.id == kept.id
    other = store.keep_list("Other", CASES)
    assert [(one.name, one.cases) for one in store.lists()] == [("Other", 2), ("TIDES", 1)]
    store.delete_list(other.id)
    assert [one.id for one in store.lists()] == [kept.id]


def test_an_evaluation_keeps_the_cases_that_it_began_with(store: Evaluations) -> None:
    kept = store.keep_list("Tides", CASES)
    begun = store.begin(kept.id, "b", "t", ["adaptive", "planner"], CASES)
    store.keep_list("Tides", CASES[:1])
    assert store.get(begun.id) == begun
    assert (begun.cases, begun.workflows, begun.questions) == (tuple(CASES), ("adaptive", "planner"), 4)
    second = store.begin(kept.id, "b", "t", ["adaptive"], CASES)
    assert [one.id for one in store.of_list(kept.id)] == [second.id, begun.id]


def test_results_come_back_as_they_were_and_once_a_case(store: Evaluations) -> None:
    begun = store.begin(store.keep_list("Tides", CASES).id, "b", "t", ["adaptive"], CASES)
    store.add_result(begun.id, replace(RESULT, ending="failed"))
    store.add_result(begun.id, RESULT)
    assert store.results(begun.id) == [RESULT]
    store.mark(begun.id, EvaluationStatus.RUNNING, "owner")
    assert (store.get(begun.id).status, store.get(begun.id).owner) == (EvaluationStatus.RUNNING, "owner")


def test_what_is_gone_is_reported(store: Evaluations) -> None:
    kept = store.keep_list("Tides", CASES)
    begun = store.begin(kept.id, "b", "t", ["adaptive"], CASES)
    store.delete_list(kept.id)
    for work in (
        lambda: store.get(begun.id),
        lambda: store.add_result(begun.id, RESULT),
        lambda: store.mark(begun.id, EvaluationStatus.DONE, ""),
        lambda: store.begin(kept.id, "b", "t", ["adaptive"], CASES),
    ):
        with pytest.raises(NotFoundError):
            work()
    assert store.results(begun.id) == []


def test_a_comparison_has_one_vote(engine: Engine) -> None:
    votes, threads = SqlVotes(engine), SqlThreads(engine)
    one, other = (threads.create("q", "b", "adaptive", RunPurpose.ARENA).id for _ in range(2))
    assert votes.of_thread(one) is None
    votes.vote(one, ["adaptive", "planner"], "planner")
    votes.vote(one, ["adaptive", "planner"], "adaptive")
    votes.vote(other, ["adaptive", "planner"], "")
    assert (votes.of_thread(one), votes.of_thread(other)) == ("adaptive", "")
    assert sorted(votes.all()) == [(("adaptive", "planner"), ""), (("adaptive", "planner"), "adaptive")]
    delete_thread(threads, one)
    assert votes.of_thread(one) is None


def test_two_votes_at_once_leave_the_last_one(engine: Engine) -> None:
    votes, thread = SqlVotes(engine), SqlThreads(engine).create("q", "b", "adaptive", RunPurpose.ARENA).id
    names = ["adaptive", "planner"]
    interleaved(
        engine, lambda: votes.vote(thread, names, "planner"), "arena_votes", lambda: votes.vote(thread, names, "")
    )
    assert votes.of_thread(thread) == ""


def test_a_comparison_that_is_gone_takes_no_vote(engine: Engine) -> None:
    with pytest.raises(NotFoundError):
        SqlVotes(engine).vote("nothing", ["adaptive", "planner"], "")


def test_two_may_keep_a_new_list_at_once(engine: Engine, store: Evaluations) -> None:
    interleaved(
        engine,
        lambda: store.keep_list("Tides", CASES),
        "question_lists",
        lambda: store.keep_list("Tides", CASES[1:]),
    )
    assert [store.cases(one.id) for one in store.lists()] == [CASES[1:]]
