"""What every log of edits does, and what the graph makes of them: the same as if documents had said so."""

import threading
from collections.abc import Iterator
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from shutil import copy

import pytest
from sqlalchemy import Engine

from core.documents.model import Document, KnowledgeBase
from core.documents.ports.library import Library
from core.documents.ports.publishing import Publication
from core.documents.store.library import sql_library
from core.graph.edits import EventKind, Resolution
from core.graph.files.file_rows import edge_rows, node_rows
from core.graph.model import Entity
from core.graph.ports import GraphEdits
from core.graph.resolution import editing
from core.graph.store.graph import SqlGraph
from core.graph.store.graph_edits import SqlGraphEdits
from core.graph.store.past_graphs import KEPT, SqlPastGraphs
from core.platform.errors import NotFoundError
from core.platform.sql.engine import open_engine
from tests.graph.edited_graphs import Editor
from tests.store.databases import TickingClock, clock, engine, migrated_file
from tests.store.samples import TYPES, add, entity, publication, publish

__all__ = ["clock", "engine", "migrated_file"]

TEXTS = ("BERT by Google", "Transformer attention Google London", "BERT Transformer", "Ada Lovelace in London", "BERT")


@pytest.fixture
def library(engine: Engine, clock: TickingClock) -> Library:
    return sql_library(engine, clock)


@pytest.fixture
def graph(engine: Engine) -> SqlGraph:
    return SqlGraph(engine)


@pytest.fixture
def edits(engine: Engine, clock: TickingClock) -> GraphEdits:
    return SqlGraphEdits(engine, clock)


@pytest.fixture
def base(library: Library) -> KnowledgeBase:
    return library.bases.create("Papers")


@pytest.fixture
def document(library: Library, base: KnowledgeBase) -> Document:
    return publish(library, base, "a.pdf", *TEXTS)


@pytest.fixture
def named(graph: SqlGraph, base: KnowledgeBase, document: Document) -> dict[str, Entity]:
    return {found.name: found for found in graph.every(base.id)}


