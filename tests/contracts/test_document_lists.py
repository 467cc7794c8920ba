"""What every store of documents lists, counts and finds, without handing out every row."""

from dataclasses import replace

import pytest

from core.documents.model import (
    ACTIVE,
    EVERY,
    SETTLED,
    Document,
    DocumentFilter,
    DocumentOrder,
    DocumentStatus,
    Effort,
    KnowledgeBase,
    Stage,
    StageProgress,
)
from core.documents.ports.library import Library
from tests.contracts.libraries import base, library
from tests.store.databases import clock, engine, migrated_file
from tests.store.samples import add, publication, publish

__all__ = ["base", "clock", "engine", "library", "migrated_file"]


@pytest.fixture
def every_status(library: Library, base: KnowledgeBase) -> dict[DocumentStatus, Document]:
    """One document of each status, added in the order of the statuses."""
    made = {status: add(library, base, f"{status}.pdf") for status in DocumentStatus}
    records = library.ingest_records
    records.record_stage(made[DocumentStatus.RUNNING].id, StageProgress(Stage.PARSE, "running"))
    records.record_estimate(made[DocumentStatus.PAUSED].id, Effort(), paused=True)
    library.publications.publish(publication(made[DocumentStatus.READY], base, ["BERT"]))
    records.fail(made[DocumentStatus.FAILED].id, "error.unexpected", {"kind": "X"})
    records.cancel(made[DocumentStatus.CANCELLED].id)
    add(library, library.bases.create("Other"), "elsewhere.pdf")
    return {status: library.documents.get(document.id) for status, document in made.items()}


def names(found: list[Document]) -> list[str]:
    return [document.name for document in found]


class TestStatus:
    def test_documents_are_counted_by_the_status_that_they_show(
        self, library: Library, base: KnowledgeBase, every_status: dict[DocumentStatus, Document]
    ) -> None:
        assert {status: document.status for status, document in every_status.items()} == {
            status: status for status in DocumentStatus
        }
        assert library.documents.counts(base.id) == dict.fromkeys(DocumentStatus, 1)
        assert library.documents.counts("nowhere") == {}

    @pytest.mark.parametrize("status", DocumentStatus)
    def test_each_status_is_found_alone(
        self,
        library: Library,
        base: KnowledgeBase,
        every_status: dict[DocumentStatus, Document],
        status: DocumentStatus,
    ) -> None:
        assert library.documents.find(base.id, DocumentFilter((status,))) == [every_status[status]]
        assert library.documents.counts(base.id, DocumentFilter((status,))) == {status: 1}

    def test_what_is_settled_and_what_is_not_are_all(
        self, library: Library, base: KnowledgeBase, every_status: dict[DocumentStatus, Document]
    ) -> None:
        active = library.documents.find(base.id, DocumentFilter(ACTIVE))
        settled = library.documents.find(base.id, DocumentFilter(SETTLED))
        assert sorted(each.id for each in [*active, *settled]) == sorted(each.id for each in every_status.values())


class TestOrder:
    def test_what_asks_for_attention_comes_first(
        self, library: Library, base: KnowledgeBase, every_status: dict[DocumentStatus, Document]
    ) -> None:
        found = library.documents.find(base.id, DocumentFilter(SETTLED), DocumentOrder.STATUS)
        assert names(found) == ["paused.pdf", "failed.pdf", "cancelled.pdf", "ready.pdf"]

    def test_by_age_and_by_name(self, library: Library, base: KnowledgeBase) -> None:
        for name in ("b.pdf", "A.pdf", "c.pdf"):
            add(library, base, name)
        assert names(library.documents.find(base.id)) == ["b.pdf", "A.pdf", "c.pdf"]
        assert names(library.documents.find(base.id, order=DocumentOrder.NEWEST)) == ["c.pdf", "A.pdf", "b.pdf"]
        assert names(library.documents.find(base.id, order=DocumentOrder.NAME)) == ["A.pdf", "b.pdf", "c.pdf"]

    def test_the_largest_are_those_of_most_pages(self, library: Library, base: KnowledgeBase) -> None:
        publish(library, base, "one.pdf", "x")
        publish(library, base, "three.pdf", "x", "y", "z")
        assert names(library.documents.find(base.id, order=DocumentOrder.LARGEST)) == ["three.pdf", "one.pdf"]

    @pytest.mark.parametrize("order", DocumentOrder)
    def test_the_pages_of_a_list_make_the_whole(
        self,
        library: Library,
        base: KnowledgeBase,
        every_status: dict[DocumentStatus, Document],
        order: DocumentOrder,
    ) -> None:
        whole = library.documents.find(base.id, EVERY, order)
        pages = [library.documents.find(base.id, EVERY, order, 4, skip) for skip in (0, 4, 8)]
        assert [len(page) for page in pages] == [4, 2, 0]
        assert [each for page in pages for each in page] == whole


