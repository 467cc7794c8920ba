"""What every store of passages does."""

from dataclasses import replace

from core.documents.model import KnowledgeBase
from core.documents.ports.library import Library
from core.search.ports import IndexEntry
from tests.contracts.libraries import base, graph, library
from tests.store.databases import clock, engine, migrated_file
from tests.store.samples import add, publication, publish

__all__ = ["base", "clock", "engine", "graph", "library", "migrated_file"]


class TestPassages:
    def test_passages_keep_the_order_asked_for_and_leave_out_what_cannot_be_shown(
        self, library: Library, base: KnowledgeBase
    ) -> None:
        document = add(library, base, "a.pdf")
        made = publication(document, base, ["one", "two", "three"])
        hidden = replace(made.chunks[1], enabled=False)
        library.publications.publish(replace(made, chunks=(made.chunks[0], hidden, made.chunks[2])))
        ids = [made.chunks[2].id, "unknown", hidden.id, made.chunks[0].id]
        passages = library.passages.get(ids)
        assert [passage.chunk.text for passage in passages] == ["three", "one"]
        assert (passages[0].document_name, passages[0].parser) == ("a.pdf", "sample 1")
        assert library.passages.get([]) == []
        assert library.passages.visible(ids) == {ids[0], ids[3]}
        assert library.passages.texts([ids[0], "unknown"]) == {ids[0]: "three"}

    def test_beside_a_chunk_are_those_before_and_after_it(self, library: Library, base: KnowledgeBase) -> None:
        document = publish(library, base, "a.pdf", "one", "two", "three", "four")
        publish(library, base, "b.pdf", "elsewhere")
        chunks = library.passages.chunks(document.id)
        beside = [[it.text for it in library.passages.beside(chunk)] for chunk in chunks]
        assert beside == [["two"], ["one", "three"], ["two", "four"], ["three"]]

    def test_more_ids_than_one_statement_takes_are_read_too(self, library: Library, base: KnowledgeBase) -> None:
        document = publish(library, base, "a.pdf", *(f"text {i}" for i in range(1_100)))
        ids = [chunk.id for chunk in library.passages.chunks(document.id)][::-1]
        assert [passage.chunk.id for passage in library.passages.get(ids)] == ids

    def test_index_entries_cover_every_ready_document_in_batches(self, library: Library, base: KnowledgeBase) -> None:
        document = publish(library, base, "a.pdf", *(f"text {i}" for i in range(1_100)))
        add(library, base, "waiting.pdf")
        publish(library, library.bases.create("Other"), "b.pdf", "elsewhere")
        batches = list(library.passages.index_entries(base.id, "chunks"))
        assert len(batches) > 1
        chunk = library.passages.chunks(document.id)[0]
        assert batches[0][0] == IndexEntry(chunk.id, document.id, "Title of a.pdf", "Part\n0", "text 0")
        assert [entry.chunk_id for batch in batches for entry in batch] == [
            c.id for c in library.passages.chunks(document.id)
        ]
        summaries = [entry.text for batch in library.passages.index_entries(base.id, "summaries") for entry in batch]
        assert summaries == ["About a.pdf"]