class TestLog:
    def test_edits_are_listed_newest_first_with_their_time_and_what_they_named(
        self, edits: GraphEdits, base: KnowledgeBase, named: dict[str, Entity]
    ) -> None:
        bert = named["BERT"]
        edits.record(base.id, [editing.rename(bert, "Bert"), editing.alias(bert, "B")])
        edits.record(base.id, [editing.delete([replace(bert, name="Bert")])])
        deleted, alias, renamed = edits.log(base.id, 9)
        assert [each.edit.kind for each in (deleted, alias, renamed)] == ["delete", "alias", "rename"]
        assert alias.batch == renamed.batch == renamed.number
        assert deleted.made_at > alias.made_at == renamed.made_at
        (was,) = deleted.edit.entities
        assert (was.name, was.found_name, was.found_type) == ("Bert", "BERT", "TECHNOLOGY")
        assert edits.log(base.id, 1) == [deleted]
        with pytest.raises(NotFoundError):
            edits.record("unknown", [editing.alias(bert, "B")])

    def test_what_was_made_at_once_is_undone_and_redone_at_once(
        self, edits: GraphEdits, graph: SqlGraph, base: KnowledgeBase, named: dict[str, Entity]
    ) -> None:
        bert = named["BERT"]
        edits.record(base.id, [editing.rename(bert, "One"), editing.retype([bert], "PERSON")])
        edits.record(base.id, [editing.rename(bert, "Two")])
        for name, type in (("One", "PERSON"), ("BERT", "TECHNOLOGY")):
            edits.set_undone(base.id, [each.number for each in edits.next_undo(base.id)], True)
            assert (graph.entity(bert.id).name, graph.entity(bert.id).type) == (name, type)
        assert edits.next_undo(base.id) == ()
        assert [each.undone for each in edits.log(base.id, 9)] == [True] * 3
        for name in ("One", "Two"):
            edits.set_undone(base.id, [each.number for each in edits.next_redo(base.id)], False)
            assert graph.entity(bert.id).name == name
        assert edits.next_redo(base.id) == ()

    def test_an_older_edit_can_be_undone_by_itself(
        self, edits: GraphEdits, graph: SqlGraph, base: KnowledgeBase, named: dict[str, Entity]
    ) -> None:
        first = edits.record(base.id, [editing.merge(named["BERT"], [named["Google"]])])
        edits.record(base.id, [editing.rename(named["BERT"], "Bert")])
        edits.set_undone(base.id, [first], True)
        assert (graph.entity(named["BERT"].id).name, graph.entity(named["Google"].id).name) == ("Bert", "Google")

    def test_two_who_edit_at_once_lose_nothing(
        self, edits: GraphEdits, base: KnowledgeBase, named: dict[str, Entity], engine: Engine
    ) -> None:
        def work(name: str) -> None:
            own = SqlGraphEdits(engine)
            for number in range(10):
                own.record(base.id, [editing.alias(named[name], f"{name} {number}")])

        workers = [threading.Thread(target=work, args=(name,)) for name in ("BERT", "Google")]
        for worker in workers:
            worker.start()
        for worker in workers:
            worker.join(60)
        found = edits.resolution(base.id).aliases
        assert {len(found[named[name].id]) for name in ("BERT", "Google")} == {10}
        assert len({each.batch for each in edits.log(base.id, 99)}) == 20

    def test_a_log_is_added_to_another_base(
        self, edits: GraphEdits, library: Library, base: KnowledgeBase, named: dict[str, Entity]
    ) -> None:
        edits.record(base.id, [editing.alias(named["BERT"], "B"), editing.alias(named["BERT"], "C")])
        edits.set_undone(base.id, [edits.record(base.id, [editing.delete([named["BERT"]])])], True)
        other = library.bases.create("Other")
        edits.add_log(other.id, list(reversed(edits.log(base.id, 9))))
        logged = edits.log(other.id, 9)
        assert [(each.edit, each.made_at, each.undone) for each in logged] == [
            (each.edit, each.made_at, each.undone) for each in edits.log(base.id, 9)
        ]
        assert [each.edit.kind for each in edits.next_undo(other.id)] == ["alias", "alias"]

    def test_what_came_undone_is_redone_batch_by_batch(
        self, edits: GraphEdits, library: Library, base: KnowledgeBase, named: dict[str, Entity]
    ) -> None:
        for alias in ("B", "C"):
            edits.set_undone(base.id, [edits.record(base.id, [editing.alias(named["BERT"], alias)])], True)
        other = library.bases.create("Other")
        edits.add_log(other.id, list(reversed(edits.log(base.id, 9))))
        for alias in ("C", "B"):
            (found,) = edits.next_redo(other.id)
            assert found.edit.text == alias
            edits.set_undone(other.id, [found.number], False)
        assert edits.next_redo(other.id) == ()

    def test_what_came_is_noted_under_the_numbers_that_it_got(
        self, edits: GraphEdits, library: Library, base: KnowledgeBase, named: dict[str, Entity], engine: Engine
    ) -> None:
        edits.record(base.id, [editing.alias(named["BERT"], "B"), editing.alias(named["BERT"], "C")])
        last, gone, other = edits.log(base.id, 9)[0], library.bases.create("Gone"), library.bases.create("Other")
        edits.add_log(gone.id, [last])
        library.bases.delete(gone.id)
        edits.add_log(other.id, list(reversed(edits.log(base.id, 9))))
        came = {each.subject for each in edits.events(other.id) if each.kind is EventKind.ADDED}
        assert came == {str(each.number) for each in edits.log(other.id, 9)}


