"""What every store of Threads does."""

import time
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from sqlalchemy import Engine

from core.memory.model import Memory, MemoryKind, MemoryStatus
from core.memory.store.memories import SqlMemoryStore
from core.models.embedding.hashed import HashedEmbedder
from core.platform.errors import InputError, NotFoundError
from core.runs.events import AnswerDelta
from core.runs.model import Run, RunRequest, RunStatus, Turn
from core.runs.ports import RunLog, Threads
from core.runs.store.run_log import SqlRunLog
from core.runs.store.threads import SqlThreads
from tests.store.databases import TickingClock, clock, engine, migrated_file
from tests.store.interleaving import interleaved
from tests.store.samples import delete_thread

__all__ = ["clock", "engine", "migrated_file"]


@pytest.fixture
def threads(engine: Engine, clock: TickingClock) -> Threads:
    return SqlThreads(engine, clock)


@pytest.fixture
def log(engine: Engine, clock: TickingClock) -> RunLog:
    return SqlRunLog(engine, clock)


def ask(log: RunLog, thread_id: str, question: str, answer: str = "", status: RunStatus = RunStatus.DONE) -> Run:
    run = log.start(RunRequest(question, "b"), thread_id, "built-in")
    finished = replace(run, status=status, answer=answer)
    if status is not RunStatus.RUNNING:
        log.finish(finished)
    return finished


@pytest.fixture
def berlin(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "Europe/Berlin")
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.mark.usefixtures("berlin")
def test_the_hour_that_a_clock_strikes_twice_keeps_its_order(engine: Engine) -> None:
    struck = iter(datetime(2026, 10, 25, 0, 30, tzinfo=UTC) + timedelta(hours=hour) for hour in range(2))
    threads = SqlThreads(engine, lambda: next(struck))
    made = [threads.create(name, "base", "adaptive") for name in ("before", "after")]
    first, second = (threads.get(thread.id).created_at for thread in made)
    assert second - first == timedelta(hours=1)
    assert first.tzinfo is UTC


def test_a_thread_comes_back_as_it_was_created(threads: Threads) -> None:
    thread = threads.create("About <b>BERT</b>", "base", "adaptive")
    assert threads.get(thread.id) == thread
    assert (thread.title, thread.base_id, thread.workflow) == ("About <b>BERT</b>", "base", "adaptive")
    assert threads.create("About <b>BERT</b>", "base", "adaptive").id != thread.id


def test_what_is_gone_is_reported(threads: Threads, log: RunLog) -> None:
    thread = threads.create("T", "", "")
    delete_thread(threads, thread.id)
    for work in (
        lambda: threads.get(thread.id),
        lambda: threads.rename(thread.id, "x"),
        lambda: ask(log, thread.id, "?"),
    ):
        with pytest.raises(NotFoundError):
            work()
    assert threads.history(thread.id, 9) == []


def test_the_last_used_thread_comes_first(threads: Threads, log: RunLog) -> None:
    first, second = threads.create("first", "", ""), threads.create("second", "", "")
    assert [thread.title for thread in threads.find()] == ["second", "first"]
    ask(log, first.id, "hello?")
    assert [thread.title for thread in threads.find()] == ["first", "second"]
    assert threads.get(first.id).updated_at > second.updated_at


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("plan", ["Travel plans"]),
        ("TRAVEL", ["Travel plans"]),
        ("神经", ["papers"]),
        ("100%", ["papers"]),
        ("%", ["papers"]),
        ("_", []),
        ("90 DAYS", ["papers"]),
        ("九十", ["papers"]),
        ("ninety", []),
        ("", ["papers", "Travel plans"]),
    ],
)
def test_finding_looks_at_what_was_asked_and_answered(
    threads: Threads, log: RunLog, query: str, expected: list[str]
) -> None:
    threads.create("Travel plans", "", "")
    papers = threads.create("papers", "", "")
    ask(log, papers.id, "什麼是神經網絡?", "Every 90 days.")
    ask(log, papers.id, "Is it 100% sure?", "每九十天一次。")
    assert [thread.title for thread in threads.find(query)] == expected


def test_renaming_changes_what_is_found(threads: Threads) -> None:
    thread = threads.create("old", "", "")
    threads.rename(thread.id, "new")
    assert threads.get(thread.id).title == "new"
    assert threads.find("old") == []
    assert [found.id for found in threads.find("new")] == [thread.id]


