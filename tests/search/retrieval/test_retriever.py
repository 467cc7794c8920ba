import shutil
from pathlib import Path

import pytest
from sqlalchemy import Engine, update

from core.platform.errors import NotFoundError, ServiceError
from core.platform.sql.schema import chunks
from core.search.ports import IndexEntry
from core.search.retrieval.index_integrity import rebuild
from core.search.retrieval.ranking import weight_of_whole_passages
from tests.search.retrieval.worlds import World

BOTH = "Do both films Levity (Film) and I Come With The Rain have directors of the same nationality?"


class TestChunks:
    def test_a_clear_answer_scores_high_and_what_shares_little_scores_low(self, films: World) -> None:
        found = films.found("chunks", "Which river is the capital of France on?")
        assert next(iter(found)) == "Paris"
        assert found["Paris"] >= 0.5
        assert all(score < 0.3 for title, score in found.items() if title != "Paris")

    @pytest.mark.parametrize("query", ["", "?!", "quantum chromodynamics", "  ", "的"])
    def test_a_question_about_nothing_here_has_no_hit_that_matters(self, films: World, query: str) -> None:
        assert all(score < 0.3 for score in films.found("chunks", query).values())

    def test_a_title_that_the_question_names_counts(self, films: World) -> None:
        found = films.found("chunks", "what is face in the rain about")
        assert next(iter(found)) == "Face in the Rain"

    def test_documents_narrow_the_search_also_by_title(self, films: World) -> None:
        document = next(d for d in films.library.documents.of_base(films.base.id) if d.name == "Paris")
        hits = films.retriever.chunks(films.base.id, "Levity, the film", 10, [document.id])
        assert set(films.titles([hit.chunk_id for hit in hits])) <= {"Paris"}

    @pytest.mark.parametrize(
        "query", ["a" * 1_000_000, "Levity " * 200_000, "列" * 300_000, "? " * 500_000, "\ud800 Levity"]
    )
    @pytest.mark.timeout(60)
    def test_hostile_queries_are_searched_soon(self, films: World, query: str) -> None:
        assert len(films.retriever.graph(films.base.id, query, 5)) <= 5

    def test_limits_hold(self, films: World) -> None:
        assert len(films.retriever.chunks(films.base.id, "film director", 3)) == 3
        assert films.retriever.chunks(films.base.id, "film director", 0) == []

    def test_hits_say_which_search_found_them(self, films: World) -> None:
        best = films.retriever.chunks(films.base.id, "capital of France", 1)[0]
        assert best.sources == ("lexical", "vector")

    def test_the_same_question_has_the_same_answer_in_the_same_order(self, films: World) -> None:
        assert films.retriever.graph(films.base.id, BOTH, 10) == films.retriever.graph(films.base.id, BOTH, 10)

    def test_what_the_answer_should_look_like_is_not_searched_for(self, films: World) -> None:
        plain = films.retriever.chunks(films.base.id, "Who directed Levity?", 5)
        assert films.retriever.chunks(films.base.id, "Who directed Levity? Answer in one French word.", 5) == plain


class TestVisibility:
    def test_disabled_chunks_and_deleted_documents_are_left_out_and_others_take_their_place(
        self, films: World, engine: Engine
    ) -> None:
        first, second, third = films.retriever.chunks(films.base.id, "film director", 3)
        with engine.begin() as connection:
            connection.execute(update(chunks).where(chunks.c.id == first.chunk_id).values(enabled=False))
        films.library.documents.delete(films.library.passages.get([second.chunk_id])[0].chunk.document_id)
        ids = [hit.chunk_id for hit in films.retriever.chunks(films.base.id, "film director", 3)]
        assert len(ids) == 3
        assert not {first.chunk_id, second.chunk_id} & set(ids)
        assert third.chunk_id in ids

    def test_other_bases_are_not_searched(self, films: World) -> None:
        other = films.library.bases.create("Other")
        assert films.retriever.graph(other.id, "Levity", 5) == []

    @pytest.mark.parametrize("route", ["chunks", "hierarchical", "graph"])
    def test_an_unknown_base_is_an_error(self, films: World, route: str) -> None:
        with pytest.raises(NotFoundError):
            getattr(films.retriever, route)("unknown", "Levity", 5)


class TestGraph:
    def test_a_question_about_two_films_finds_both_and_both_directors(self, films: World) -> None:
        assert set(list(films.found("graph", BOTH))[:4]) == {
            "Levity (film)",
            "I Come with the Rain",
            "Ed Solomon",
            "Trần Anh Hùng",
        }

    def test_plain_search_does_not_find_them(self, films: World) -> None:
        assert "Ed Solomon" not in list(films.found("chunks", BOTH))[:5]

    def test_hops_are_marked_and_score_above_what_shares_words_alone(self, films: World) -> None:
        hits = films.retriever.graph(films.base.id, BOTH, 10)
        by_title = dict(zip(films.titles([hit.chunk_id for hit in hits]), hits, strict=True))
        assert "graph" in by_title["Ed Solomon"].sources
        assert by_title["Ed Solomon"].score > by_title["Come On, Rangers"].score

    def test_a_rare_entity_joins_documents_that_name_no_titles(self, engine: Engine, tmp_path: Path) -> None:
        world = World(engine, tmp_path / "lexical")
        names = {"Zyx-9": "TECHNOLOGY"}
        world.publish("minutes.pdf", "The brake supplier of the Falcon project delivers the Zyx-9 valve.", names=names)
        world.publish("report.pdf", "Tests of the Zyx-9 ended in a recall after leaks.", names=names)
        for number in range(8):
            world.publish(f"note-{number}.pdf", f"The Falcon project met in room {number} about its budget.")
        world.index()
        question = "Was there a recall of what the brake supplier of the Falcon project delivers?"
        assert list(world.found("graph", question))[:2] == ["minutes.pdf", "report.pdf"]
        assert world.found("graph", question)["report.pdf"] > world.found("chunks", question)["report.pdf"]

    def test_chinese_names_are_followed_by_entities_and_book_title_marks(self, engine: Engine, tmp_path: Path) -> None:
        world = World(engine, tmp_path / "lexical")
        names = {"张艺谋": "PERSON"}
        world.publish("红高粱", "《红高粱》是一部由张艺谋执导的电影，改编自《红高粱家族》。", names=names)
        world.publish("张艺谋", "张艺谋，1950年出生于西安，毕业于北京电影学院。", names=names)
        world.publish("红高粱家族", "这部小说的作者是莫言。")
        world.publish("西湖", "西湖位于杭州，是著名的风景区。")
        world.index()
        assert set(list(world.found("graph", "紅高粱的導演出生在哪裡？"))[:3]) == {"红高粱", "张艺谋", "红高粱家族"}

    def test_what_only_one_hop_reaches_stays_below_a_clear_answer(self, films: World) -> None:
        found = films.found("graph", "Which river is the capital of France on?")
        assert next(iter(found)) == "Paris"


