"""The encoder of the search, with the weights that come with the app."""

from pathlib import Path

import numpy as np
import pytest

from core.models.embedding.passages import passage_encoder
from core.models.embedding.passages.passage_encoder import DIMENSION, PassageEncoder
from core.platform.errors import ServiceError

BUOY = ("Buoys", "A buoy carries a radio.", "It may drift up to four kilometres.")
MAST = ("Masts", "A mast is made of steel.", "It may drift up to four kilometres.")


@pytest.fixture(scope="module")
def encoder() -> PassageEncoder:
    return PassageEncoder()


def cosine(one: object, other: object) -> float:
    return float(np.asarray(one) @ np.asarray(other))


@pytest.mark.parametrize(
    ("question", "same", "other"),
    [
        ("How far can a buoy drift?", "浮标能漂多远？", "谁赢得了比赛？"),
        ("谁是导演？", "The film was directed by Anna Holm.", "The river floods in spring."),
        ("Can I bring my dog?", "Animals are not permitted on the premises.", "Coffee is served from nine."),
        ("Wie lange ist das Museum geöffnet?", "The museum closes at six.", "The museum was built of brick."),
    ],
)
def test_a_question_is_near_its_answer_in_other_words_and_languages(
    encoder: PassageEncoder, question: str, same: str, other: str
) -> None:
    query = encoder.embed_query(question)
    near, far = (cosine(query, vector) for vector in encoder.embed([same, other]))
    assert near > far + 0.03


def test_every_part_of_a_passage_has_a_unit_vector(encoder: PassageEncoder) -> None:
    passages = [BUOY, ("", "\ud800", "x" * 5_000, "</s><pad>"), ("狗和猫",)]
    found = encoder.embed_parts(passages)
    assert [each.shape for each in found] == [(3, DIMENSION), (4, DIMENSION), (1, DIMENSION)]
    assert all(np.allclose(np.linalg.norm(each, axis=1), 1.0, atol=1e-5) for each in found)
    assert encoder.embed_parts([]) == []


def test_a_sentence_is_understood_by_what_stands_beside_it(encoder: PassageEncoder) -> None:
    buoy, mast = encoder.embed_parts([BUOY, MAST])
    query = encoder.embed_query("How far can a buoy drift?")
    assert cosine(query, buoy[2]) > cosine(query, mast[2]) + 0.01


def test_a_passage_has_the_same_vectors_whatever_is_read_with_it(encoder: PassageEncoder) -> None:
    alone = encoder.embed_parts([BUOY])[0]
    assert np.array_equal(encoder.embed_parts([MAST, ("很长的一段话。" * 30,), BUOY])[2], alone)


def test_a_passage_longer_than_a_window_has_vectors_to_its_end(encoder: PassageEncoder) -> None:
    sentences = [
        f"Room {number} of the old harbour museum shows {number} ships and their captains." for number in range(60)
    ]
    (found,) = encoder.embed_parts([[*sentences, "The café sells herring."]])
    query = encoder.embed_query("What food can I buy?")
    assert int(np.argmax(found @ query)) == len(sentences)


def test_weights_that_cannot_be_read_are_told_with_the_remedy(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(passage_encoder, "FOLDER", tmp_path)
    with pytest.raises(ServiceError, match="Reinstall GraphTalk"):
        PassageEncoder().embed(["cat"])
