"""What every MemoryStore does."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import Engine

from core.documents.store.library import sql_library
from core.memory.contradictions import StatementMeanings
from core.memory.keeping import compared
from core.memory.model import Found, Memory, MemoryKind, MemoryStatus, Scope
from core.memory.ports import MemoryStore
from core.memory.relevance import relevant
from core.memory.store.memories import SqlMemoryStore
from core.platform.errors import NotFoundError, ServiceError
from core.runs.model import RunRequest, RunStatus
from core.runs.run_lists import RunFilter
from core.runs.store.run_lists import SqlRunLists
from core.runs.store.run_log import SqlRunLog
from core.runs.store.threads import SqlThreads
from core.search.model import Citation
from tests.store.databases import TickingClock, clock, engine, migrated_file
from tests.store.interleaving import interleaved
from tests.store.samples import delete_thread

__all__ = ["clock", "engine", "migrated_file"]

MADE = datetime(2026, 11, 1, tzinfo=UTC)


class AxesEmbedder:
    """One axis a word of the vocabulary; counts what it was asked."""

    def __init__(self, name: str = "axes-3", words: Sequence[str] = ("cat", "dog", "fish")) -> None:
        self.name = name
        self.words = words
        self.asked: list[str] = []
        self.broken = False

    @property
    def dimension(self) -> int:
        return len(self.words)

    @property
    def semantic(self) -> bool:
        return True

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        if self.broken:
            raise ServiceError("error.unexpected", kind="down")
        self.asked += texts
        return [self.embed_query(text) for text in texts]

    def embed_query(self, text: str) -> Sequence[float]:
        counts = [float(text.lower().count(word)) for word in self.words]
        length = sum(count * count for count in counts) ** 0.5
        return [count / length for count in counts] if length else counts


def memory(text: str, id: str = "", **changes: object) -> Memory:
    made = Memory(id or text, text, MemoryKind.FACT, 5, 0.8, MemoryStatus.ACTIVE, MADE, MADE)
    return replace(made, **changes)  # type: ignore[arg-type]


@pytest.fixture
def embedder() -> AxesEmbedder:
    return AxesEmbedder()


@pytest.fixture
def store(engine: Engine, embedder: AxesEmbedder, clock: TickingClock) -> MemoryStore:
    return SqlMemoryStore(engine, embedder, clock)


def test_a_memory_comes_back_as_it_was_saved(store: MemoryStore) -> None:
    saved = Memory(
        "m1",
        "Prefers short answers 👍 <b>",
        MemoryKind.PREFERENCE,
        9,
        0.75,
        MemoryStatus.PROPOSED,
        MADE,
        MADE,
        base_id="b",
        index_version=3,
        thread_id="t",
        run_id="r",
        uses=2,
        pinned=True,
    )
    store.save(saved)
    assert store.get("m1") == saved


def test_saving_again_replaces(store: MemoryStore) -> None:
    store.save(memory("old", "m1"))
    store.save(memory("new", "m1", importance=9))
    assert [(found.text, found.importance) for found in store.find()] == [("new", 9)]


def test_what_is_gone_is_reported_and_deleting_twice_is_fine(store: MemoryStore) -> None:
    store.save(memory("x"))
    store.delete("x")
    store.delete("x")
    assert store.find() == []
    with pytest.raises(NotFoundError):
        store.get("x")


def test_memories_are_listed_newest_first_and_by_status(store: MemoryStore) -> None:
    store.save(memory("first"))
    store.save(memory("second", status=MemoryStatus.PROPOSED))
    store.save(memory("older", created_at=datetime(2025, 1, 1, tzinfo=UTC)))
    assert [found.text for found in store.find()] == ["second", "first", "older"]
    assert [found.text for found in store.find("proposed")] == ["second"]
    assert store.find("nothing") == []


HERE = Scope("here", "t1")


def texts(found: list[Found]) -> list[str]:
    return [one.memory.text for one in found]


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        ("kites", ["Kites fly"]),
        ("fly kite", ["Kites fly"]),
        ("caten", ["A concatenation and catenation"]),
        ("学习", ["用户在學習深度学习", "the 学习 word"]),
        ("学", ["用户在學習深度学习", "the 学习 word"]),
        ("100%", ["uses 100% of it"]),
        ("  ", []),
    ],
)
def test_what_holds_the_words_or_begins_like_them_is_relevant(
    store: MemoryStore, query: str, expected: list[str]
) -> None:
    for text in (
        "Kites fly",
        "A concatenation and catenation",
        "用户在學習深度学习",
        "the 学习 word",
        "uses 100% of it",
    ):
        store.save(memory(text))
    assert {one.text for one in relevant(store.search(query))} == set(expected)


def test_a_question_finds_the_active_ones_that_hold_where_it_is_asked(store: MemoryStore) -> None:
    store.save(memory("cat here", base_id="here"))
    store.save(memory("cat anywhere"))
    store.save(memory("cat there", base_id="there"))
    store.save(memory("cat preferred there", base_id="there", kind=MemoryKind.PREFERENCE))
    store.save(memory("cat proposed", status=MemoryStatus.PROPOSED))
    expected = {"cat here", "cat anywhere"}
    assert set(texts(store.search("cat", HERE))) == {one.text for one in store.active(HERE)} == expected
    assert len(store.search("cat")) == 5


def test_words_and_meaning_are_one_ranking(store: MemoryStore) -> None:
    for text in ("fish and cats", "a dog", "the cat", "nothing"):
        store.save(memory(text))
    found = store.search("cat", HERE)
    assert texts(found)[0] == "the cat"
    assert set(texts(found)[:2]) == {"the cat", "fish and cats"}
    assert all(0 <= one.score <= 1 for one in found)


def test_without_memories_nothing_is_found(store: MemoryStore) -> None:
    assert store.search("cat", HERE) == store.search("cat") == []
    assert store.near("cat", 3) == []


def test_a_text_is_embedded_once_and_again_when_it_changes(store: MemoryStore, embedder: AxesEmbedder) -> None:
    store.save(memory("cat", "m1"))
    store.search("cat")
    store.save(memory("cat", "m1", importance=9))
    store.search("cat")
    assert embedder.asked == ["cat"]
    store.save(memory("dog", "m1"))
    assert [round(distance, 3) for _, distance in store.near("dog", 3)] == [0.0]
    assert embedder.asked == ["cat", "dog"]


def test_another_embedder_makes_its_own_vectors(engine: Engine, store: MemoryStore) -> None:
    store.save(memory("cat"))
    store.search("cat")
    other = SqlMemoryStore(engine, AxesEmbedder("axes-2", ("dog", "cat")))
    assert [round(distance, 3) for _, distance in other.near("cat", 3)] == [0.0]
    assert [round(distance, 3) for _, distance in store.near("cat", 3)] == [0.0]


def test_an_embedder_that_fails_does_not_look_like_having_no_memories(
    store: MemoryStore, embedder: AxesEmbedder
) -> None:
    embedder.broken = True
    store.save(memory("cat"))
    with pytest.raises(ServiceError):
        store.search("cat", HERE)


def test_touching_counts_the_use_and_its_time(store: MemoryStore) -> None:
    store.save(memory("a"))
    store.save(memory("b"))
    store.touch(["a", "unknown"])
    store.touch([])
    touched = store.get("a")
    assert (touched.uses, touched.last_used_at > MADE, touched.created_at) == (1, True, MADE)
    assert store.get("b") == memory("b")


def test_what_has_expired_is_listed_as_such_and_no_candidate(store: MemoryStore, clock: TickingClock) -> None:
    store.save(memory("cat", expires_at=clock()))
    store.save(memory("cat cat", expires_at=datetime(2027, 1, 1, tzinfo=UTC)))
    assert texts(store.search("cat", HERE)) == ["cat cat"]
    assert {found.text: found.status.value for found in store.find()} == {"cat": "expired", "cat cat": "active"}
    assert [found.text for found in store.find("expired")] == ["cat"]


def test_a_memory_of_one_thread_is_a_candidate_there_alone(store: MemoryStore) -> None:
    store.save(memory("cat", thread_id="t1", in_thread_only=True))
    store.save(memory("cat cat", thread_id="t1"))
    assert texts(store.search("cat", Scope("here", "t2"))) == ["cat cat"]
    assert len(store.search("cat", HERE)) == 2


def test_meaning_is_searched_whatever_the_status_and_the_scope(store: MemoryStore) -> None:
    for text, changes in (("dog", {"status": MemoryStatus.REJECTED}), ("cat", {"base_id": "x"}), ("cat dog", {})):
        store.save(memory(text, **changes))
    assert [found.text for found, _ in store.near("cat", 2)] == ["cat", "cat dog"]


def test_pairs_that_are_alike_are_told_nearest_first(store: MemoryStore) -> None:
    for text in ("cat", "fish", "cat cat cat dog", "cat  "):
        store.save(memory(text))
    store.save(memory("cat rejected", status=MemoryStatus.REJECTED))
    pairs = [(one.text, other.text) for one, other, _ in store.alike(0.1, 9)]
    assert pairs == [("cat", "cat  "), ("cat", "cat cat cat dog"), ("cat cat cat dog", "cat  ")]
    assert len(store.alike(0.1, 1)) == 1
    assert store.alike(1.0, 99)[-1][2] == pytest.approx(1.0)


def test_what_became_of_a_memory_is_kept(store: MemoryStore) -> None:
    store.save(memory("old", "m1", status=MemoryStatus.PROPOSED))
    store.save(memory("old", "m1", importance=9, status=MemoryStatus.PROPOSED))
    store.save(memory("new", "m1", status=MemoryStatus.ACTIVE))
    assert [(change.change, change.text) for change in store.changes("m1")] == [("edited", "old"), ("active", "old")]
    store.delete("m1")
    assert store.changes("m1") == []


def test_the_answers_that_used_a_memory_are_known(engine: Engine, store: MemoryStore, clock: TickingClock) -> None:
    threads, log = SqlThreads(engine, clock), SqlRunLog(engine, clock)
    thread, other = threads.create("T", "", ""), threads.create("O", "", "")
    runs = [log.start(RunRequest(f"q{at}", ""), each.id, "e") for at, each in enumerate((thread, thread, other))]
    store.save(memory("cat"))
    for run in runs:
        store.touch(["cat", "unknown"], run.id)
    store.touch(["cat"], runs[0].id)
    store.touch(["cat"], "gone")
    threads.put_away(other.id)
    assert [(use.question, use.thread_id) for use in store.uses("cat")] == [("q0", thread.id), ("q1", thread.id)]
    delete_thread(threads, thread.id)
    assert store.uses("cat") == []


def test_a_restored_memory_has_its_history_without_the_answers_that_are_gone(
    engine: Engine, store: MemoryStore, clock: TickingClock
) -> None:
    threads, log = SqlThreads(engine, clock), SqlRunLog(engine, clock)
    kept, gone = threads.create("T", "", ""), threads.create("O", "", "")
    for thread in (kept, gone):
        store.save(memory(f"cat of {thread.title}", "cat"))
        store.touch(["cat"], log.start(RunRequest("q", ""), thread.id, "e").id)
    cat, changes, uses = store.get("cat"), store.changes("cat"), store.uses("cat")
    store.delete("cat")
    assert (store.changes("cat"), store.uses("cat")) == ([], [])
    delete_thread(threads, gone.id)
    store.restore(cat, changes, uses)
    assert len(changes) == 1
    assert (store.get("cat"), store.changes("cat"), store.uses("cat")) == (cat, changes, uses[1:])


def test_a_deleted_memory_takes_along_those_that_it_superseded(store: MemoryStore) -> None:
    store.save(memory("cat", "new"))
    store.save(memory("dog", "older", status=MemoryStatus.SUPERSEDED, superseded_by="new"))
    store.save(memory("fish", "oldest", status=MemoryStatus.SUPERSEDED, superseded_by="older"))
    assert [one.id for one in store.superseded_by("new")] == ["older", "oldest"]
    store.delete("new")
    assert store.find() == []
    assert store.search("cat dog fish") == []
    assert store.near("cat", 9) == []


def test_a_deleted_conclusion_leaves_only_that_it_was_deleted(store: MemoryStore) -> None:
    concluded = memory("cat", "c", kind=MemoryKind.CONCLUSION)
    store.save(concluded)
    store.save(replace(concluded, text="cat cat"))
    store.delete("c")
    assert store.was_deleted("c")
    assert not any((store.changes("c"), store.uses("c"), store.find(), store.active(HERE)))
    with pytest.raises(NotFoundError):
        store.get("c")
    proposed = replace(concluded, status=MemoryStatus.PROPOSED)
    assert compared(store, proposed, StatementMeanings()).twin == proposed
    store.save(concluded)
    assert (store.get("c"), store.changes("c"), store.was_deleted("c")) == (concluded, [], False)


def test_what_was_deleted_does_not_return_because_it_was_about_to_be_changed(
    engine: Engine, store: MemoryStore
) -> None:
    concluded = memory("cat", "c", kind=MemoryKind.CONCLUSION)
    store.save(concluded)
    changed = replace(concluded, text="cat cat")
    interleaved(engine, lambda: store.save(changed), "SELECT", lambda: store.delete("c"))
    assert store.was_deleted("c")
    assert store.changes("c") == []


def test_two_processes_may_make_vectors_of_the_same_memories_in_another_order(
    engine: Engine, store: MemoryStore, clock: TickingClock
) -> None:
    for text in ("cat", "dog"):
        store.save(memory(text))
    other = SqlMemoryStore(engine, AxesEmbedder(), clock)
    interleaved(engine, lambda: store.search("cat", Scope("")), "UPDATE memories", lambda: other.search("cat"))
    assert store.search("cat")[0].memory.id == "cat"


def test_memories_may_be_used_while_their_vectors_are_made(
    engine: Engine, store: MemoryStore, clock: TickingClock
) -> None:
    for text in ("dog", "cat"):
        store.save(memory(text))
    other = SqlMemoryStore(engine, AxesEmbedder(), clock)
    interleaved(engine, lambda: store.search("cat"), "UPDATE memories", lambda: other.touch(["dog", "cat"]))
    assert [found.memory.uses for found in store.search("cat")] == [1, 1]


def test_two_imports_may_save_the_same_memory_at_once(engine: Engine, store: MemoryStore) -> None:
    told = memory("cat", "c")
    interleaved(engine, lambda: store.save(told), "memories", lambda: store.save(told))
    assert store.find() == [told]
    assert store.changes("c") == []


def test_an_answer_may_be_removed_while_what_it_says_is_noted(engine: Engine, store: MemoryStore) -> None:
    store.save(memory("cat", "c"))
    log, thread = SqlRunLog(engine), SqlThreads(engine).create("T", "", "").id
    run = log.start(RunRequest("q", ""), thread, "e")
    log.finish(replace(run, status=RunStatus.DONE))
    interleaved(
        engine, lambda: SqlRunLists(engine).remove(RunFilter()), "DELETE FROM runs", lambda: store.touch(["c"], run.id)
    )
    assert store.get("c").uses == 1
    assert store.uses("c") == []


@pytest.mark.parametrize("way", ["put away", "purged"])
def test_what_a_chat_led_to_goes_with_it_and_what_was_said_there_stays(
    engine: Engine, store: MemoryStore, clock: TickingClock, way: str
) -> None:
    threads = SqlThreads(engine, clock)
    thread = threads.create("T", "", "")
    kinds = {"said": MemoryKind.FACT, "concluded": MemoryKind.CONCLUSION}
    for name, kind in kinds.items():
        store.save(memory(f"cat {name}", thread_id=thread.id, kind=kind))
    store.save(memory("cat proposed", thread_id=thread.id, status=MemoryStatus.PROPOSED))
    threads.put_away(thread.id)
    if way == "purged":
        threads.purge(datetime(2030, 1, 1, tzinfo=UTC))
    assert [one.text for one in store.find()] == texts(store.search("cat")) == ["cat said"]
    assert [one.text for one in store.active(HERE)] == texts(store.search("cat", HERE)) == ["cat said"]
    assert store.alike(2.0, 9) == []
    if way == "put away":
        threads.restore(thread.id)
        assert len(store.find()) == 3


def test_a_conclusion_goes_with_a_document_that_it_rests_on(
    engine: Engine, store: MemoryStore, clock: TickingClock
) -> None:
    threads, log = SqlThreads(engine, clock), SqlRunLog(engine, clock)
    library = sql_library(engine, lambda: MADE)
    thread = threads.create("T", "", "")
    base = library.bases.create("B")
    document = library.documents.add(base.id, "d.pdf", "f" * 64, 3, "application/pdf")[0].id
    run = log.start(RunRequest("q", ""), thread.id, "e")
    cited = Citation(1, "c", document, "d.pdf", 0, (), "cat", 0.9)
    log.finish(replace(run, status=RunStatus.DONE, answer="cat", citations=(cited,)))
    store.save(memory("cat", run_id=run.id, kind=MemoryKind.CONCLUSION))
    store.save(memory("cat said", run_id=run.id))
    assert [one.text for one in store.of_documents([document])] == ["cat"]
    library.documents.delete(document)
    assert [one.text for one in store.find()] == texts(store.search("cat", HERE)) == ["cat said"]
    with pytest.raises(NotFoundError):
        store.get("cat")


def test_what_a_run_led_to_goes_with_it_and_does_not_come_back_where_its_document_is_deleted(
    engine: Engine, store: MemoryStore, clock: TickingClock
) -> None:
    threads, log, library = SqlThreads(engine, clock), SqlRunLog(engine, clock), sql_library(engine)
    document = library.documents.add(library.bases.create("B").id, "d.pdf", "f" * 64, 3, "application/pdf")[0].id
    run = log.start(RunRequest("q", ""), threads.create("T", "", "").id, "e")
    cited = Citation(1, "c", document, "d.pdf", 0, (), "cat", 0.9)
    log.finish(replace(run, status=RunStatus.DONE, answer="cat", citations=(cited,)))
    store.save(memory("cat", run_id=run.id, kind=MemoryKind.CONCLUSION))
    store.save(memory("cat proposed", run_id=run.id, status=MemoryStatus.PROPOSED))
    store.save(memory("cat said", run_id=run.id))
    library.documents.delete(document)
    SqlRunLists(engine).remove(RunFilter())
    assert [one.text for one in store.find()] == ["cat said"]


def test_a_conclusion_comes_back_with_its_document_but_not_with_the_same_file_added_again(
    engine: Engine, store: MemoryStore, clock: TickingClock
) -> None:
    log = SqlRunLog(engine, clock)
    library, later = sql_library(engine, lambda: MADE), sql_library(engine, clock)
    base = library.bases.create("B")
    document = library.documents.add(base.id, "d.pdf", "f" * 64, 3, "application/pdf")[0]
    run = log.start(RunRequest("q", ""), SqlThreads(engine, clock).create("T", "", "").id, "e")
    log.finish(
        replace(run, status=RunStatus.DONE, citations=(Citation(1, "c", document.id, "d.pdf", 0, (), "cat", 1),))
    )
    store.save(memory("cat", run_id=run.id, kind=MemoryKind.CONCLUSION))
    library.documents.delete(document.id)
    later.publications.restore(document, None)
    assert [one.text for one in store.find()] == ["cat"]
    library.documents.delete(document.id)
    assert later.documents.add(base.id, "d.pdf", "f" * 64, 3, "application/pdf")[0].id == document.id
    assert store.find() == []
    store.save(memory("cat", run_id=run.id, kind=MemoryKind.CONCLUSION, created_at=clock()))
    assert [one.text for one in store.find()] == ["cat"]
