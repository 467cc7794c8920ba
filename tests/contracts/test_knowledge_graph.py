"""What every KnowledgeGraph does."""

from dataclasses import replace

import pytest
from sqlalchemy import Engine

from core.documents.model import KnowledgeBase
from core.documents.ports.library import Library
from core.documents.store.library import sql_library
from core.graph.model import Entity
from core.graph.ports import KnowledgeGraph
from core.graph.resolution import editing
from core.graph.store.graph import SqlGraph
from core.graph.store.graph_edits import SqlGraphEdits
from core.platform.errors import NotFoundError
from tests.store.databases import TickingClock, clock, engine, migrated_file
from tests.store.samples import add, entity, publication, publish

__all__ = ["clock", "engine", "migrated_file"]


@pytest.fixture
def library(engine: Engine, clock: TickingClock) -> Library:
    return sql_library(engine, clock)


@pytest.fixture
def graph(engine: Engine) -> KnowledgeGraph:
    return SqlGraph(engine)


@pytest.fixture
def base(library: Library) -> KnowledgeBase:
    return library.bases.create("Papers")


def named(library: Library, base: KnowledgeBase, *names: str) -> None:
    """One document that mentions each name in a chunk of its own, the first name most often."""
    texts = [name for place, name in enumerate(names) for _ in range(len(names) - place)]
    document = add(library, base, "names.pdf")
    library.publications.publish(publication(document, base, texts, dict.fromkeys(names, "CONCEPT")))


def names_of(entities: list[Entity]) -> list[str]:
    return [found.name for found in entities]


