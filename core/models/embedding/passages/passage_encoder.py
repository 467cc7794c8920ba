"""The embedded default of the search: a small encoder of questions and passages, in many languages.

Its weights (`encoder.onnx`, 8 bits) and its vocabulary come with the code; benchmarks/train_encoder.py makes both.
"""

from collections.abc import Iterator, Sequence
from functools import lru_cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import numpy as np

from core.models.embedding.texts import readable
from core.models.onnx_network import loaded_network
from core.platform.errors import Translated, unusable

BEGIN, END = 0, 2
QUERY, PASSAGE = "query:", "passage:"
"""Stand before a text, as in training."""
LONGEST = 512
"""Pieces that are read at once; what is longer is read in several windows."""
MAX_CHARACTERS = 1_000
"""Of a part."""
DIMENSION = 384
REMEMBERED = 1_000
"""Questions whose vectors are kept, 1.5 MB; each searches several indexes."""
FOLDER = Path(__file__).parent


class PassageEncoder:
    """Embedder in ONNX Runtime on one thread.

    A passage is read as a whole, and the vector of each of its parts is the mean over its pieces ("late chunking"), so
    that a sentence is understood by what stands before it. Each window is read by itself: in 8 bits, what is read
    together shares a scale, and a vector would depend on its neighbours.
    """

    semantic = True

    def __init__(self) -> None:
        self._remembered = lru_cache(maxsize=REMEMBERED)(lambda text: self._read(QUERY, [text])[0])

    @property
    def name(self) -> str:
        return f"passages-1-{DIMENSION}"

    @property
    def dimension(self) -> int:
        return DIMENSION

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        """Raises ServiceError when the encoder cannot be loaded."""
        return [self._read(PASSAGE, [text])[0] for text in texts]

    def embed_query(self, text: str) -> Sequence[float]:
        vector: Sequence[float] = self._remembered(text)
        return vector

    def embed_parts(self, passages: Sequence[Sequence[str]]) -> list[Any]:
        return [self._read(PASSAGE, parts) for parts in passages]

    def _read(self, kind: str, parts: Sequence[str]) -> Any:
        with Translated(unusable("retrieval.passage_encoder_unusable"), Exception):
            tokenizer, session = loaded_network(FOLDER / "encoder.onnx")
        texts = [kind, *(readable(part, MAX_CHARACTERS) for part in parts)]
        first, *found = (each.ids for each in tokenizer.encode_batch_fast(texts, add_special_tokens=False))
        begun = [BEGIN, *first]
        vectors: list[Any] = []
        for window in _windows(found, LONGEST - len(begun) - 1):
            pieces = [*begun, *(piece for each in window for piece in each), END]
            ids = np.array([pieces], dtype=np.int64)
            made = session.run(None, {"input_ids": ids, "attention_mask": np.ones_like(ids)})[0][0]
            bounds = np.cumsum([len(begun), *map(len, window)])
            vectors += [made[start:end].mean(axis=0) for start, end in pairwise(bounds.tolist())]
        whole = np.array(vectors, dtype=np.float32)
        return whole / np.linalg.norm(whole, axis=1, keepdims=True)


def _windows(parts: Sequence[list[int]], longest: int) -> Iterator[list[list[int]]]:
    """Yield parts that are read together; one that is longer by itself is cut."""
    window: list[list[int]] = []
    for part in parts:
        kept = part[:longest] or [END]
        if window and sum(map(len, window)) + len(kept) > longest:
            yield window
            window = []
        window.append(kept)
    if window:
        yield window