class TestWords:
    def test_each_word_stands_in_the_name_or_the_title_in_any_case(self, library: Library, base: KnowledgeBase) -> None:
        publish(library, base, "KelpNet note.pdf", "x")
        publish(library, base, "Handbook.pdf", "x")
        find = library.documents.find
        assert names(find(base.id, DocumentFilter(words="NOTE kelp"))) == ["KelpNet note.pdf"]
        assert names(find(base.id, DocumentFilter(words="title of hand"))) == ["Handbook.pdf"]
        assert find(base.id, DocumentFilter((DocumentStatus.FAILED,), "handbook")) == []
        assert sum(library.documents.counts(base.id, DocumentFilter(words="pdf")).values()) == 2

    @pytest.mark.parametrize("words", ["école", "ÉCOLE", "École 手册"])
    def test_letters_beyond_ascii_are_found_in_any_case(
        self, library: Library, base: KnowledgeBase, words: str
    ) -> None:
        add(library, base, "École 手册.pdf")
        assert names(library.documents.find(base.id, DocumentFilter(words=words))) == ["École 手册.pdf"]

    @pytest.mark.parametrize("words", ["%", "_", "\\", "'"])
    def test_signs_stand_for_themselves(self, library: Library, base: KnowledgeBase, words: str) -> None:
        add(library, base, "plain.pdf")
        add(library, base, f"with {words}.pdf")
        assert names(library.documents.find(base.id, DocumentFilter(words=words))) == [f"with {words}.pdf"]


class TestLookups:
    def test_ids_and_contents_that_are_there(self, library: Library, base: KnowledgeBase) -> None:
        document, other = add(library, base, "a.pdf"), library.bases.create("Other")
        assert library.documents.existing([document.id, "gone"]) == {document.id}
        assert library.documents.existing([]) == frozenset()
        assert library.documents.some(base.id, [document.id, "gone"]) == [document]
        assert library.documents.some(other.id, [document.id]) == []
        assert library.documents.several([document.id, "gone"]) == [document]
        assert library.documents.with_content(base.id, document.sha256) == document
        assert library.documents.with_content(other.id, document.sha256) is None

    def test_a_whole_name_and_forms_alone(self, library: Library, base: KnowledgeBase) -> None:
        form = add(library, base, "leave.pdf")
        add(library, base, "my leave.pdf")
        library.documents.mark_form(form.id, True)
        assert names(library.documents.find(base.id, DocumentFilter(name="leave.pdf"))) == ["leave.pdf"]
        assert names(library.documents.find(base.id, DocumentFilter(only_forms=True))) == ["leave.pdf"]

    def test_the_names_of_ready_documents_come_in_the_order_they_were_added(
        self, library: Library, base: KnowledgeBase
    ) -> None:
        ready = [publish(library, base, name, "x") for name in ("b.pdf", "a.pdf", "c.pdf")]
        add(library, base, "0 waiting.pdf")
        assert list(library.documents.ready_names(base.id, 2).items()) == [(it.id, it.name) for it in ready[:2]]
        assert [*library.documents.ready_names(base.id, 9)] == [it.id for it in ready]
        assert library.documents.ready_names("nowhere", 9) == {}

    def test_a_form_is_found_as_soon_as_it_is_marked(self, library: Library, base: KnowledgeBase) -> None:
        ready = DocumentFilter((DocumentStatus.READY,), only_forms=True)
        document = publish(library, base, "leave.pdf", "Name and date.")
        assert library.documents.find(base.id, ready) == []
        library.documents.mark_form(document.id, True)
        assert names(library.documents.find(base.id, ready)) == ["leave.pdf"]
        library.documents.mark_form(document.id, False)
        assert library.documents.find(base.id, ready) == []

    def test_ready_documents_are_found_by_what_they_are_called(self, library: Library, base: KnowledgeBase) -> None:
        assert library.documents.called(base.id, ["tide report"]) == ()
        first = publish(library, base, "Tide_Report.pdf", "x")
        add(library, base, "tide report.pdf")
        assert library.documents.called(base.id, ["tide report"]) == (first.id,)
        second = publish(library, base, "tide-report.md", "x")
        assert library.documents.called(base.id, ["tide report", "nothing"]) == (first.id, second.id)
        assert library.documents.called(base.id, []) == ()
        library.documents.delete(first.id)
        assert library.documents.called(base.id, ["tide report"]) == (second.id,)

    def test_a_document_is_found_by_its_new_title(self, library: Library, base: KnowledgeBase) -> None:
        document = publish(library, base, "a.pdf", "x")
        again = replace(publication(document, base, ["x"]), title="Buoys of the North")
        library.publications.publish(again)
        assert library.documents.called(base.id, ["buoy of the north"]) == (document.id,)
