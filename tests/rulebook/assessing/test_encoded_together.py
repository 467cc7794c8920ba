"""Texts that are foreseen are encoded in one call."""

from collections.abc import Sequence

from core.rulebook.assessing.word_meanings import EncodedTogether


class Counted:
    def __init__(self) -> None:
        self.calls: list[list[str]] = []

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        self.calls.append([*texts])
        return [[float(len(text))] for text in texts]


def test_only_what_was_not_foreseen_is_asked_for_again() -> None:
    encoder = Counted()
    encoded = EncodedTogether(encoder, ["kelp", "tide gauge", "kelp"])
    assert encoded.embed(["tide gauge"]) == [[10.0]]
    assert encoded.embed(["buoy", "kelp"]) == [[4.0], [4.0]]
    assert encoder.calls == [["kelp", "tide gauge"], ["buoy"]]
