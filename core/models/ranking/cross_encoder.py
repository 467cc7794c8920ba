"""A small cross-encoder that tells how likely a sentence answers a question, in English and Chinese.

Its weights (`cross_encoder.onnx`, 8 bits) and its vocabulary come with the code; benchmarks/train_cross_encoder.py
makes both.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from core.models.embedding.texts import readable
from core.models.onnx_network import loaded_network
from core.platform.errors import ServiceError, Translated

BEGIN, PAD, END = 0, 1, 2
LONGEST, LONGEST_QUESTION, LONGEST_CONTEXT = 96, 28, 24
"""Pieces of all that is read at once, and of its parts, as in training."""
MAX_CHARACTERS = 1_000
"""Of a text, of which LONGEST pieces are read."""
FOLDER = Path(__file__).parent


class OnnxCrossEncoder:
    """The cross-encoder in ONNX Runtime on one thread."""

    def scores(self, question: str, sentences: Sequence[tuple[str, str]]) -> list[float]:
        """Return the log odds that each sentence answers the question; sentences: (what stands before, sentence)."""
        with Translated(_unusable, Exception):
            tokenizer, session = loaded_network(FOLDER / "cross_encoder.onnx")
        asked = _pieces(tokenizer, question)[:LONGEST_QUESTION]
        rows = [_joined(asked, _pieces(tokenizer, before), _pieces(tokenizer, text)) for before, text in sentences]
        if not rows:
            return []
        width = max(map(len, rows))
        ids = np.array([[*row, *[PAD] * (width - len(row))] for row in rows], dtype=np.int64)
        given = {"input_ids": ids, "attention_mask": (ids != PAD).astype(np.int64)}
        scores: list[float] = session.run(None, given)[0].tolist()
        return scores


def _unusable(error: BaseException) -> ServiceError:
    return ServiceError("retrieval.cross_encoder_unusable", reason=f"{type(error).__name__}: {error}"[:200])


def _pieces(tokenizer: Any, text: str) -> list[int]:
    pieces: list[int] = tokenizer.encode(readable(text, MAX_CHARACTERS), add_special_tokens=False).ids if text else []
    return pieces


def _joined(asked: list[int], before: list[int], sentence: list[int]) -> list[int]:
    begun = [BEGIN, *asked, END, END, *before[-LONGEST_CONTEXT:], *([END] if before else [])]
    return [*begun, *sentence[: LONGEST - 1 - len(begun)], END]
