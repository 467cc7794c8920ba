"""Embeddings from a sentence model in ONNX Runtime, from files the user provides; nothing is downloaded."""

from collections.abc import Sequence
from functools import lru_cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import onnxruntime  # type: ignore[import-untyped]  # it ships no types
from tokenizers import Tokenizer

from core.models.embedding.texts import readable
from core.platform.errors import ConfigurationError, Translated

FILES = ("model.onnx", "tokenizer.json")
BATCH = 32
MAX_TOKENS = 256
"""Tokens per text, as all-MiniLM-L6-v2 was trained."""
MAX_CHARACTERS = 4_000
REMEMBERED_QUERIES = 256


def is_present(folder: Path) -> bool:
    return all((folder / name).is_file() for name in FILES)


class MiniLmEmbedder:
    """Embedder for folder/model.onnx and folder/tokenizer.json.

    Mean of the token vectors, normalised to unit length.
    """

    semantic = True

    def __init__(self, folder: Path) -> None:
        """Raises ConfigurationError if the files cannot be used."""
        with Translated(partial(_unusable, folder), Exception):  # both libraries raise plain Exception
            self._tokenizer = Tokenizer.from_file(str(folder / "tokenizer.json"))
            self._session: Any = onnxruntime.InferenceSession(
                str(folder / "model.onnx"), providers=["CPUExecutionProvider"]
            )
            self._tokenizer.enable_truncation(MAX_TOKENS)
            self._tokenizer.enable_padding()
            self._inputs = {given.name for given in self._session.get_inputs()}
            self._dimension = self._run(["dimension"]).shape[1]
        self._remembered = lru_cache(maxsize=REMEMBERED_QUERIES)(lambda text: self.embed([text])[0])

    @property
    def name(self) -> str:
        return f"minilm-{self._dimension}"

    @property
    def dimension(self) -> int:
        return int(self._dimension)

    def embed(self, texts: Sequence[str]) -> Sequence[Sequence[float]]:
        vectors: list[Sequence[float]] = []
        for start in range(0, len(texts), BATCH):
            vectors += self._run([readable(text, MAX_CHARACTERS) for text in texts[start : start + BATCH]]).tolist()
        return vectors

    def embed_query(self, text: str) -> Sequence[float]:
        return self._remembered(text)

    def embed_parts(self, passages: Sequence[Sequence[str]]) -> None:
        """One vector of a text is all it makes."""

    def _run(self, texts: list[str]) -> Any:
        encoded = self._tokenizer.encode_batch(texts)
        mask = np.array([encoding.attention_mask for encoding in encoded], dtype=np.int64)
        given = {
            "input_ids": np.array([encoding.ids for encoding in encoded], dtype=np.int64),
            "attention_mask": mask,
            "token_type_ids": np.zeros_like(mask),
        }
        output = self._session.run(None, {name: value for name, value in given.items() if name in self._inputs})[0]
        vectors = output if output.ndim == 2 else _mean(output, mask)
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        return vectors / np.where(lengths > 0, lengths, 1.0)


def _unusable(folder: Path, reason: object) -> ConfigurationError:
    return ConfigurationError("retrieval.model_unusable", folder=folder, reason=str(reason)[:200])


def _mean(tokens: Any, mask: Any) -> Any:
    """Mean over the unmasked tokens. `tokens`: (texts, tokens, dimension); `mask`: (texts, tokens)."""
    weights = mask[:, :, None].astype(tokens.dtype)
    return (tokens * weights).sum(axis=1) / np.maximum(weights.sum(axis=1), 1e-9)
