"""What every QuestionSearch and every store of Preferences does."""

import pytest
from sqlalchemy import Engine

from core.people.store.preferences import SqlPreferences
from core.runs.model import RunPurpose, RunRequest
from core.runs.store.question_search import SqlQuestionSearch
from core.runs.store.run_log import SqlRunLog
from core.runs.store.threads import SqlThreads
from tests.contracts.test_memory_store import AxesEmbedder
from tests.store.databases import engine, migrated_file
from tests.store.interleaving import interleaved
from tests.store.samples import delete_thread

__all__ = ["engine", "migrated_file"]


class WordsEmbedder(AxesEmbedder):
    @property
    def semantic(self) -> bool:
        return False


def test_threads_are_found_by_what_their_questions_mean(engine: Engine) -> None:
    embedder = AxesEmbedder()
    threads, log = SqlThreads(engine), SqlRunLog(engine)
    search = SqlQuestionSearch(engine, embedder)
    assert search.near("cat", 9) == []
    pets, sea, away = (threads.create(title, "", "") for title in ("pets", "sea", "away"))
    for thread, question in ((pets, "dog"), (pets, "cat cat dog"), (sea, "fish"), (away, "cat")):
        log.start(RunRequest(question, ""), thread.id, "e")
    threads.put_away(away.id)
    found = search.near("cat", 9)
    assert [thread_id for thread_id, _ in found] == [pets.id, sea.id]
    assert [distance for _, distance in found] == pytest.approx([1 - 2 / 5**0.5, 1.0], abs=1e-6)
    search.near("dog", 9)
    assert sorted(embedder.asked) == ["cat", "cat cat dog", "dog", "fish"]
    other = SqlQuestionSearch(engine, AxesEmbedder("axes-2", ("dog", "cat", "fish")))
    assert other.near("cat", 1)[0][0] == pets.id


@pytest.mark.parametrize("way", ["searched by another process, too", "deleted meanwhile"])
def test_vectors_are_noted_whatever_happens_to_their_questions_meanwhile(engine: Engine, way: str) -> None:
    threads, log = SqlThreads(engine), SqlRunLog(engine)
    pets, sea = (threads.create(title, "", "") for title in ("pets", "sea"))
    for thread, question in ((pets, "cat"), (sea, "fish")):
        log.start(RunRequest(question, ""), thread.id, "e")

    def meanwhile() -> None:
        if way == "deleted meanwhile":
            delete_thread(threads, sea.id)
        else:
            SqlQuestionSearch(engine, AxesEmbedder()).near("cat", 9)

    search = SqlQuestionSearch(engine, AxesEmbedder())
    interleaved(engine, lambda: search.near("cat", 9), "FROM runs \nWHERE runs.id IN", meanwhile)
    assert search.near("cat", 1)[0][0] == pets.id


def test_questions_of_programs_and_evaluations_take_no_place(engine: Engine) -> None:
    embedder = AxesEmbedder()
    threads, log = SqlThreads(engine), SqlRunLog(engine)
    chat = threads.create("pets", "", "")
    log.start(RunRequest("dog", ""), chat.id, "e")
    for purpose in (RunPurpose.API, RunPurpose.EVALUATION):
        log.start(RunRequest("cat", "", purpose=purpose), threads.create("", "", "", purpose).id, "e")
    assert [thread_id for thread_id, _ in SqlQuestionSearch(engine, embedder).near("cat", 1)] == [chat.id]
    assert embedder.asked == ["dog"]


def test_an_embedder_that_knows_words_alone_finds_nothing(engine: Engine) -> None:
    threads = SqlThreads(engine)
    SqlRunLog(engine).start(RunRequest("cat", ""), threads.create("T", "", "").id, "e")
    assert SqlQuestionSearch(engine, WordsEmbedder()).near("cat", 9) == []


def test_two_pages_may_keep_a_choice_at_once(engine: Engine) -> None:
    preferences = SqlPreferences(engine)
    interleaved(
        engine,
        lambda: preferences.keep("base", "one"),
        "preferences",
        lambda: preferences.keep("base", "other"),
    )
    assert preferences.all() == {"base": "other"}


def test_the_last_choice_is_kept(engine: Engine) -> None:
    preferences = SqlPreferences(engine)
    preferences.keep("base", "b1")
    preferences.keep("base", "b2")
    preferences.keep("uses", ["memory"])
    assert preferences.all() == {"base": "b2", "uses": ["memory"]}