def test_history_has_finished_turns_oldest_first(threads: Threads, log: RunLog) -> None:
    thread, other = threads.create("T", "", ""), threads.create("O", "", "")
    ask(log, thread.id, "q1", "a1")
    ask(log, thread.id, "q2", "", RunStatus.FAILED)
    ask(log, thread.id, "q3", "half", RunStatus.STOPPED)
    ask(log, thread.id, "q4", "", RunStatus.STOPPED)
    ask(log, thread.id, "q5", "lost", RunStatus.INTERRUPTED)
    ask(log, other.id, "elsewhere", "elsewhere")
    ask(log, thread.id, "q6", status=RunStatus.RUNNING)
    expected = [Turn("user", "q1"), Turn("assistant", "a1"), Turn("user", "q3"), Turn("assistant", "half")]
    assert [replace(turn, run_id="") for turn in threads.history(thread.id, 10)] == expected


def test_history_tells_what_an_answer_was(threads: Threads, log: RunLog) -> None:
    thread = threads.create("T", "", "")
    run = log.start(RunRequest("q", "b"), thread.id, "built-in")
    log.finish(replace(run, status=RunStatus.DONE, answer="a", outcome="closest"))
    assert threads.history(thread.id, 2) == [Turn("user", "q"), Turn("assistant", "a", "closest", run.id)]


def test_history_keeps_the_newest_and_begins_with_a_question(threads: Threads, log: RunLog) -> None:
    thread = threads.create("T", "", "")
    for number in range(5):
        ask(log, thread.id, f"q{number}", f"a{number}")
    assert [turn.text for turn in threads.history(thread.id, 3)] == ["q4", "a4"]
    assert [turn.text for turn in threads.history(thread.id, 4)] == ["q3", "a3", "q4", "a4"]
    assert threads.history(thread.id, 0) == []


def test_history_keeps_question_and_answer_together_when_runs_overlap(threads: Threads, log: RunLog) -> None:
    thread = threads.create("T", "", "")
    first = log.start(RunRequest("q1", ""), thread.id, "e")
    ask(log, thread.id, "q2", "a2")
    log.finish(replace(first, status=RunStatus.DONE, answer="a1"))
    assert [turn.text for turn in threads.history(thread.id, 9)] == ["q1", "a1", "q2", "a2"]


def test_deleting_a_thread_takes_its_runs_and_events_but_no_others(threads: Threads, log: RunLog) -> None:
    thread, other = threads.create("T", "", ""), threads.create("O", "", "")
    run, kept = ask(log, thread.id, "q", "a"), ask(log, other.id, "q", "a")
    log.append(run.id, [AnswerDelta("a")])
    delete_thread(threads, thread.id)
    assert log.events(run.id, 0) == []
    assert log.of_thread(thread.id) == []
    assert [found.id for found in log.of_thread(other.id)] == [kept.id]


def test_a_question_follows_the_end_of_the_branch_or_the_run_that_is_named(threads: Threads, log: RunLog) -> None:
    thread = threads.create("T", "", "")
    first = ask(log, thread.id, "q1", "a1")
    second = ask(log, thread.id, "q2", "a2")
    edited = log.start(RunRequest("q2, edited", "", after=first.id), thread.id, "e")
    anew = log.start(RunRequest("q0", "", after=""), thread.id, "e")
    assert [run.parent_id for run in log.of_thread(thread.id)] == ["", first.id, first.id, ""]
    assert threads.get(thread.id).leaf_id == anew.id
    assert (second.parent_id, edited.parent_id) == (first.id, first.id)
    with pytest.raises(NotFoundError):
        log.start(RunRequest("q", "", after="nothing"), thread.id, "e")
    other = threads.create("O", "", "")
    with pytest.raises(NotFoundError):
        log.start(RunRequest("q", "", after=first.id), other.id, "e")


def test_history_is_that_of_one_branch(threads: Threads, log: RunLog) -> None:
    thread = threads.create("T", "", "")
    first = ask(log, thread.id, "q1", "a1")
    ask(log, thread.id, "q2", "a2")
    edited = log.start(RunRequest("q2, edited", "", after=first.id), thread.id, "e")
    log.finish(replace(edited, status=RunStatus.DONE, answer="a2, edited"))
    texts = ["q1", "a1", "q2, edited", "a2, edited"]
    assert [turn.text for turn in threads.history(thread.id, 10)] == texts
    assert [turn.text for turn in threads.history(thread.id, 10, first.id)] == ["q1", "a1"]
    assert threads.history(thread.id, 10, "") == []
    threads.show(thread.id, log.of_thread(thread.id)[1].id)
    assert [turn.text for turn in threads.history(thread.id, 10)] == ["q1", "a1", "q2", "a2"]


