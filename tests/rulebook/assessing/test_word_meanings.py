"""Words of a question that a sentence says in other words, told by vectors of single words."""

from collections.abc import Sequence

import numpy as np

from core.rulebook.assessing.quotable_spans import units_of
from core.rulebook.assessing.word_meanings import SaidInMeaning, WordsCompared
from core.search.model import Passage
from tests.rulebook.assessing.test_quotes import passages

MEANINGS = {"price": 0, "价格": 0, "tram": 1, "电车": 1, "driver": 2}


class WordVectors:
    """A direction for each meaning above, one of its own for every other word."""

    name, dimension, semantic = "words", 64, True

    def __init__(self) -> None:
        self.known = dict(MEANINGS)

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        places = [self.known.setdefault(text.casefold(), 3 + len(self.known) % 61) for text in texts]
        return [[float(place == at) for at in range(self.dimension)] for place in places]

    def embed_query(self, text: str) -> Sequence[float]:
        return self.embed([text])[0]


def said_in(question: str, given: Sequence[Passage], places: Sequence[int]) -> SaidInMeaning:
    words = WordsCompared(question, units_of(given), given)
    words.add(places)
    return words.said(WordVectors())


def test_a_sentence_in_another_language_says_the_words_it_translates() -> None:
    given = passages("电车的价格写在门口。", "The driver sells apples.")
    said = said_in("What is the price of a tram?", given, [0, 1])
    assert said.own[0] == 1.0
    assert said.most_missing[0] == 0.0
    assert said.own[1] == 0.0
    assert said.most_missing[1] == 1.0


def test_a_heading_and_the_sentence_before_count_less_than_the_sentence_itself() -> None:
    given = passages(("Tram", "The price is high. Snow fell over night."))
    said = said_in("What is the price of a tram?", given, [0, 1])
    assert said.own[0] < said.around[0] < 1.0
    assert 0.0 == said.own[1] < said.around[1] < said.around[0]


def test_what_is_not_compared_is_not_told() -> None:
    given = passages("The price is high. Snow fell over night.")
    said = said_in("What is the price of a tram?", given, [0])
    assert np.isnan(said.own).tolist() == [False, True]
    assert np.isnan(said_in("price", given, []).own).all()
