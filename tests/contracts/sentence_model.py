"""A sentence model small enough to be written by hand: an ONNX file and a tokenizer in the shape of MiniLM's."""

import struct
from collections.abc import Sequence
from pathlib import Path

from tokenizers import Tokenizer
from tokenizers.models import WordLevel
from tokenizers.pre_tokenizers import Whitespace

FLOAT, INT64 = 1, 7
WORDS = {"[PAD]": 0, "[UNK]": 1, "cat": 2, "dog": 3, "car": 4}
VECTORS = ((9.0, 9.0, 9.0), (0.0, 0.0, 1.0), (1.0, 0.1, 0.0), (0.9, 0.2, 0.0), (0.0, 1.0, 0.0))


def write_model(folder: Path, vectors: Sequence[Sequence[float]] = VECTORS) -> Path:
    """folder/model.onnx looks each token up in a table; folder/tokenizer.json knows WORDS."""
    folder.mkdir(parents=True, exist_ok=True)
    tokenizer = Tokenizer(WordLevel(WORDS, unk_token="[UNK]"))
    tokenizer.pre_tokenizer = Whitespace()
    tokenizer.save(str(folder / "tokenizer.json"))
    (folder / "model.onnx").write_bytes(_model(vectors))
    return folder


def _model(vectors: Sequence[Sequence[float]]) -> bytes:
    table = struct.pack(f"<{len(vectors) * len(vectors[0])}f", *(number for vector in vectors for number in vector))
    initializer = (
        _number(1, len(vectors))
        + _number(1, len(vectors[0]))
        + _number(2, FLOAT)
        + _text(8, "table")
        + _field(9, table)
    )
    look_up = _text(1, "table") + _text(1, "input_ids") + _text(2, "tokens") + _text(4, "Gather")
    # the mask is an input of real models too; adding it as an unused input would be refused, so it is made an output
    copy = _text(1, "attention_mask") + _text(2, "mask") + _text(4, "Identity")
    graph = (
        _field(1, look_up)
        + _field(1, copy)
        + _text(2, "sentences")
        + _field(5, initializer)
        + _field(11, _value("input_ids", INT64, 2))
        + _field(11, _value("attention_mask", INT64, 2))
        + _field(12, _value("tokens", FLOAT, 3))
        + _field(12, _value("mask", INT64, 2))
    )
    return _number(1, 8) + _field(7, graph) + _field(8, _text(1, "") + _number(2, 13))


def _value(name: str, kind: int, rank: int) -> bytes:
    """A ValueInfo of a tensor whose dimensions are open."""
    shape = b"".join(_field(1, _text(2, f"d{place}")) for place in range(rank))
    return _text(1, name) + _field(2, _field(1, _number(1, kind) + _field(2, shape)))


def _number(tag: int, value: int) -> bytes:
    return _varint(tag << 3) + _varint(value)


def _text(tag: int, value: str) -> bytes:
    return _field(tag, value.encode())


def _field(tag: int, content: bytes) -> bytes:
    return _varint(tag << 3 | 2) + _varint(len(content)) + content


def _varint(value: int) -> bytes:
    low, rest = value & 0x7F, value >> 7
    return bytes([low | 0x80]) + _varint(rest) if rest else bytes([low])
