"""What every Library does when people change what was published: edits, switches, undo, replacement."""

from dataclasses import replace

import pytest
from sqlalchemy import Engine

from core.adapters.sql.canonical import canonical_dump
from core.adapters.sql.graph import SqlGraph
from core.adapters.sql.library import SqlLibrary
from core.domain.documents import Chunk, DocumentStatus, KnowledgeBase, Span
from core.domain.knowledge import Mention
from core.errors import NotFoundError
from core.ports import KnowledgeGraph, Library
from tests.sql.databases import TickingClock, clock, engine, migrated_file
from tests.sql.samples import add, entity, publication, publish

__all__ = ["clock", "engine", "migrated_file"]


@pytest.fixture
def library(engine: Engine, clock: TickingClock) -> Library:
    return SqlLibrary(engine, clock)


@pytest.fixture
def graph(engine: Engine) -> KnowledgeGraph:
    return SqlGraph(engine)


@pytest.fixture
def base(library: Library) -> KnowledgeBase:
    return library.create_base("Papers")


def mention_of(chunk: Chunk, base: KnowledgeBase, name: str) -> Mention:
    start = chunk.text.index(name)
    parts = (chunk.document_id, chunk.id, chunk.page, start, start + len(name), name, 0.8)
    return Mention(f"{chunk.id}-{name}", entity(base, name).id, *parts)


class TestReadingBack:
    def test_what_was_published_is_read_back(self, library: Library, base: KnowledgeBase) -> None:
        document = add(library, base, "a.pdf")
        made = publication(document, base, ["BERT at Google", "attention"], stated=[("BERT", "Google", "MADE_BY")])
        library.publish(made)
        found = library.publication(document.id)
        assert sorted(found.entities, key=lambda e: e.id) == sorted(made.entities, key=lambda e: e.id)
        assert sorted(found.mentions, key=lambda m: m.id) == sorted(made.mentions, key=lambda m: m.id)
        same = replace(found, entities=made.entities, mentions=made.mentions)
        assert same == made

    def test_a_document_that_is_not_ready_has_no_publication(self, library: Library, base: KnowledgeBase) -> None:
        with pytest.raises(NotFoundError):
            library.publication(add(library, base, "a.pdf").id)


