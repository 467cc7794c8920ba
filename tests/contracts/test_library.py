"""What every Library does."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import Engine

from core.adapters.sql.graph import SqlGraph
from core.adapters.sql.library import SqlLibrary
from core.domain.documents import Block, Chunk, DocumentStatus, KnowledgeBase, Span, Stage, StageProgress, Summary
from core.errors import InputError, NotFoundError
from core.ports import IndexEntry, KnowledgeGraph, Library
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


class TestBases:
    def test_a_new_base_is_found_by_id_and_by_name_in_any_case(self, library: Library, base: KnowledgeBase) -> None:
        assert library.base(base.id) == base
        assert library.base_named("  pApErs ") == base
        assert library.bases() == [base]

    @pytest.mark.parametrize("name", ["", "   ", "\n\t", "\u200b", "x" * 101])
    def test_a_name_that_nobody_could_read_is_refused(self, library: Library, name: str) -> None:
        with pytest.raises(InputError):
            library.create_base(name)
        assert library.bases() == []

    def test_a_taken_name_is_refused_when_creating_and_renaming(self, library: Library, base: KnowledgeBase) -> None:
        other = library.create_base("Other")
        with pytest.raises(InputError, match="Papers"):
            library.create_base("Papers")
        with pytest.raises(InputError, match="papers"):
            library.rename_base(other.id, "papers")
        assert library.base(other.id).name == "Other"

    def test_a_renamed_base_keeps_its_id_and_frees_its_name(self, library: Library, base: KnowledgeBase) -> None:
        library.rename_base(base.id, "Articles")
        again = library.create_base("Papers")
        assert library.base(base.id).name == "Articles"
        assert again.id != base.id

    def test_a_base_keeps_the_entity_classes_it_was_given(self, library: Library, base: KnowledgeBase) -> None:
        assert library.base(base.id).entity_types == ()
        library.set_entity_types(base.id, ["GENE", "药物"])
        assert library.base(base.id).entity_types == ("GENE", "药物")
        library.set_entity_types(base.id, [])
        assert library.bases()[0].entity_types == ()

    def test_markup_and_control_signs_in_a_name_are_kept_as_text(self, library: Library) -> None:
        assert library.create_base("<b>\x00A</b>\r\nB").name == "<b> A</b> B"

    def test_a_deleted_base_comes_back_as_it_was_unless_its_name_is_taken(
        self, library: Library, base: KnowledgeBase
    ) -> None:
        library.set_entity_types(base.id, ["PERSON"])
        before = library.base(base.id)
        library.restore_base(before)
        assert library.bases() == [before]
        library.delete_base(base.id)
        library.restore_base(before)
        assert library.bases() == [before]
        library.rename_base(base.id, "Elsewhere")
        renamed = library.base(base.id)
        library.delete_base(base.id)
        library.create_base("elsewhere")
        with pytest.raises(InputError):
            library.restore_base(renamed)

    def test_a_deleted_base_takes_everything_with_it(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        document = publish(library, base, "a.pdf", "BERT uses attention.")
        library.delete_base(base.id)
        assert library.bases() == []
        assert library.chunks(document.id) == []
        assert graph.search(base.id, "bert", 5) == []
        with pytest.raises(NotFoundError):
            library.document(document.id)

    def test_unknown_bases_are_reported(self, library: Library) -> None:
        assert library.base_named("nothing") is None
        with pytest.raises(NotFoundError):
            library.base("nothing")
        with pytest.raises(NotFoundError):
            library.rename_base("nothing", "Name")
        with pytest.raises(NotFoundError):
            library.set_entity_types("nothing", ["GENE"])
        with pytest.raises(NotFoundError):
            library.add_document("nothing", "a.pdf", "0" * 64, 1, "application/pdf")


class TestForms:
    def test_a_document_can_be_marked_as_a_form_and_unmarked(self, library: Library, base: KnowledgeBase) -> None:
        document = add(library, base, "leave.pdf")
        assert not document.form
        library.mark_form(document.id, True)
        assert library.document(document.id).form
        library.mark_form(document.id, False)
        assert not library.documents(base.id)[0].form

    def test_only_a_document_that_is_there_can_be_a_form(self, library: Library) -> None:
        with pytest.raises(NotFoundError):
            library.mark_form("nowhere", True)


class TestProgress:
    def test_the_same_bytes_are_one_document_of_a_base(self, library: Library, base: KnowledgeBase) -> None:
        first, is_new = library.add_document(base.id, "a.pdf", "f" * 64, 3_000_000_000, "application/pdf")
        second, is_new_again = library.add_document(base.id, "copy of a.pdf", "f" * 64, 3_000_000_000, "text/plain")
        assert (is_new, is_new_again) == (True, False)
        assert first == second == library.document(first.id)
        assert first.size == 3_000_000_000
        elsewhere, is_new_there = library.add_document(library.create_base("B").id, "a.pdf", "f" * 64, 1, "text/plain")
        assert is_new_there
        assert elsewhere.id != first.id

    def test_status_follows_from_what_happened(self, library: Library, base: KnowledgeBase) -> None:
        document = add(library, base, "a.pdf")
        statuses = [document.status]

        def look() -> None:
            statuses.append(library.document(document.id).status)

        library.record_stage(document.id, StageProgress(Stage.PARSE, "running", 1, 9, "pages"))
        look()
        library.record_stage(document.id, StageProgress(Stage.PARSE, "failed", 2, 9, "pages"))
        library.fail(document.id, "error.unexpected", {"kind": "ValueError"})
        look()
        library.restart(document.id)
        look()
        library.cancel(document.id)
        look()
        library.restart(document.id)
        library.publish(publication(document, base, ["BERT"]))
        look()
        assert [str(status) for status in statuses] == [
            "queued",
            "running",
            "failed",
            "queued",
            "cancelled",
            "ready",
        ]

    def test_a_failure_keeps_its_key_and_parameters_until_a_restart(
        self, library: Library, base: KnowledgeBase
    ) -> None:
        document = add(library, base, "a.pdf")
        library.fail(document.id, "error.unexpected", {"kind": "X", "a": "1"})
        failed = library.document(document.id)
        assert (failed.error_key, failed.error_params) == ("error.unexpected", (("a", "1"), ("kind", "X")))
        library.restart(document.id)
        assert library.document(document.id).error_key == ""
        assert library.stages(document.id) == []

    def test_stages_come_in_pipeline_order_with_their_newest_numbers(
        self, library: Library, base: KnowledgeBase
    ) -> None:
        document = add(library, base, "a.pdf")
        chunk = StageProgress(Stage.CHUNK, "running", 2, 5, "chunks", 0.5, "note")
        parse = StageProgress(Stage.PARSE, "done", 9, 9, "pages", 1.25)
        library.record_stage(document.id, chunk)
        library.record_stage(document.id, replace(parse, status="running", done=1))
        library.record_stage(document.id, parse)
        assert library.stages(document.id) == [parse, chunk]

    def test_documents_come_in_the_order_they_were_added(self, library: Library, base: KnowledgeBase) -> None:
        names = ["c.pdf", "a.pdf", "b.pdf"]
        for name in names:
            add(library, base, name)
        assert [document.name for document in library.documents(base.id)] == names

    def test_work_on_a_deleted_document_is_reported(self, library: Library, base: KnowledgeBase) -> None:
        document = add(library, base, "a.pdf")
        library.delete_document(document.id)
        library.delete_document(document.id)
        library.fail(document.id, "error.unexpected", {"kind": "X"})
        for work in (
            lambda: library.document(document.id),
            lambda: library.restart(document.id),
            lambda: library.cancel(document.id),
            lambda: library.record_stage(document.id, StageProgress(Stage.PARSE, "running")),
            lambda: library.publish(publication(document, base, ["BERT"])),
            lambda: library.preview_deletion(document.id),
        ):
            with pytest.raises(NotFoundError):
                work()


class TestPublishing:
    def test_everything_published_comes_back_as_it_was(self, library: Library, base: KnowledgeBase) -> None:
        document = add(library, base, "a.pdf")
        span = Span(0, 4, 7, 2, (1, 2, 3, 4))
        chunk = Chunk("c1", document.id, 0, "text 文字", ("标题", "Two"), (span, replace(span, start=4, box=None)))
        blocks = (
            Block(0, 0, "text", "Title", 1, (1, 2, 3, 4)),
            Block(1, 1, "table", "a | b", html="<table><script>"),
        )
        summary = Summary("s1", document.id, ("标题",), "short")
        library.publish(
            replace(
                publication(document, base, []),
                blocks=blocks,
                chunks=(chunk, Chunk("c2", document.id, 1, "", (), ())),
                summaries=(summary,),
                notes=("documents.note.x",),
                title="T",
                language="zh-hans",
                pages=3,
            )
        )
        ready = library.document(document.id)
        assert library.blocks(document.id) == list(blocks)
        assert library.blocks(document.id, 1) == [blocks[1]]
        assert library.chunks(document.id)[0] == chunk
        assert library.summaries([document.id, "unknown"]) == [summary]
        assert (ready.status, ready.chunks, ready.pages, ready.notes) == (
            DocumentStatus.READY,
            2,
            3,
            ("documents.note.x",),
        )
        assert (ready.title, ready.language, ready.parser) == ("T", "zh-hans", "sample 1")

    def test_text_that_no_database_takes_is_replaced_in_place(self, library: Library, base: KnowledgeBase) -> None:
        document = add(library, base, "a\x00\ud800.pdf")
        broken = "ab\x00cd\udfffef 👍"
        library.publish(
            replace(
                publication(document, base, []),
                title=broken,
                chunks=(Chunk("c1", document.id, 0, broken, (broken, "\\u0000"), ()),),
            )
        )
        stored = library.chunks(document.id)[0]
        assert stored.text == "ab\ufffdcd\ufffdef 👍"
        assert stored.section == ("ab\ufffdcd\ufffdef 👍", "\\u0000")
        assert library.document(document.id).name == "a\ufffd\ufffd.pdf"

    def test_publishing_raises_the_index_version_and_clears_a_failure(
        self, library: Library, base: KnowledgeBase
    ) -> None:
        document = add(library, base, "a.pdf")
        library.fail(document.id, "error.unexpected", {"kind": "X"})
        library.publish(publication(document, base, ["BERT"]))
        ready = library.document(document.id)
        assert (ready.status, ready.error_key, library.base(base.id).index_version) == (DocumentStatus.READY, "", 1)
        assert ready.ready_at == datetime(2026, 11, 20, 12, 0, 3, tzinfo=UTC)

    def test_publishing_again_replaces_every_part(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        document = publish(library, base, "a.pdf", "BERT at Google", "attention")
        library.publish(publication(document, base, ["London"]))
        assert [chunk.text for chunk in library.chunks(document.id)] == ["London"]
        assert len(library.blocks(document.id)) == len(library.summaries([document.id])) == 1
        assert [found.name for found in graph.search(base.id, "", 10)] == ["London"]
        assert library.document(document.id).entities == 1

    def test_publishing_the_same_again_changes_nothing_that_is_read(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        document = publish(library, base, "a.pdf", "BERT at Google")
        before = (library.chunks(document.id), list(graph.all(base.id)), graph.view(base.id, [], 1, 10))
        library.publish(publication(document, base, ["BERT at Google"]))
        assert (library.chunks(document.id), list(graph.all(base.id)), graph.view(base.id, [], 1, 10)) == before

    def test_a_publication_that_fails_leaves_nothing(self, library: Library, base: KnowledgeBase) -> None:
        document = add(library, base, "a.pdf")
        chunk = Chunk("same", document.id, 0, "BERT", (), ())
        with pytest.raises(Exception, match="chunks"):
            library.publish(replace(publication(document, base, ["BERT"]), chunks=(chunk, chunk)))
        assert library.document(document.id).status is DocumentStatus.QUEUED
        assert (library.chunks(document.id), library.blocks(document.id)) == ([], [])
        assert library.base(base.id).index_version == 0


class TestPassages:
    def test_passages_keep_the_order_asked_for_and_leave_out_what_cannot_be_shown(
        self, library: Library, base: KnowledgeBase
    ) -> None:
        document = add(library, base, "a.pdf")
        made = publication(document, base, ["one", "two", "three"])
        hidden = replace(made.chunks[1], enabled=False)
        library.publish(replace(made, chunks=(made.chunks[0], hidden, made.chunks[2])))
        ids = [made.chunks[2].id, "unknown", hidden.id, made.chunks[0].id]
        passages = library.passages(ids)
        assert [passage.chunk.text for passage in passages] == ["three", "one"]
        assert passages[0].document_name == "a.pdf"
        assert library.passages([]) == []
        assert library.visible(ids) == {ids[0], ids[3]}

    def test_more_ids_than_one_statement_takes_are_read_too(self, library: Library, base: KnowledgeBase) -> None:
        document = publish(library, base, "a.pdf", *(f"text {i}" for i in range(1_100)))
        ids = [chunk.id for chunk in library.chunks(document.id)][::-1]
        assert [passage.chunk.id for passage in library.passages(ids)] == ids

    def test_index_entries_cover_every_ready_document_in_batches(self, library: Library, base: KnowledgeBase) -> None:
        document = publish(library, base, "a.pdf", *(f"text {i}" for i in range(1_100)))
        add(library, base, "waiting.pdf")
        publish(library, library.create_base("Other"), "b.pdf", "elsewhere")
        batches = list(library.index_entries(base.id, "chunks"))
        assert len(batches) > 1
        chunk = library.chunks(document.id)[0]
        assert batches[0][0] == IndexEntry(chunk.id, document.id, "Title of a.pdf", "Part\n0", "text 0")
        assert [entry.chunk_id for batch in batches for entry in batch] == [c.id for c in library.chunks(document.id)]
        summaries = [entry.text for batch in library.index_entries(base.id, "summaries") for entry in batch]
        assert summaries == ["About a.pdf"]


class TestDeletion:
    def test_deleting_takes_exactly_what_only_this_document_supports(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        kept = publish(library, base, "kept.pdf", "BERT and attention")
        gone = publish(library, base, "gone.pdf", "BERT at Google in London", "attention")
        preview = library.preview_deletion(gone.id)
        assert (preview.chunks, preview.entities_removed, preview.entities_kept) == (2, 2, 2)
        version = library.base(base.id).index_version
        library.delete_document(gone.id)
        left = {found.name: (found.mentions, found.documents) for found in graph.search(base.id, "", 10)}
        assert left == {"BERT": (1, 1), "attention": (1, 1)}
        assert [document.id for document in library.documents(base.id)] == [kept.id]
        assert (library.blocks(gone.id), library.summaries([gone.id])) == ([], [])
        assert library.base(base.id).index_version == version + 1

    def test_a_stated_relation_supports_its_entities(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        stating = add(library, base, "stating.pdf")
        library.publish(publication(stating, base, ["x"], stated=[("BERT", "Google", "MADE_BY")]))
        mentioning = publish(library, base, "mentioning.pdf", "BERT and attention")
        assert library.preview_deletion(mentioning.id).entities_kept == 1
        library.delete_document(mentioning.id)
        assert {found.name for found in graph.search(base.id, "", 9)} == {"BERT", "Google"}
        library.delete_document(stating.id)
        assert graph.search(base.id, "", 9) == []

    def test_an_entity_is_shown_by_the_name_most_documents_use_in_whatever_order_they_come(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        spellings = {"one.pdf": "BERT", "two.pdf": "Bert", "three.pdf": "Bert"}
        documents = {name: add(library, base, name) for name in spellings}
        shown = []
        for name, spelling in spellings.items():
            library.publish(publication(documents[name], base, [spelling], {spelling: "TECHNOLOGY"}))
            shown.append(graph.entity(entity(base, "bert", "TECHNOLOGY").id).name)
        library.delete_document(documents["three.pdf"].id)
        shown.append(graph.entity(entity(base, "bert", "TECHNOLOGY").id).name)
        library.delete_document(documents["one.pdf"].id)
        shown.append(graph.entity(entity(base, "bert", "TECHNOLOGY").id).name)
        assert shown == ["BERT", "BERT", "Bert", "BERT", "Bert"]

    def test_aliases_go_with_the_document_that_gave_them(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        publish(library, base, "a.pdf", "BERT")
        other = add(library, base, "b.pdf")
        made = publication(other, base, ["BERT"])
        renamed = replace(made.entities[0], aliases=("the bidirectional one", "bert", "The Bidirectional One"))
        library.publish(replace(made, entities=(renamed,)))
        long_form = "Bidirectional Encoder Representations from Transformers"
        assert graph.entity(renamed.id).aliases == (long_form, "The Bidirectional One")
        library.delete_document(other.id)
        assert graph.entity(renamed.id).aliases == (long_form,)