class TestHierarchical:
    def test_chunks_of_the_documents_whose_summaries_fit_are_found_and_marked(
        self, engine: Engine, tmp_path: Path
    ) -> None:
        world = World(engine, tmp_path / "lexical")
        world.publish("manual.pdf", "Turn the red knob to the left.", "Oil the axle once a year.")
        world.publish("novel.pdf", "The heroine turned to the sea.")
        world.index()
        hits = world.retriever.hierarchical(world.base.id, "What is in manual.pdf?", 5)
        assert world.titles([hit.chunk_id for hit in hits])[:2] == ["manual.pdf", "manual.pdf"]
        assert all("summary" in hit.sources for hit in hits[:2])

    def test_what_plain_search_finds_is_found_too(self, films: World) -> None:
        found = films.found("hierarchical", "Which river is the capital of France on?")
        assert next(iter(found)) == "Paris"
        assert found["Paris"] >= 0.5


CHINESE = [
    "小灰头稚冠雉生活在热带及亚热带的环境，以种子为食。",
    "黑颈鹤是在高原生活和繁殖的鹤类，主要栖息于沼泽。",
    "大熊猫生活在四川的竹林之中，以竹子为主食。",
    "绿头鸭常见于湖泊与河流，冬季迁往南方。",
]


def misleading(query: str, entry: IndexEntry) -> float:
    """A model that knows no Chinese: all is near, and the wrong ones are nearer."""
    return 0.72 + 0.02 * (sum(map(ord, entry.text)) % 9) - (0.1 if "稚冠雉" in entry.text else 0.0)


def crossing(query: str, entry: IndexEntry) -> float:
    """A model that knows both languages."""
    return 0.55 if "稚冠雉" in entry.text else 0.2


class TestVectors:
    def test_vectors_that_know_no_chinese_do_not_spoil_a_chinese_search(self, engine: Engine, tmp_path: Path) -> None:
        world = World(engine, tmp_path / "lexical", misleading, weight_of_whole_passages)
        for number, text in enumerate(CHINESE):
            world.publish(f"{number}.txt", text)
        world.index()
        found = world.found("chunks", "小灰头稚冠雉生活在什么地带？")
        assert next(iter(found)) == "0.txt"

    def test_where_words_find_nothing_a_model_of_meaning_decides(self, engine: Engine, tmp_path: Path) -> None:
        world = World(engine, tmp_path / "lexical", crossing, weight_of_whole_passages)
        for number, text in enumerate(CHINESE):
            world.publish(f"{number}.txt", text)
        world.index()
        found = world.found("chunks", "Where does the pheasant live?")
        assert next(iter(found)) == "0.txt"
        assert found["0.txt"] >= 0.5 > found["1.txt"]


class TestWholeness:
    @pytest.mark.parametrize("route", ["chunks", "hierarchical", "graph"])
    def test_a_lost_index_is_an_error_and_a_rebuild_repairs_it(self, films: World, tmp_path: Path, route: str) -> None:
        shutil.rmtree(tmp_path / "lexical")
        with pytest.raises(ServiceError, match="rebuild-index"):
            films.found(route, "Levity")
        films.index()
        assert next(iter(films.found(route, "Levity"))) == "Levity (film)"

    def test_an_index_that_holds_less_than_the_library_is_an_error(self, films: World) -> None:
        films.publish("London", "London is on the river Thames.")
        films.chunk_index.total = 9
        with pytest.raises(ServiceError, match="8 of 9 passages"):
            films.found("chunks", "Thames")
        films.index()
        assert next(iter(films.found("chunks", "Thames"))) == "London"

    def test_a_base_without_vectors_is_searched_by_words(self, films: World) -> None:
        films.chunk_index.entries.clear()
        films.chunk_index.total = 8
        assert next(iter(films.found("graph", "Levity"))) == "Levity (film)"

    def test_lost_vectors_are_an_error(self, films: World) -> None:
        films.chunk_index.done = films.chunk_index.total = 8
        films.chunk_index.entries.clear()
        with pytest.raises(ServiceError, match="0 of 8 passages"):
            films.found("chunks", "Levity")

    def test_an_unknown_base_cannot_be_rebuilt(self, films: World) -> None:
        with pytest.raises(NotFoundError):
            rebuild(films.library.bases, films.library.passages, "unknown", (films.chunk_index, films.lexical_index))