class TestGraph:
    def test_a_merged_entity_is_one_everywhere(
        self, graph: SqlGraph, edits: GraphEdits, base: KnowledgeBase, named: dict[str, Entity]
    ) -> None:
        edits.record(base.id, [editing.merge(named["BERT"], [named["Transformer"]])])
        bert = graph.entity(named["Transformer"].id)
        assert (bert.id, bert.name, bert.mentions, bert.documents) == (named["BERT"].id, "BERT", 5, 1)
        assert "Transformer" in bert.aliases
        assert [found.id for found in graph.search(base.id, "transformer", 9)] == [bert.id]
        assert [found.name for found in graph.search(base.id, "", 2)] == ["BERT", "Google"]
        assert [found.id for found in graph.named_in(base.id, "a Transformer", 9)] == [bert.id]
        assert {view.mention.surface for view in graph.mentions(bert.id, 9)} == {"BERT", "Transformer"}
        assert {view.mention.entity_id for view in graph.mentions(named["Transformer"].id, 9)} == {bert.id}
        assert {found.entity.name for found in graph.neighbours(named["Transformer"].id, 1, 9)} == {
            "Google",
            "attention",
            "London",
        }

    def test_new_names_and_aliases_are_found_and_old_ones_still_are(
        self, graph: SqlGraph, edits: GraphEdits, base: KnowledgeBase, named: dict[str, Entity]
    ) -> None:
        edits.record(base.id, [editing.rename(named["Google"], "Alphabet"), editing.alias(named["London"], "伦敦")])
        for name, words in (("Google", "alphabet"), ("Google", "google"), ("London", "伦敦")):
            assert [found.id for found in graph.search(base.id, words, 9)] == [named[name].id]
            assert [found.id for found in graph.named_in(base.id, f"in {words}.", 9)] == [named[name].id]
        assert graph.entity(named["Google"].id).name == "Alphabet"

    def test_a_deleted_entity_is_nowhere(
        self, graph: SqlGraph, edits: GraphEdits, base: KnowledgeBase, named: dict[str, Entity], library: Library
    ) -> None:
        google = named["Google"].id
        assert [found.id for found in graph.named_in(base.id, "Google", 9)] == graph.touched(base.id, "Google", [], 9)
        edits.record(base.id, [editing.delete([named["Google"]])])
        assert graph.touched(base.id, "Google", [], 9) == [], "what was asked before the edit is asked again"
        with pytest.raises(NotFoundError):
            graph.entity(google)
        assert graph.search(base.id, "Google", 9) == graph.named_in(base.id, "Google", 9) == []
        assert not graph.mentions(google, 9)
        assert not graph.neighbours(google, 1, 9)
        (document,) = library.documents.of_base(base.id)
        chunk_ids = [chunk.id for chunk in library.passages.chunks(document.id)]
        assert all(found.id != google for held in graph.of_chunks(chunk_ids).values() for found in held)
        assert graph.view(base.id, [google], 1, 9).entities == ()
        assert graph.stats(base.id).entities == len(TYPES) - 1

    def test_a_rejected_passage_no_longer_connects(
        self, graph: SqlGraph, edits: GraphEdits, base: KnowledgeBase, named: dict[str, Entity]
    ) -> None:
        bert, google, transformer = (named[name] for name in ("BERT", "Google", "Transformer"))
        (chunk_id,) = graph.shared_chunks(bert.id, google.id, 9)
        edits.record(base.id, [editing.reject(bert, google, chunk_id)])
        assert not graph.shared_chunks(bert.id, google.id, 9)
        assert not graph.relations_between([bert.id, google.id])
        assert [found.entity.name for found in graph.neighbours(bert.id, 1, 9)] == ["Transformer"]
        assert len(graph.relations_between([bert.id, transformer.id])) == 1
        edits.set_undone(base.id, [each.number for each in edits.next_undo(base.id)], True)
        assert graph.shared_chunks(bert.id, google.id, 9) == [chunk_id]

    def test_chunks_are_joined_by_what_was_merged(
        self, graph: SqlGraph, edits: GraphEdits, base: KnowledgeBase, named: dict[str, Entity], library: Library
    ) -> None:
        document = graph.mentions(named["BERT"].id, 1)[0].mention.document_id
        ids = [chunk.id for chunk in library.passages.chunks(document)]
        edits.record(base.id, [editing.merge(named["attention"], [named["Ada Lovelace"]])])
        assert (ids[1], ids[3], 2) in graph.sharing([ids[1]], 9, 9)
        assert graph.chunks_of([named["attention"].id], 9) == [(id, 1) for id in sorted([ids[1], ids[3]])]

    def test_edits_outlive_a_new_reading_even_if_it_types_an_entity_otherwise(
        self, graph: SqlGraph, edits: GraphEdits, base: KnowledgeBase, named: dict[str, Entity], library: Library
    ) -> None:
        edits.record(base.id, [editing.merge(named["BERT"], [named["Transformer"]]), editing.delete([named["London"]])])
        again = library.documents.of_base(base.id)[0]
        types = {**TYPES, "BERT": "CONCEPT", "London": "PERSON"}
        library.publications.publish(publication(again, base, TEXTS, types))
        names = {found.name for found in graph.every(base.id)}
        assert names == {"BERT", "Google", "attention", "Ada Lovelace"}
        assert graph.entity(entity(base, "BERT", "CONCEPT").id).mentions == 5

    def test_a_stated_relation_forgets_the_pages_of_documents_that_are_gone(
        self, graph: SqlGraph, edits: GraphEdits, base: KnowledgeBase, named: dict[str, Entity], library: Library
    ) -> None:
        (first,) = library.documents.of_base(base.id)
        second = publish(library, base, "b.pdf", "BERT London")
        bert, london = named["BERT"], named["London"]
        edits.record(base.id, [editing.state(bert, "leads", london, [(first.id, 0), (second.id, 0)])])
        library.documents.delete(first.id)
        stated = next(each for each in graph.relations_between([bert.id, london.id]) if each.relation == "leads")
        assert stated.pages == ((second.id, 0),)

    def test_a_merged_entity_stands_while_one_of_its_parts_is_supported(
        self, graph: SqlGraph, edits: GraphEdits, base: KnowledgeBase, named: dict[str, Entity], library: Library
    ) -> None:
        publish(library, base, "b.pdf", "Transformer London")
        edits.record(base.id, [editing.merge(named["BERT"], [named["Transformer"]])])
        library.documents.delete(library.documents.of_base(base.id)[0].id)
        assert [found.id for found in graph.named_in(base.id, "Transformer", 9)] == [named["Transformer"].id]


