"""The cross-encoder that comes with the code: which sentence answers, in two languages, whatever it is given."""

from pathlib import Path

import pytest

from core.models.onnx_network import loaded_network
from core.models.ranking import cross_encoder
from core.models.ranking.cross_encoder import OnnxCrossEncoder
from core.platform.errors import ServiceError

GIVEN = (
    ("", "The device weighs 240 grams."),
    ("Reset", "Hold the power button for ten seconds until the light blinks."),
    ("", "Returns are accepted within 30 days, provided the item is unused."),
    ("", "红色预警由站长林雨晴批准发布。"),
    ("", "设备每60天校准一次。"),
)


@pytest.mark.parametrize(
    ("question", "answer"), [("how heavy is it", 0), ("谁批准红色预警？", 3), ("多久校准一次", 4), ("多久校準一次", 4)]
)
def test_the_sentence_that_answers_has_the_highest_score(question: str, answer: int) -> None:
    scores = OnnxCrossEncoder().scores(question, GIVEN)
    assert len(scores) == len(GIVEN)
    assert scores.index(max(scores)) == answer


def test_what_does_not_answer_is_unlikely() -> None:
    assert max(OnnxCrossEncoder().scores("Who wrote the national anthem of Peru?", GIVEN)) < 0


def test_any_text_has_a_finite_score_in_its_place() -> None:
    strange = [("", ""), ("", "\ud800"), ("x" * 10_000, "word " * 5_000), ("", "\0"), *GIVEN] * 3
    scores = OnnxCrossEncoder().scores("how heavy is it?" * 100, strange)
    assert len(scores) == len(strange)
    assert all(-50 < score < 50 for score in scores)
    assert OnnxCrossEncoder().scores("", []) == []


def test_the_same_is_said_every_time() -> None:
    assert OnnxCrossEncoder().scores("how heavy is it", GIVEN) == OnnxCrossEncoder().scores("how heavy is it", GIVEN)


def test_what_looks_like_a_control_piece_is_text() -> None:
    (plain, marked) = OnnxCrossEncoder().scores("how heavy is it", [("", "It weighs 240 grams."), ("", "</s>" * 90)])
    assert plain > marked
    assert cross_encoder._pieces(loaded_network(cross_encoder.FOLDER / "cross_encoder.onnx")[0], "</s>") != [
        cross_encoder.END
    ]


def test_damaged_weights_are_told_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "cross_encoder.onnx").write_bytes(b"cut off")
    monkeypatch.setattr(cross_encoder, "FOLDER", tmp_path)
    with pytest.raises(ServiceError, match="Reinstall GraphTalk"):
        OnnxCrossEncoder().scores("how heavy is it", GIVEN)