class TestChunks:
    def test_another_text_brings_other_mentions_and_leaves_the_rest(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        publish(library, base, "other.pdf", "Google again")
        document = publish(library, base, "a.pdf", "BERT at Google", "BERT and attention")
        before, version = library.document(document.id), library.base(base.id).index_version
        first, second = library.chunks(document.id)
        edited = replace(first, text="London calls", original=first.text, spans=(Span(0, 12, 0, 0, None),))
        library.replace_chunk(edited, [entity(base, "London")], [mention_of(edited, base, "London")])
        assert library.chunks(document.id) == [edited, second]
        found = {e.name: (e.mentions, e.documents) for e in graph.search(base.id, "", 9)}
        assert found == {"BERT": (1, 1), "Google": (1, 1), "London": (1, 1), "attention": (1, 1)}
        assert library.document(document.id) == replace(before, entities=3)
        assert library.base(base.id).index_version == version + 1
        assert [e.name for e in graph.of_chunks([first.id])[first.id]] == ["London"]
        assert library.passages([first.id])[0].chunk.text == "London calls"
        assert "London calls" in [e.text for batch in library.index_entries(base.id, "chunks") for e in batch]

    def test_going_back_leaves_no_trace(
        self, library: Library, graph: KnowledgeGraph, engine: Engine, base: KnowledgeBase
    ) -> None:
        document = publish(library, base, "a.pdf", "BERT at Google", "BERT and attention")
        before, published = canonical_dump(engine, base.id), library.publication(document.id)
        first = library.chunks(document.id)[0]
        library.replace_chunk(replace(first, text="Nothing", original=first.text), [], [])
        assert canonical_dump(engine, base.id) != before
        mentions = [mention for mention in published.mentions if mention.chunk_id == first.id]
        library.replace_chunk(first, published.entities, mentions)
        assert canonical_dump(engine, base.id) == before
        assert graph.stats(base.id).relations == 2

    def test_a_chunk_that_is_gone_cannot_be_changed(self, library: Library, base: KnowledgeBase) -> None:
        document = publish(library, base, "a.pdf", "BERT")
        gone = replace(library.chunks(document.id)[0], id="gone")
        with pytest.raises(NotFoundError):
            library.replace_chunk(gone, [], [])
        with pytest.raises(NotFoundError):
            library.enable_chunk("gone", False)
        library.delete_document(document.id)
        with pytest.raises(NotFoundError):
            library.replace_chunk(replace(gone, document_id=document.id), [], [])

    def test_a_chunk_that_is_off_is_no_passage_and_keeps_its_mentions(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        document = publish(library, base, "a.pdf", "BERT at Google")
        chunk = library.chunks(document.id)[0]
        version = library.base(base.id).index_version
        library.enable_chunk(chunk.id, False)
        assert library.passages([chunk.id]) == []
        assert graph.chunks_of([entity(base, "BERT").id], 5) == []
        assert {e.name for e in graph.search(base.id, "", 9)} == {"BERT", "Google"}
        assert library.base(base.id).index_version == version + 1
        library.enable_chunk(chunk.id, True)
        assert library.passages([chunk.id])[0].chunk == chunk


class TestUndo:
    def test_a_deleted_document_comes_back_as_it_was(
        self, library: Library, graph: KnowledgeGraph, engine: Engine, base: KnowledgeBase
    ) -> None:
        publish(library, base, "kept.pdf", "BERT and attention")
        document = publish(library, base, "a.pdf", "BERT at Google", "London")
        library.mark_form(document.id, True)
        document = library.document(document.id)
        archived, before = library.publication(document.id), canonical_dump(engine, base.id)
        library.delete_document(document.id)
        library.restore(document, archived)
        library.restore(document, archived)
        assert library.document(document.id) == document
        assert canonical_dump(engine, base.id) == before
        assert {e.name: e.documents for e in graph.search(base.id, "", 9)}["BERT"] == 2

    def test_a_failed_document_comes_back_failed(self, library: Library, base: KnowledgeBase) -> None:
        document = add(library, base, "a.pdf")
        library.fail(document.id, "error.unexpected", {"kind": "X"})
        failed = library.document(document.id)
        library.delete_document(document.id)
        library.restore(failed, None)
        assert library.document(document.id) == failed

    def test_nothing_comes_back_into_a_base_that_is_gone(self, library: Library, base: KnowledgeBase) -> None:
        document = publish(library, base, "a.pdf", "BERT")
        archived = library.publication(document.id)
        library.delete_base(base.id)
        with pytest.raises(NotFoundError):
            library.restore(document, archived)


class TestReplacement:
    def test_the_old_document_goes_when_the_new_one_is_ready(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        old = publish(library, base, "a.pdf", "BERT at Google")
        new = add(library, base, "a (2).pdf")
        library.replace_document(new.id, old.id)
        assert library.document(new.id).replaces == old.id
        assert library.document(old.id).status is DocumentStatus.READY
        library.publish(publication(new, base, ["BERT in London"]))
        assert [document.id for document in library.documents(base.id)] == [new.id]
        assert {e.name: e.documents for e in graph.search(base.id, "", 9)} == {"BERT": 1, "London": 1}
        assert library.document(new.id).replaces == ""

    def test_a_document_of_another_base_is_not_replaced(self, library: Library, base: KnowledgeBase) -> None:
        other = publish(library, library.create_base("Other"), "a.pdf", "BERT")
        new = add(library, base, "b.pdf")
        library.replace_document(new.id, other.id)
        library.publish(publication(new, base, ["BERT"]))
        assert library.document(other.id).status is DocumentStatus.READY

    def test_deleting_several_counts_what_they_support_together(self, library: Library, base: KnowledgeBase) -> None:
        one = publish(library, base, "1.pdf", "BERT at Google")
        two = publish(library, base, "2.pdf", "BERT in London")
        publish(library, base, "3.pdf", "London")
        assert library.preview_deletion(one.id).entities_removed == 1
        preview = library.preview_deletion(one.id, two.id)
        assert (preview.chunks, preview.entities_removed, preview.entities_kept) == (2, 2, 1)
