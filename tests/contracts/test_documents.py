"""What every store of documents does."""

from dataclasses import replace

import pytest

from core.documents.model import KnowledgeBase, Stage, StageProgress
from core.documents.ports.library import Library
from core.graph.ports import KnowledgeGraph
from core.platform.errors import NotFoundError
from tests.contracts.libraries import base, graph, library
from tests.store.databases import clock, engine, migrated_file
from tests.store.samples import add, entity, publication, publish

__all__ = ["base", "clock", "engine", "graph", "library", "migrated_file"]


class TestAdding:
    def test_the_same_bytes_are_one_document_of_a_base(self, library: Library, base: KnowledgeBase) -> None:
        first, is_new = library.documents.add(base.id, "a.pdf", "f" * 64, 3_000_000_000, "application/pdf")
        second, is_new_again = library.documents.add(base.id, "copy of a.pdf", "f" * 64, 3_000_000_000, "text/plain")
        assert (is_new, is_new_again) == (True, False)
        assert first == second == library.documents.get(first.id)
        assert first.size == 3_000_000_000
        elsewhere, is_new_there = library.documents.add(
            library.bases.create("B").id, "a.pdf", "f" * 64, 1, "text/plain"
        )
        assert is_new_there
        assert elsewhere.id != first.id

    def test_documents_come_in_the_order_they_were_added(self, library: Library, base: KnowledgeBase) -> None:
        names = ["c.pdf", "a.pdf", "b.pdf"]
        for name in names:
            add(library, base, name)
        assert [document.name for document in library.documents.of_base(base.id)] == names

    def test_work_on_a_deleted_document_is_reported(self, library: Library, base: KnowledgeBase) -> None:
        document = add(library, base, "a.pdf")
        library.documents.delete(document.id)
        library.documents.delete(document.id)
        library.ingest_records.fail(document.id, "error.unexpected", {"kind": "X"})
        for work in (
            lambda: library.documents.get(document.id),
            lambda: library.ingest_records.restart(document.id),
            lambda: library.ingest_records.cancel(document.id),
            lambda: library.ingest_records.record_stage(document.id, StageProgress(Stage.PARSE, "running")),
            lambda: library.publications.publish(publication(document, base, ["BERT"])),
            lambda: library.documents.preview_deletion(document.id),
        ):
            with pytest.raises(NotFoundError):
                work()


class TestForms:
    def test_a_document_can_be_marked_as_a_form_and_unmarked(self, library: Library, base: KnowledgeBase) -> None:
        document = add(library, base, "leave.pdf")
        assert not document.form
        library.documents.mark_form(document.id, True)
        assert library.documents.get(document.id).form
        library.documents.mark_form(document.id, False)
        assert not library.documents.of_base(base.id)[0].form

    def test_only_a_document_that_is_there_can_be_a_form(self, library: Library) -> None:
        with pytest.raises(NotFoundError):
            library.documents.mark_form("nowhere", True)


class TestDeletion:
    def test_deleting_takes_exactly_what_only_this_document_supports(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        kept = publish(library, base, "kept.pdf", "BERT and attention")
        gone = publish(library, base, "gone.pdf", "BERT at Google in London", "attention")
        preview = library.documents.preview_deletion(gone.id)
        assert (preview.chunks, preview.entities_removed, preview.entities_kept) == (2, 2, 2)
        version = library.bases.get(base.id).index_version
        library.documents.delete(gone.id)
        left = {found.name: (found.mentions, found.documents) for found in graph.search(base.id, "", 10)}
        assert left == {"BERT": (1, 1), "attention": (1, 1)}
        assert [document.id for document in library.documents.of_base(base.id)] == [kept.id]
        assert library.passages.blocks(gone.id) == []
        assert library.bases.get(base.id).index_version == version + 1

    def test_a_stated_relation_supports_its_entities(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        stating = add(library, base, "stating.pdf")
        library.publications.publish(publication(stating, base, ["x"], stated=[("BERT", "Google", "MADE_BY")]))
        mentioning = publish(library, base, "mentioning.pdf", "BERT and attention")
        assert library.documents.preview_deletion(mentioning.id).entities_kept == 1
        library.documents.delete(mentioning.id)
        assert {found.name for found in graph.search(base.id, "", 9)} == {"BERT", "Google"}
        library.documents.delete(stating.id)
        assert graph.search(base.id, "", 9) == []

    def test_an_entity_is_shown_by_the_name_most_documents_use_in_whatever_order_they_come(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        spellings = {"one.pdf": "BERT", "two.pdf": "Bert", "three.pdf": "Bert"}
        documents = {name: add(library, base, name) for name in spellings}
        shown = []
        for name, spelling in spellings.items():
            library.publications.publish(publication(documents[name], base, [spelling], {spelling: "TECHNOLOGY"}))
            shown.append(graph.entity(entity(base, "bert", "TECHNOLOGY").id).name)
        library.documents.delete(documents["three.pdf"].id)
        shown.append(graph.entity(entity(base, "bert", "TECHNOLOGY").id).name)
        library.documents.delete(documents["one.pdf"].id)
        shown.append(graph.entity(entity(base, "bert", "TECHNOLOGY").id).name)
        assert shown == ["BERT", "BERT", "Bert", "BERT", "Bert"]

    def test_aliases_go_with_the_document_that_gave_them(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        publish(library, base, "a.pdf", "BERT")
        other = add(library, base, "b.pdf")
        made = publication(other, base, ["BERT"])
        renamed = replace(made.entities[0], aliases=("the bidirectional one", "bert", "The Bidirectional One"))
        library.publications.publish(replace(made, entities=(renamed,)))
        long_form = "Bidirectional Encoder Representations from Transformers"
        assert graph.entity(renamed.id).aliases == (long_form, "The Bidirectional One")
        library.documents.delete(other.id)
        assert graph.entity(renamed.id).aliases == (long_form,)


class TestPreview:
    def test_deleting_several_counts_what_they_support_together(self, library: Library, base: KnowledgeBase) -> None:
        one = publish(library, base, "1.pdf", "BERT at Google")
        two = publish(library, base, "2.pdf", "BERT in London")
        publish(library, base, "3.pdf", "London")
        assert library.documents.preview_deletion(one.id).entities_removed == 1
        preview = library.documents.preview_deletion(one.id, two.id)
        assert (preview.chunks, preview.entities_removed, preview.entities_kept) == (2, 2, 1)
