"""A replica of the word index: it finds what is published, wherever that was done, and nothing that is gone."""

import shutil
import threading
from dataclasses import replace
from pathlib import Path

import pytest
from sqlalchemy import Engine

from core.documents.model import KnowledgeBase
from core.documents.ports.library import Library
from core.platform.errors import RetryableServiceError
from core.platform.files.file_lock import try_lock
from core.search.index.index_replica import ReplicatedWords
from core.search.store.index_changes import SqlIndexChanges
from tests.contracts.libraries import base, library
from tests.store.databases import clock, engine, migrated_file
from tests.store.samples import publication, publish

__all__ = ["base", "clock", "engine", "library", "migrated_file"]


@pytest.fixture
def words(engine: Engine, tmp_path: Path) -> ReplicatedWords:
    return ReplicatedWords(tmp_path / "lexical", SqlIndexChanges(engine))


def found(words: ReplicatedWords, base: KnowledgeBase, query: str) -> list[str]:
    words.catch_up(base.id, 10.0)
    hits = [id for id, _ in words.search(base.id, "chunks", query, 10)]
    return sorted(words.documents_of(base.id, "chunks", hits).values())


def test_it_follows_publishing_editing_and_deleting(
    words: ReplicatedWords, library: Library, base: KnowledgeBase
) -> None:
    tides, gauges = publish(library, base, "tides.pdf", "High tide."), publish(library, base, "gauges.pdf", "A gauge.")
    assert words.lag() == {base.id: 2}
    assert words.count(base.id, "chunks") == 2
    assert found(words, base, "tide") == [tides.id]
    (chunk,) = library.passages.chunks(gauges.id)
    library.publications.replace_chunk(replace(chunk, text="A gauge of the tide."), (), ())
    kept = library.publications.get(tides.id)
    library.documents.delete(tides.id)
    assert words.lag() == {base.id: 2}
    assert found(words, base, "tide") == [gauges.id]
    library.publications.restore(tides, kept)
    assert found(words, base, "tide") == sorted([tides.id, gauges.id])
    assert words.lag() == {base.id: 0}


def test_what_an_app_does_beside_publishing_changes_nothing(
    words: ReplicatedWords, library: Library, base: KnowledgeBase
) -> None:
    document = publish(library, base, "tides.pdf", "High tide.")
    assert found(words, base, "tide") == [document.id]
    words.upsert(base.id, "chunks", [])
    words.delete_documents(base.id, [document.id])
    words.delete_base(base.id)
    assert found(words, base, "tide") == [document.id]


def test_a_lost_folder_and_a_database_from_a_backup_are_followed_from_the_start(
    words: ReplicatedWords, library: Library, base: KnowledgeBase, tmp_path: Path, engine: Engine
) -> None:
    document = publish(library, base, "tides.pdf", "High tide.")
    assert found(words, base, "tide") == [document.id]
    shutil.rmtree(tmp_path / "lexical" / "1")
    assert found(words, base, "tide") == [document.id]
    (tmp_path / "lexical" / "position.json").write_text(f'{{"{base.id}": [99, "~"]}}')
    again = ReplicatedWords(tmp_path / "lexical", SqlIndexChanges(engine))
    library.documents.delete(document.id)
    library.publications.publish(publication(publish(library, base, "new.pdf", "x"), base, ["Low tide."]))
    assert len(found(again, base, "tide")) == 1


def test_a_deleted_base_goes_and_another_process_that_follows_is_waited_for(
    words: ReplicatedWords, library: Library, base: KnowledgeBase, tmp_path: Path
) -> None:
    publish(library, base, "tides.pdf", "High tide.")
    assert words.count(base.id, "chunks") == 1
    other = try_lock(tmp_path / "lexical" / "follow.lock")
    assert other
    with pytest.raises(RetryableServiceError, match="writing to the search index"):
        words.catch_up(base.id, 0.1)
    other.release()
    library.bases.delete(base.id)
    words._follow(threading.Event())
    assert not list((tmp_path / "lexical" / "1").glob(f"{base.id}/*"))