class TestPast:
    def test_a_past_graph_has_the_documents_and_edits_of_its_time(
        self,
        graph: SqlGraph,
        edits: GraphEdits,
        base: KnowledgeBase,
        named: dict[str, Entity],
        library: Library,
        clock: TickingClock,
        engine: Engine,
        tmp_path: Path,
    ) -> None:
        (first,) = library.documents.of_base(base.id)
        kept: dict[str, tuple[Document, Publication]] = {}
        past = SqlPastGraphs(engine, tmp_path, kept.get)
        start = clock()
        renamed = edits.record(base.id, [editing.rename(named["BERT"], "Bert")])
        middle = clock()
        publish(library, base, "b.pdf", "Transformer London Marlow Ada Lovelace")
        edits.set_undone(base.id, [renamed], True)
        edits.record(base.id, [editing.merge(named["Google"], [named["London"]])])
        kept[first.id] = (library.documents.get(first.id), library.publications.get(first.id))
        late = clock()
        now_then = graph.every(base.id)
        relations = graph.relations_between([each.id for each in now_then])
        library.documents.delete(first.id)

        assert past.as_of(base.id, late).graph.every(base.id) == now_then
        assert past.as_of(base.id, late).graph.relations_between([each.id for each in now_then]) == relations
        then = past.as_of(base.id, middle)
        assert {each.name for each in then.graph.every(base.id)} == {*TYPES, "Bert"} - {"BERT", "Marlow"}
        assert then.graph.entity(named["London"].id).mentions == named["London"].mentions
        assert {each.name for each in past.as_of(base.id, start).graph.every(base.id)} == set(named)
        assert len(then.whole_graphs.whole(base.id).entities) == len(named)
        assert then.library.documents.get(first.id).name == "a.pdf"
        assert then.missing == ()
        kept.clear()
        edits.record(base.id, [editing.alias(named["Google"], "G")])
        lost = past.as_of(base.id, middle)
        assert (lost.missing, lost.graph.every(base.id)) == (("a.pdf",), [])

    def test_a_past_graph_can_be_read_while_others_are_made_and_the_present_one_changes(
        self, edits: GraphEdits, base: KnowledgeBase, named: dict[str, Entity], engine: Engine, tmp_path: Path
    ) -> None:
        past = SqlPastGraphs(engine, tmp_path, lambda _: None)
        now = edits.events(base.id)[-1].at + timedelta(hours=1)
        held = past.as_of(base.id, now)
        for days in range(1, KEPT):
            past.as_of(base.id, now + timedelta(days=days))
        assert past.as_of(base.id, now) is held, "the day that is looked at and both ends of a comparison are kept"
        edits.record(base.id, [editing.delete([named["BERT"]])])
        assert past.as_of(base.id, now) is not held
        assert {each.name for each in held.graph.every(base.id)} == set(named)

    def test_the_log_says_what_came_and_went_and_what_was_undone(
        self, edits: GraphEdits, base: KnowledgeBase, named: dict[str, Entity], library: Library
    ) -> None:
        number = edits.record(base.id, [editing.rename(named["BERT"], "Bert")])
        edits.set_undone(base.id, [number], True)
        edits.set_undone(base.id, [number], True)
        edits.set_undone(base.id, [number], False)
        (document,) = library.documents.of_base(base.id)
        library.publications.publish(library.publications.get(document.id))
        library.documents.delete(document.id)
        found = edits.events(base.id)
        assert [(each.kind, each.subject, each.name) for each in found] == [
            ("published", document.id, "a.pdf"),
            ("undone", str(number), ""),
            ("redone", str(number), ""),
            ("deleted", document.id, "a.pdf"),
        ]
        assert [each.at for each in found] == sorted(each.at for each in found)