def test_a_fork_is_a_copy_of_one_branch_that_goes_its_own_way(threads: Threads, log: RunLog) -> None:
    thread = threads.create("T", "base", "adaptive")
    first = ask(log, thread.id, "q1", "a1")
    log.append(first.id, [AnswerDelta("a1")])
    second = ask(log, thread.id, "q2", "a2")
    fork = threads.fork(thread.id, first.id, "T, again")
    (copied,) = log.of_thread(fork.id)
    assert (fork.title, fork.base_id, fork.leaf_id) == ("T, again", "base", copied.id)
    assert (copied.question, copied.answer, copied.parent_id) == ("q1", "a1", "")
    assert log.events(copied.id, 0) == log.events(first.id, 0)
    assert [turn.text for turn in threads.history(fork.id, 9)] == ["q1", "a1"]
    assert threads.get(thread.id).leaf_id == second.id
    delete_thread(threads, thread.id)
    assert log.of_thread(fork.id) == [copied]


def test_what_is_being_answered_cannot_be_forked_yet(threads: Threads, log: RunLog) -> None:
    thread = threads.create("T", "", "")
    run = ask(log, thread.id, "q", status=RunStatus.RUNNING)
    with pytest.raises(InputError):
        threads.fork(thread.id, run.id, "T")


def test_what_was_put_away_comes_back_or_is_purged(threads: Threads, log: RunLog, clock: TickingClock) -> None:
    thread, later = threads.create("T", "", ""), threads.create("L", "", "")
    run = ask(log, thread.id, "q", "a")
    threads.put_away(thread.id)
    assert [found.id for found in threads.find()] == [later.id]
    with pytest.raises(NotFoundError):
        threads.get(thread.id)
    threads.restore(thread.id)
    assert log.of_thread(thread.id) == [run]
    threads.put_away(thread.id)
    moment = clock()
    threads.put_away(later.id)
    threads.purge(moment)
    assert log.of_thread(thread.id) == []
    threads.restore(later.id)
    assert [found.id for found in threads.find()] == [later.id]
    with pytest.raises(NotFoundError):
        threads.restore(thread.id)


def test_pins_and_folders_are_kept(threads: Threads) -> None:
    thread = threads.create("T", "", "")
    threads.pin(thread.id, True)
    threads.file(thread.id, "  Field \n work ")
    (found,) = threads.find()
    assert (found.pinned, found.folder) == (True, "Field work")
    threads.file(thread.id, "")
    assert threads.get(thread.id).folder == ""


def test_what_is_restored_while_it_is_purged_is_gone_whole(
    engine: Engine, threads: Threads, clock: TickingClock
) -> None:
    thread, store, now = threads.create("T", "", "").id, SqlMemoryStore(engine, HashedEmbedder(), clock), clock()
    concluded = Memory("c", "cat", MemoryKind.CONCLUSION, 5, 0.8, MemoryStatus.ACTIVE, now, now, thread_id=thread)
    store.save(concluded)
    threads.put_away(thread)

    def restore() -> None:
        with suppress(NotFoundError):
            threads.restore(thread)

    interleaved(engine, lambda: threads.purge(clock()), "memories", restore)
    with pytest.raises(NotFoundError):
        threads.get(thread)
    assert store.find() == []


def test_a_thread_is_forked_whole_while_it_is_deleted(engine: Engine, threads: Threads, log: RunLog) -> None:
    thread = threads.create("T", "", "").id
    run = ask(log, thread, "q", "a")
    forks: list[str] = []
    interleaved(
        engine,
        lambda: forks.append(threads.fork(thread, run.id, "F").id),
        "runs.parent_id",
        lambda: delete_thread(threads, thread),
    )
    assert [turn.text for turn in threads.history(forks[0], 9)] == ["q", "a"]


def test_a_run_may_end_while_its_thread_is_deleted(engine: Engine, threads: Threads, log: RunLog) -> None:
    thread = threads.create("T", "", "").id
    run = ask(log, thread, "q", status=RunStatus.RUNNING)
    interleaved(
        engine,
        lambda: log.finish(replace(run, status=RunStatus.DONE)),
        "runs.process",
        lambda: delete_thread(threads, thread),
    )
    assert log.of_thread(thread) == []