class TestEntities:
    def test_an_entity_counts_its_mentions_and_documents(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        publish(library, base, "a.pdf", "BERT and BERT", "BERT")
        publish(library, base, "b.pdf", "BERT")
        wanted = entity(base, "BERT")
        assert graph.entity(wanted.id) == replace(wanted, mentions=4, documents=2)
        with pytest.raises(NotFoundError):
            graph.entity("unknown")

    def test_stats_count_what_is_there(self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase) -> None:
        document = add(library, base, "a.pdf")
        texts = ["BERT by Google", "Transformer attention Google", "London"]
        library.publications.publish(publication(document, base, texts, stated=[("BERT", "Google", "MADE_BY")]))
        add(library, base, "waiting.pdf")
        stats = graph.stats(base.id)
        assert (stats.entities, stats.mentions, stats.relations, stats.documents) == (5, 6, 5, 1)
        assert stats.types == (("TECHNOLOGY", 2), ("CONCEPT", 1), ("LOCATION", 1), ("ORGANIZATION", 1))
        assert graph.stats("unknown").entities == 0

    def test_all_gives_every_entity_with_its_mentions_in_reading_order(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        document = publish(library, base, "a.pdf", "Google and BERT", "BERT")
        found = {entity.name: mentions for entity, mentions in graph.all(base.id)}
        assert {name: [(m.page, m.start, m.surface) for m in mentions] for name, mentions in found.items()} == {
            "BERT": [(0, 11, "BERT"), (1, 0, "BERT")],
            "Google": [(0, 0, "Google")],
        }
        expected = {
            mention.id: mention for mention in publication(document, base, ["Google and BERT", "BERT"]).mentions
        }
        assert {mention.id: mention for mentions in found.values() for mention in mentions} == expected


class TestSharing:
    def test_chunks_that_share_an_entity_are_joined_by_the_rarest_one(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        one = publish(library, base, "a.pdf", "BERT and Google", "Google")
        two = publish(library, base, "b.pdf", "Google made BERT", "Google", "London")
        first, second = library.passages.chunks(one.id)
        third, fourth, _ = library.passages.chunks(two.id)
        found = graph.sharing([first.id], 10, 10)
        assert found[0] == (first.id, third.id, 2)
        assert set(found[1:]) == {(first.id, second.id, 4), (first.id, fourth.id, 4)}
        assert graph.sharing([first.id], 10, 1) == found[:1]

    def test_entities_mentioned_too_often_join_nothing(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        document = publish(library, base, "a.pdf", *["Google"] * 5, "BERT", "BERT")
        chunks = library.passages.chunks(document.id)
        assert graph.sharing([chunks[0].id], 4, 10) == []
        assert graph.sharing([chunks[5].id, chunks[0].id, "unknown"], 4, 10) == [(chunks[5].id, chunks[6].id, 2)]

    def test_other_bases_share_nothing(self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase) -> None:
        publish(library, library.bases.create("Other"), "a.pdf", "BERT")
        document = publish(library, base, "a.pdf", "BERT")
        assert graph.sharing([chunk.id for chunk in library.passages.chunks(document.id)], 10, 10) == []


class TestSearch:
    def test_exact_names_come_first_then_beginnings_then_parts_then_by_mentions(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        named(library, base, "co-learning rate", "learning rate", "learning curve", "deep learning", "learning")
        found = names_of(graph.search(base.id, "LEARNING", 10))
        assert found == ["learning", "learning rate", "learning curve", "co-learning rate", "deep learning"]
        assert names_of(graph.search(base.id, "learning", 2)) == found[:2]

    def test_aliases_are_searched_and_an_entity_comes_once(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        publish(library, base, "a.pdf", "BERT")
        publish(library, base, "b.pdf", "BERT and Transformer")
        assert names_of(graph.search(base.id, "encoder rep", 10)) == ["BERT"]
        assert names_of(graph.search(base.id, "transformer", 10)) == ["Transformer", "BERT"]

    @pytest.mark.parametrize(
        ("query", "expected"),
        [("%", ["100% pure"]), ("_", ["a_b"]), ("/", ["c/d"]), ("\\", ["e\\f"]), ("' OR 1=1 --", []), ("a_", ["a_b"])],
    )
    def test_signs_that_mean_something_to_databases_mean_themselves(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase, query: str, expected: list[str]
    ) -> None:
        named(library, base, "100% pure", "a_b", "c/d", "e\\f", "aXb")
        assert names_of(graph.search(base.id, query, 10)) == expected

    def test_case_width_accents_and_chinese_script_do_not_matter(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        named(library, base, "神經網絡", "Émile Zola", "GPT４")
        assert names_of(graph.search(base.id, "神经网", 10)) == ["神經網絡"]
        assert names_of(graph.search(base.id, "emile", 10)) == ["Émile Zola"]
        assert names_of(graph.search(base.id, "gpt4", 10)) == ["GPT４"]

    def test_chinese_names_are_found_by_their_pinyin_after_what_is_written_so(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        named(library, base, "林雨晴", "林雨", "Lin Yuqing Street")
        assert names_of(graph.search(base.id, "lin yuqing", 10)) == ["Lin Yuqing Street", "林雨晴"]
        assert names_of(graph.search(base.id, "Yuqing Lin", 10)) == names_of(graph.search(base.id, "yuqing l", 10))
        assert names_of(graph.search(base.id, "Lín Yǔ", 10)) == ["Lin Yuqing Street", "林雨", "林雨晴"]
        assert names_of(graph.search(base.id, "lin", 10)) == ["Lin Yuqing Street"]
        assert graph.search(base.id, "Yuqing Lin", 10, "PERSON") == []

    def test_a_type_narrows_and_an_empty_query_gives_the_most_mentioned(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        publish(library, base, "a.pdf", "Google BERT Google BERT Google Transformer")
        assert names_of(graph.search(base.id, "", 2)) == ["Google", "BERT"]
        assert names_of(graph.search(base.id, "", 9, "TECHNOLOGY")) == ["BERT", "Transformer"]
        assert names_of(graph.search(base.id, "e", 9, "ORGANIZATION")) == ["Google"]
        assert graph.search(base.id, "x" * 100_000, 9) == []

    def test_other_bases_are_not_searched(self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase) -> None:
        publish(library, library.bases.create("Other"), "a.pdf", "BERT")
        assert graph.search(base.id, "bert", 9) == graph.named_in(base.id, "BERT", 9) == []


class TestNamedIn:
    NAMES = (
        "BERT",
        "attention",
        "multi-head attention",
        "C++",
        ".NET",
        "C",
        "U.S.",
        "R&D",
        "深度学习",
        "学习率",
        "BERT模型",
        "模型",
        "水",
        "Attention Is All You Need",
        "GPT-4",
    )

    @pytest.mark.parametrize(
        ("text", "expected"),
        [
            ("How does bert work?", ["BERT"]),
            ("BERTology is no name in here", []),
            ("What is BERT's multi-head attention?", ["multi-head attention", "BERT"]),
            ("attention, and multi-head  attention", ["multi-head attention", "attention"]),
            ("Who wrote “attention is all you need”?", ["Attention Is All You Need"]),
            ("Is C++ faster than .NET?", [".NET", "C++"]),
            ("the U.S. spends on R&D", ["U.S.", "R&D"]),
            ("GPT-4, GPT-5", ["GPT-4"]),
            ("请问深度学习的学习率是多少", ["深度学习", "学习率"]),
            ("請問深度學習是什麼", ["深度学习"]),
            ("介绍BERT模型和GPT-4", ["BERT模型", "GPT-4"]),
            ("深度学习率", ["深度学习"]),
            ("水", []),
            ("", []),
            ("%_%", []),
        ],
    )
    def test_names_are_found_as_whole_words_longest_first_and_without_overlaps(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase, text: str, expected: list[str]
    ) -> None:
        named(library, base, *self.NAMES)
        assert names_of(graph.named_in(base.id, text, 10)) == expected

    def test_an_alias_names_the_entity_and_the_limit_keeps_the_longest(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        publish(library, base, "a.pdf", "BERT Transformer attention")
        text = "attention in bidirectional encoder representations from transformers, the Transformer"
        assert names_of(graph.named_in(base.id, text, 2)) == ["BERT", "Transformer"]

    def test_one_name_of_several_types_gives_all_of_them(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        for name, type in (("a.pdf", "PERSON"), ("b.pdf", "LOCATION")):
            library.publications.publish(
                publication(add(library, base, name), base, ["Washington"], {"Washington": type})
            )
        assert {found.type for found in graph.named_in(base.id, "Where is Washington?", 9)} == {"PERSON", "LOCATION"}

    def test_a_hostile_text_takes_bounded_work(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        named(library, base, "BERT")
        assert names_of(graph.named_in(base.id, "BERT " + "字" * 1_000_000 + "\x00\ud800", 5)) == ["BERT"]


class TestChunks:
    def test_entities_of_chunks_come_in_the_order_of_their_first_mention(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        document = publish(library, base, "a.pdf", "Google made BERT, says Google", "nothing")
        first, second = [chunk.id for chunk in library.passages.chunks(document.id)]
        found = graph.of_chunks([second, first, "unknown"])
        assert {id: names_of(entities) for id, entities in found.items()} == {
            second: [],
            first: ["Google", "BERT"],
            "unknown": [],
        }

    def test_entities_of_chunks_that_are_kept_are_those_of_now(
        self, library: Library, graph: KnowledgeGraph, engine: Engine, clock: TickingClock, base: KnowledgeBase
    ) -> None:
        document = publish(library, base, "a.pdf", "BERT and RoBERTa", "BERT")
        first, second = (chunk.id for chunk in library.passages.chunks(document.id))
        asked = [second, first, "unknown"]
        assert graph.mentioned_in(base.id, asked[:1]) == graph.of_chunks(asked[:1])
        assert graph.mentioned_in(base.id, asked) == graph.of_chunks(asked)
        SqlGraphEdits(engine, clock).record(base.id, [editing.rename(entity(base, "BERT"), "Bert")])
        assert names_of(graph.mentioned_in(base.id, [second])[second]) == ["Bert"]
        assert graph.mentioned_in(base.id, []) == {}

    def test_touched_are_those_of_a_question_before_those_of_its_passages_each_once(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        document = publish(library, base, "a.pdf", "Google made BERT, says Google", "London")
        first, second = [chunk.id for chunk in library.passages.chunks(document.id)]
        ids = {entity.name: entity.id for found in graph.of_chunks([first, second]).values() for entity in found}
        touched = graph.touched(base.id, "What is BERT?", [second, first, "unknown"], 9)
        assert touched == [ids["BERT"], ids["London"], ids["Google"]]
        assert graph.touched(base.id, "What is BERT?", [second, first], 2) == touched[:2]
        assert graph.touched(base.id, "What is it?", [], 9) == []

    def test_chunks_with_most_of_the_entities_come_first_and_disabled_ones_not_at_all(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        document = add(library, base, "a.pdf")
        made = publication(document, base, ["BERT", "BERT BERT", "Google BERT", "Google BERT London", "London"])
        library.publications.publish(
            replace(made, chunks=(*made.chunks[:3], replace(made.chunks[3], enabled=False), made.chunks[4]))
        )
        wanted = [entity(base, "Google").id, entity(base, "BERT").id]
        ids = [chunk.id for chunk in made.chunks]
        assert graph.chunks_of(wanted, 9) == [(ids[2], 2), (ids[1], 1), (ids[0], 1)]
        assert graph.chunks_of(wanted, 1) == [(ids[2], 2)]
        assert graph.chunks_of([], 9) == graph.chunks_of(["unknown"], 9) == []
        assert graph.shared_chunks(wanted[0], wanted[1], 9) == [ids[2]]
        assert sorted(graph.shared_chunks(wanted[0], wanted[1], 9, unused=True)) == sorted([ids[2], ids[3]])


class TestNeighbourhood:
    @pytest.fixture(autouse=True)
    def documents(self, library: Library, base: KnowledgeBase) -> None:
        publish(library, base, "a.pdf", "BERT Google", "BERT Google attention", "attention Transformer")
        publish(library, base, "b.pdf", "Transformer London", "Ada Lovelace")

    def test_neighbours_come_by_hop_and_then_by_weight(self, graph: KnowledgeGraph, base: KnowledgeBase) -> None:
        found = graph.neighbours(entity(base, "BERT").id, 3, 10)
        assert [(each.entity.name, each.hop, each.weight) for each in found] == [
            ("Google", 1, 1.5),
            ("attention", 1, 0.5),
            ("Transformer", 2, 1.0),
            ("London", 3, 1.0),
        ]
        assert found[0].entity == graph.entity(found[0].entity.id)

    def test_the_limit_holds_for_each_hop_and_hops_are_taken_into_range(
        self, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        bert = entity(base, "BERT").id
        assert [(n.entity.name, n.hop) for n in graph.neighbours(bert, 2, 1)] == [("Google", 1), ("Transformer", 2)]
        assert graph.neighbours(bert, 0, 9) == graph.neighbours(bert, 1, 9)
        assert graph.neighbours(bert, 99, 9) == graph.neighbours(bert, 3, 9)
        assert graph.neighbours("unknown", 1, 9) == graph.neighbours(entity(base, "Ada Lovelace").id, 3, 9) == []

    def test_a_view_shows_the_neighbourhood_and_says_what_it_leaves_out(
        self, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        view = graph.view(base.id, [entity(base, "BERT").id], 1, 2)
        assert (names_of(list(view.entities)), view.left_out) == (["BERT", "Google"], 1)
        assert [(each.relation, each.weight, len(each.pages)) for each in view.relations] == [("CO_OCCURS_IN", 1.5, 2)]

    def test_without_entities_a_view_shows_the_most_connected_part(
        self, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        view = graph.view(base.id, [], 1, 4)
        assert {found.name for found in view.entities} == {"BERT", "Google", "attention", "Transformer"}
        assert view.left_out == 2
        assert len(view.relations) == 4

    def test_a_view_of_no_hops_shows_exactly_the_entities_given(
        self, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        ids = [entity(base, name).id for name in ("London", "Transformer", "nothing", "London")]
        view = graph.view(base.id, ids, 0, 9)
        assert (names_of(list(view.entities)), len(view.relations), view.left_out) == (["London", "Transformer"], 1, 0)

    def test_what_does_not_exist_gives_an_empty_view(self, graph: KnowledgeGraph, base: KnowledgeBase) -> None:
        for view in (graph.view(base.id, ["unknown"], 2, 9), graph.view("unknown", [], 2, 9)):
            assert (view.entities, view.relations, view.left_out) == ((), (), 0)

    def test_relations_between_entities_name_their_places(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        document = next(each for each in library.documents.of_base(base.id) if each.name == "a.pdf")
        ids = [entity(base, name).id for name in ("Google", "BERT", "unknown")]
        (relation,) = graph.relations_between(ids)
        assert {relation.source_id, relation.target_id} == set(ids[:2])
        assert relation.source_id < relation.target_id
        assert relation.pages == ((document.id, 0), (document.id, 1))

    def test_every_change_of_the_base_is_seen_at_once(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        ada = entity(base, "Ada Lovelace").id
        document = publish(library, base, "c.pdf", "Ada Lovelace in London")
        assert [n.entity.name for n in graph.neighbours(ada, 1, 9)] == ["London"]
        library.documents.delete(document.id)
        assert graph.neighbours(ada, 1, 9) == []

    def test_several_documents_stating_the_same_make_one_relation(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        documents = [add(library, base, name) for name in ("s1.pdf", "s2.pdf")]
        for document in documents:
            library.publications.publish(
                publication(document, base, ["."], stated=[("BERT", "Ada Lovelace", "INSPIRED_BY")])
            )
        (stated,) = graph.relations_between([entity(base, "BERT").id, entity(base, "Ada Lovelace").id])
        assert (stated.relation, stated.weight) == ("INSPIRED_BY", 0.9)
        assert stated.pages == tuple(sorted((document.id, 0) for document in documents))


class TestMentions:
    def test_a_mention_shows_its_sentence_document_and_boxes(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        publish(library, base, "a.pdf", "First one. Then BERT came, e.g. from Google. Last one.")
        (view,) = graph.mentions(entity(base, "BERT").id, 9)
        assert view.sentence == "Then BERT came, e.g. from Google."
        assert (view.document_name, view.mention.surface, view.boxes) == (
            "a.pdf",
            "BERT",
            ((0, (100, 100, 900, 200)),),
        )

    def test_a_mention_says_whether_answers_use_its_passage(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        document = add(library, base, "a.pdf")
        made = publication(document, base, ["BERT", "BERT"])
        library.publications.publish(replace(made, chunks=(made.chunks[0], replace(made.chunks[1], enabled=False))))
        assert [view.used for view in graph.mentions(entity(base, "BERT").id, 9)] == [True, False]

    def test_mentions_come_in_the_order_of_documents_and_text(
        self, library: Library, graph: KnowledgeGraph, base: KnowledgeBase
    ) -> None:
        publish(library, base, "z.pdf", "BERT. BERT.", "BERT!")
        publish(library, base, "a.pdf", "BERT")
        views = graph.mentions(entity(base, "BERT").id, 9)
        assert [(view.document_name, view.mention.page, view.mention.start) for view in views] == [
            ("z.pdf", 0, 0),
            ("z.pdf", 0, 6),
            ("z.pdf", 1, 0),
            ("a.pdf", 0, 0),
        ]
        assert graph.mentions(entity(base, "BERT").id, 2) == views[:2]
        documents = {view.mention.document_id for view in views}
        assert graph.documents_of([entity(base, "BERT").id, "unknown"]) == {entity(base, "BERT").id: documents}
        assert len(documents) == 2
        assert graph.mentions("unknown", 9) == []