def as_if_found(made: Publication, resolution: Resolution, shown: dict[str, Entity]) -> Publication:
    """What extraction would have found, had it known what the edits say."""
    mentions = [replace(each, entity_id=resolution.of(each.entity_id)) for each in made.mentions]
    return replace(
        made,
        entities=tuple(shown.values()),
        mentions=tuple(each for each in mentions if each.entity_id),
    )


@pytest.fixture
def second(migrated_file: Path, tmp_path: Path) -> Iterator[Engine]:
    opened = open_engine(f"sqlite:///{copy(migrated_file, tmp_path / 'second.sqlite')}")
    yield opened
    opened.dispose()


@pytest.mark.parametrize("seed", [0, 1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in range(2, 5))])
def test_after_any_edits_the_graph_is_as_if_the_documents_had_said_so(
    seed: int, engine: Engine, second: Engine, clock: TickingClock
) -> None:
    """Counts, relations, mentions, chunks and exports, compared after every few edits, undone and redone ones too."""
    library, other = (sql_library(each, clock) for each in (engine, second))
    base = library.bases.create("Papers")
    assert other.bases.create("Papers").id == base.id
    made = publication(add(library, base, "a.pdf"), base, TEXTS)
    library.publications.publish(made)
    edits, graph, expected = SqlGraphEdits(engine, clock), SqlGraph(engine), SqlGraph(second)
    everything = graph.every(base.id)
    editor = Editor(seed, everything)
    for _ in range(6):
        for _ in range(3):
            edits.record(base.id, [editor.next()])
        numbers = [each.number for each in edits.log(base.id, 99)]
        edits.set_undone(base.id, [editor.choose(numbers)], True)
        edits.set_undone(base.id, [editor.choose(numbers)], False)
        shown = {found.id: found for found in graph.every(base.id)}
        other.documents.delete(made.document_id)
        add(other, base, "a.pdf")
        other.publications.publish(as_if_found(made, edits.resolution(base.id), shown))
        found = expected.every(base.id)
        assert [replace(each, aliases=()) for each in shown.values()] == [replace(each, aliases=()) for each in found]
        assert graph.stats(base.id) == expected.stats(base.id)
        assert graph.relations_between(list(shown)) == expected.relations_between(list(shown))
        chunk_ids = [chunk.id for chunk in made.chunks]
        held, wanted = (each.of_chunks(chunk_ids) for each in (graph, expected))
        assert {id: {e.id for e in inside} for id, inside in held.items()} == {
            id: {e.id for e in inside} for id, inside in wanted.items()
        }
        files = [
            (node_rows(rows, {}), list(edge_rows(rows, {})))
            for rows in (list(graph.all(base.id)), list(expected.all(base.id)))
        ]
        assert files[0] == files[1]
        for id in list(shown)[:3]:
            assert [(n.entity.id, n.hop, n.weight) for n in graph.neighbours(id, 2, 9)] == [
                (n.entity.id, n.hop, n.weight) for n in expected.neighbours(id, 2, 9)
            ]
            assert graph.sharing(chunk_ids, 99, 99) == expected.sharing(chunk_ids, 99, 99)
            assert dict(graph.chunks_of([id], 9)) == dict(expected.chunks_of([id], 9))
