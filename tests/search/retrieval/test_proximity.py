from pathlib import Path

import pytest
from sqlalchemy import Engine

from core.search.retrieval.first_hop import FirstHop, proximity
from core.search.retrieval.ranking import Weights, weight_of_hashed_words
from tests.search.retrieval.worlds import World

OF = Weights({"rate": 1.0, "tax": 1.0, "2021": 2.0}, 4.0)
FAR = " and so on" * 20


class TestBestStretch:
    @pytest.mark.parametrize(
        ("text", "share"),
        [
            ("The Tax Rate of 2021", 1.0),
            (f"The tax rate{FAR} in 2021", 0.5),
            (f"A rate, a rate, a rate{FAR}, in 2021 the tax{FAR}", 0.75),
            (f"2021{FAR} tax{FAR} rates", 0.5),
            ("", 0.0),
        ],
    )
    def test_what_stands_close_together_counts_once_each(self, text: str, share: float) -> None:
        assert proximity(text, OF.of, OF, 100) == share

    def test_only_what_the_text_is_known_to_hold_is_looked_for(self) -> None:
        assert proximity("syntax in 2021", ["2021", "unasked"], OF, 100) == 0.5

    def test_a_query_without_terms_has_no_share(self) -> None:
        assert proximity("tax", [], Weights(), 100) == 0.0


@pytest.fixture
def world(engine: Engine, tmp_path: Path) -> World:
    return World(engine, tmp_path / "lexical")


class TestOrder:
    def test_the_passage_with_the_words_in_one_sentence_is_first(self, world: World) -> None:
        world.publish("apart.pdf", f"The lever is red.{FAR} The brake is old.{FAR} The valve opens.")
        world.publish("close.pdf", f"The lever of the old red brake opens the valve.{FAR}{FAR} It is so.")
        for number in range(8):
            world.publish(f"note-{number}.pdf", f"Room {number} was painted.{FAR}")
        world.index()
        assert list(world.found("chunks", "Which lever of the brake opens a valve?"))[:2] == ["close.pdf", "apart.pdf"]

    def test_what_is_known_to_be_in_another_script_is_not_compared(self, world: World) -> None:
        world.publish("close.pdf", "The lever of the brake opens the valve.")
        world.publish("apart.pdf", f"A lever.{FAR} A brake.{FAR} A valve.")
        world.publish("zh.pdf", "制动杆（lever）打开制动器（brake）的阀门（valve）。")
        world.index()
        first = FirstHop(world.library.passages, world.lexical_index, world.chunk_index, weight_of_hashed_words)
        found = first.find(world.base.id, "chunks", "Which lever of the brake opens the valve?").candidates
        together = dict(zip(world.titles(list(found)), (each.proximity for each in found.values()), strict=True))
        assert together["close.pdf"] == -together["apart.pdf"] > 0.0
        assert together["zh.pdf"] == 0.0
