"""An answer in another language than its sources is held to what they mean, not only to their numbers."""

import pytest

from core.documents.model import Chunk
from core.models.embedding.encoder.sentence_encoder import UniversalSentenceEncoder
from core.models.embedding.hashed import HashedEmbedder
from core.rulebook.checking.support import unsupported_sentences
from core.search.model import Passage

SOURCE = (
    "The lighthouse on Skerra was built in 1874. Its lamp is lit at sunset by the keeper. "
    "Visitors may climb the tower on Sundays. The stairs have 212 steps."
)
FAITHFUL = "斯凯拉的灯塔建于1874年。游客周日可以登塔。"
INVENTED = "灯塔曾经被用作监狱。"


@pytest.fixture(scope="module")
def encoder() -> UniversalSentenceEncoder:
    return UniversalSentenceEncoder()


def passages(text: str = SOURCE) -> list[Passage]:
    return [Passage(Chunk("c1", "d1", 0, text, (), ()), "skerra.pdf", 0.9)]


def test_an_invented_chinese_sentence_over_an_english_source_is_marked(encoder: UniversalSentenceEncoder) -> None:
    answer = f"{FAITHFUL}{INVENTED}"
    assert unsupported_sentences(answer, passages(), encoder=encoder) == [INVENTED]
    assert unsupported_sentences(answer, passages()) == []


def test_an_invented_english_sentence_over_a_chinese_source_is_marked(encoder: UniversalSentenceEncoder) -> None:
    source = passages("斯凯拉的灯塔建于1874年。灯塔看守人在日落时点亮灯。游客周日可以登塔。")
    answer = "The keeper lights the lamp at sunset. The island has a famous bakery."
    assert unsupported_sentences(answer, source, encoder=encoder) == ["The island has a famous bakery."]


def test_numbers_stay_strict_across_languages(encoder: UniversalSentenceEncoder) -> None:
    assert unsupported_sentences("灯塔建于1901年。", passages(), encoder=encoder) == ["灯塔建于1901年。"]


def test_without_meanings_numbers_alone_are_compared() -> None:
    assert unsupported_sentences(INVENTED, passages(), encoder=HashedEmbedder()) == []


def test_the_name_of_a_document_is_no_part_of_what_is_claimed() -> None:
    chunk = Chunk("1", "d", 0, "The sound is 62 metres deep.", (), ())
    passages = (Passage(chunk, "marlow-sound-handbook-of-2025.pdf", 0.9),)
    told = "62 metres deep (in marlow-sound-handbook-of-2025.pdf)."
    assert unsupported_sentences(told, passages) == []
    assert unsupported_sentences("63 metres deep (in marlow-sound-handbook-of-2025.pdf).", passages)
