"""What every store of publications does: whole documents, edits, undo, replacement."""

from dataclasses import replace
from datetime import UTC, datetime

import pytest
from sqlalchemy import Engine, event

from core.documents.model import Block, Chunk, DocumentStatus, KnowledgeBase, Span, Stage, StageProgress, Summary
from core.documents.ports.library import Library
from core.documents.ports.publishing import NOTHING_NOTED, Publication, WorkDone
from core.graph.model import Mention
from core.graph.ports import KnowledgeGraph
from core.platform.errors import NotFoundError
from tests.canonical_dump import canonical_dump
from tests.contracts.libraries import base, graph, library
from tests.store.databases import clock, engine, migrated_file
from tests.store.interleaving import interleaved
from tests.store.samples import add, entity, publication, publish

__all__ = ["base", "clock", "engine", "graph", "library", "migrated_file"]


def mention_of(chunk: Chunk, base: KnowledgeBase, name: str) -> Mention:
    start = chunk.text.index(name)
    parts = (chunk.document_id, chunk.id, chunk.page, start, start + len(name), name, 0.8)
    return Mention(f"{chunk.id}-{name}", entity(base, name).id, *parts)


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
        library.publications.publish(
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
        ready = library.documents.get(document.id)
        assert library.passages.blocks(document.id) == list(blocks)
        assert library.passages.blocks(document.id, 1) == [blocks[1]]
        assert library.passages.chunks(document.id)[0] == chunk
        assert library.publications.get(document.id).summaries == (summary,)
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
        library.publications.publish(
            replace(
                publication(document, base, []),
                title=broken,
                chunks=(Chunk("c1", document.id, 0, broken, (broken, "\\u0000"), ()),),
            )
        )
        stored = library.passages.chunks(document.id)[0]
        assert stored.text == "ab\ufffdcd\ufffdef 👍"
        assert stored.section == ("ab\ufffdcd\ufffdef 👍", "\\u0000")
        assert library.documents.get(document.id).name == "a\ufffd\ufffd.pdf"

    def test_publishing_raises_the_index_version_and_clears_a_failure(
        self, library: Library, base: KnowledgeBase
    ) -> None:
        document = add(library, base, "a.pdf")
        library.ingest_records.fail(document.id, "error.unexpected", {"kind": "X"})
        library.publications.publish(publication(document, base, ["BERT"]))
        ready = library.documents.get(document.id)
        assert (ready.status, ready.error_key, library.bases.get(base.id).index_version) == (
            DocumentStatus.READY,
            "",
            1,
        )
        assert ready.ready_at == datetime(2026, 11, 20, 12, 0, 3, tzinfo=UTC)

    def test_publishing_again_replaces_every_part(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        document = publish(library, base, "a.pdf", "BERT at Google", "attention")
        library.publications.publish(publication(document, base, ["London"]))
        assert [chunk.text for chunk in library.passages.chunks(document.id)] == ["London"]
        assert len(library.passages.blocks(document.id)) == len(library.publications.get(document.id).summaries) == 1
        assert [found.name for found in graph.search(base.id, "", 10)] == ["London"]
        assert library.documents.get(document.id).entities == 1

    def test_publishing_the_same_again_changes_nothing_that_is_read(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        document = publish(library, base, "a.pdf", "BERT at Google")
        before = (library.passages.chunks(document.id), list(graph.all(base.id)), graph.view(base.id, [], 1, 10))
        library.publications.publish(publication(document, base, ["BERT at Google"]))
        assert (
            library.passages.chunks(document.id),
            list(graph.all(base.id)),
            graph.view(base.id, [], 1, 10),
        ) == before

    def test_a_publication_that_fails_leaves_nothing(self, library: Library, base: KnowledgeBase) -> None:
        document = add(library, base, "a.pdf")
        chunk = Chunk("same", document.id, 0, "BERT", (), ())
        with pytest.raises(Exception, match="chunks"):
            library.publications.publish(replace(publication(document, base, ["BERT"]), chunks=(chunk, chunk)))
        assert library.documents.get(document.id).status is DocumentStatus.QUEUED
        assert (library.passages.chunks(document.id), library.passages.blocks(document.id)) == ([], [])
        assert library.bases.get(base.id).index_version == 0


class TestPublishingTogether:
    TEXTS = ("BERT at Google", "Google and attention", "BERT", "London, Google")

    def test_several_are_published_as_if_one_after_another(
        self, library: Library, graph: KnowledgeGraph, engine: Engine, base: KnowledgeBase
    ) -> None:
        publish(library, base, "kept.pdf", "BERT in London")
        old = publish(library, base, "old.pdf", "attention")
        again = publish(library, base, "again.pdf", "Ada Lovelace")
        dumps, counts = [], []
        for together in (False, True):
            made = [publication(add(library, base, f"{text}.pdf"), base, [text]) for text in self.TEXTS]
            names = ["Google", "GOOGLE", "Google", "GOOGLE"]
            made = [self._spelt(each, name) for each, name in zip(made, names, strict=True)]
            made.append(publication(again, base, ["Transformer"]))
            library.documents.mark_replacement(made[0].document_id, old.id)
            for group in [made] if together else [[each] for each in made]:
                library.publications.publish_together([(each, NOTHING_NOTED) for each in group])
            dumps.append(canonical_dump(engine, base.id))
            counts.append({each.name: (each.mentions, each.documents) for each in graph.search(base.id, "", 9)})
            for each in made[:-1]:
                library.documents.delete(each.document_id)
            old = publish(library, base, "old.pdf", "attention")
            library.publications.publish(publication(again, base, ["Ada Lovelace"]))
        assert dumps[0] == dumps[1]
        assert counts[0] == counts[1] == {
            "BERT": (3, 3), "GOOGLE": (3, 3), "London": (2, 2), "attention": (1, 1), "Transformer": (1, 1)
        }  # fmt: skip

    def test_where_one_is_gone_none_is_published(self, library: Library, base: KnowledgeBase) -> None:
        first, gone = add(library, base, "a.pdf"), add(library, base, "b.pdf")
        made = [(publication(each, base, ["BERT"]), NOTHING_NOTED) for each in (first, gone)]
        library.documents.delete(gone.id)
        version = library.bases.get(base.id).index_version
        with pytest.raises(NotFoundError):
            library.publications.publish_together(made)
        assert library.documents.get(first.id).status is DocumentStatus.QUEUED
        assert library.bases.get(base.id).index_version == version

    def _spelt(self, made: Publication, name: str) -> Publication:
        known = tuple(replace(each, name=name) if each.name == "Google" else each for each in made.entities)
        return replace(made, entities=known)


class TestReadingBack:
    def test_what_was_published_is_read_back(self, library: Library, base: KnowledgeBase) -> None:
        document = add(library, base, "a.pdf")
        made = publication(document, base, ["BERT at Google", "attention"], stated=[("BERT", "Google", "MADE_BY")])
        library.publications.publish(made)
        found = library.publications.get(document.id)
        assert sorted(found.entities, key=lambda e: e.id) == sorted(made.entities, key=lambda e: e.id)
        assert sorted(found.mentions, key=lambda m: m.id) == sorted(made.mentions, key=lambda m: m.id)
        same = replace(found, entities=made.entities, mentions=made.mentions)
        assert same == made

    def test_a_document_that_is_not_ready_has_no_publication(self, library: Library, base: KnowledgeBase) -> None:
        with pytest.raises(NotFoundError):
            library.publications.get(add(library, base, "a.pdf").id)


class TestChunks:
    def test_another_text_brings_other_mentions_and_leaves_the_rest(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        publish(library, base, "other.pdf", "Google again")
        document = publish(library, base, "a.pdf", "BERT at Google", "BERT and attention")
        before, version = library.documents.get(document.id), library.bases.get(base.id).index_version
        first, second = library.passages.chunks(document.id)
        edited = replace(first, text="London calls", original=first.text, spans=(Span(0, 12, 0, 0, None),))
        library.publications.replace_chunk(edited, [entity(base, "London")], [mention_of(edited, base, "London")])
        assert library.passages.chunks(document.id) == [edited, second]
        found = {e.name: (e.mentions, e.documents) for e in graph.search(base.id, "", 9)}
        assert found == {"BERT": (1, 1), "Google": (1, 1), "London": (1, 1), "attention": (1, 1)}
        assert library.documents.get(document.id) == replace(before, entities=3)
        assert library.bases.get(base.id).index_version == version + 1
        assert [e.name for e in graph.of_chunks([first.id])[first.id]] == ["London"]
        assert library.passages.get([first.id])[0].chunk.text == "London calls"
        assert "London calls" in [e.text for batch in library.passages.index_entries(base.id, "chunks") for e in batch]

    def test_going_back_leaves_no_trace(
        self, library: Library, graph: KnowledgeGraph, engine: Engine, base: KnowledgeBase
    ) -> None:
        document = publish(library, base, "a.pdf", "BERT at Google", "BERT and attention")
        before, published = canonical_dump(engine, base.id), library.publications.get(document.id)
        first = library.passages.chunks(document.id)[0]
        library.publications.replace_chunk(replace(first, text="Nothing", original=first.text), [], [])
        assert canonical_dump(engine, base.id) != before
        mentions = [mention for mention in published.mentions if mention.chunk_id == first.id]
        library.publications.replace_chunk(first, published.entities, mentions)
        assert canonical_dump(engine, base.id) == before
        assert graph.stats(base.id).relations == 2

    def test_a_chunk_that_is_gone_cannot_be_changed(self, library: Library, base: KnowledgeBase) -> None:
        document = publish(library, base, "a.pdf", "BERT")
        gone = replace(library.passages.chunks(document.id)[0], id="gone")
        with pytest.raises(NotFoundError):
            library.publications.replace_chunk(gone, [], [])
        with pytest.raises(NotFoundError):
            library.publications.enable_chunk("gone", False)
        library.documents.delete(document.id)
        with pytest.raises(NotFoundError):
            library.publications.replace_chunk(replace(gone, document_id=document.id), [], [])

    def test_a_chunk_that_goes_while_it_is_turned_off_is_told_to_be_gone(
        self, library: Library, engine: Engine, base: KnowledgeBase
    ) -> None:
        document = publish(library, base, "a.pdf", "BERT")
        chunk, again = library.passages.chunks(document.id)[0], publication(document, base, ["Google"])

        def turn_off() -> None:
            with pytest.raises(NotFoundError):
                library.publications.enable_chunk(chunk.id, False)

        interleaved(engine, lambda: library.publications.publish(again), "DELETE FROM chunks", turn_off)

    def test_a_chunk_that_is_off_is_no_passage_and_keeps_its_mentions(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        document = publish(library, base, "a.pdf", "BERT at Google")
        chunk = library.passages.chunks(document.id)[0]
        version = library.bases.get(base.id).index_version
        library.publications.enable_chunk(chunk.id, False)
        assert library.passages.get([chunk.id]) == []
        assert graph.chunks_of([entity(base, "BERT").id], 5) == []
        assert {e.name for e in graph.search(base.id, "", 9)} == {"BERT", "Google"}
        assert library.bases.get(base.id).index_version == version + 1
        library.publications.enable_chunk(chunk.id, True)
        assert library.passages.get([chunk.id])[0].chunk == chunk


class TestUndo:
    def test_a_deleted_document_comes_back_as_it_was(
        self, library: Library, graph: KnowledgeGraph, engine: Engine, base: KnowledgeBase
    ) -> None:
        publish(library, base, "kept.pdf", "BERT and attention")
        document = publish(library, base, "a.pdf", "BERT at Google", "London")
        library.documents.mark_form(document.id, True)
        document = library.documents.get(document.id)
        archived, before = library.publications.get(document.id), canonical_dump(engine, base.id)
        library.documents.delete(document.id)
        library.publications.restore(document, archived)
        library.publications.restore(document, archived)
        assert library.documents.get(document.id) == document
        assert canonical_dump(engine, base.id) == before
        assert {e.name: e.documents for e in graph.search(base.id, "", 9)}["BERT"] == 2

    def test_it_comes_back_with_what_was_done_for_it_in_one_transaction(
        self, library: Library, engine: Engine, base: KnowledgeBase
    ) -> None:
        document = publish(library, base, "a.pdf", "BERT at Google")
        archived, stages = library.publications.get(document.id), (StageProgress(Stage.EXTRACT, "done", 1, 1),)
        library.documents.delete(document.id)
        commits: list[None] = []
        event.listen(engine, "commit", lambda connection: commits.append(None))
        library.publications.restore(document, archived, WorkDone(stages))
        assert len(commits) == 1
        assert [(each.stage, each.status) for each in library.ingest_records.stages(document.id)] == [
            (Stage.EXTRACT, "done")
        ]

    def test_the_stages_of_a_document_that_exists_stay(self, library: Library, base: KnowledgeBase) -> None:
        document = add(library, base, "a.pdf")
        library.publications.restore(document, None, WorkDone((StageProgress(Stage.INDEX, "done", 1, 1),)))
        assert library.ingest_records.stages(document.id) == []

    def test_a_failed_document_comes_back_failed(self, library: Library, base: KnowledgeBase) -> None:
        document = add(library, base, "a.pdf")
        library.ingest_records.fail(document.id, "error.unexpected", {"kind": "X"})
        failed = library.documents.get(document.id)
        library.documents.delete(document.id)
        library.publications.restore(failed, None)
        assert library.documents.get(document.id) == failed

    def test_nothing_comes_back_into_a_base_that_is_gone(self, library: Library, base: KnowledgeBase) -> None:
        document = publish(library, base, "a.pdf", "BERT")
        archived = library.publications.get(document.id)
        library.bases.delete(base.id)
        with pytest.raises(NotFoundError):
            library.publications.restore(document, archived)


class TestReplacement:
    def test_the_old_document_goes_when_the_new_one_is_ready(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        old = publish(library, base, "a.pdf", "BERT at Google")
        new = add(library, base, "a (2).pdf")
        library.documents.mark_replacement(new.id, old.id)
        assert library.documents.get(new.id).replaces == old.id
        assert library.documents.get(old.id).status is DocumentStatus.READY
        library.publications.publish(publication(new, base, ["BERT in London"]))
        assert [document.id for document in library.documents.of_base(base.id)] == [new.id]
        assert {e.name: e.documents for e in graph.search(base.id, "", 9)} == {"BERT": 1, "London": 1}
        assert library.documents.get(new.id).replaces == ""

    def test_a_document_of_another_base_is_not_replaced(self, library: Library, base: KnowledgeBase) -> None:
        other = publish(library, library.bases.create("Other"), "a.pdf", "BERT")
        new = add(library, base, "b.pdf")
        library.documents.mark_replacement(new.id, other.id)
        library.publications.publish(publication(new, base, ["BERT"]))
        assert library.documents.get(other.id).status is DocumentStatus.READY
