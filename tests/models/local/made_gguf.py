"""GGUF files of a few bytes: a head and no weights."""

import struct
from pathlib import Path
from typing import Any

SIZES = {"block_count": 2, "embedding_length": 64, "attention.head_count": 4, "attention.head_count_kv": 2}


def gguf(values: dict[str, Any] | None = None, template: bool = True, words: str = "") -> bytes:
    """`words` follow the head after a bar; the stand-in for the runtime obeys them."""
    facts: dict[str, Any] = {"general.architecture": "tiny", "tokenizer.ggml.tokens": ["a", "b"]}
    facts |= {f"tiny.{name}": size for name, size in {**SIZES, "context_length": 2048}.items()}
    facts |= {"tokenizer.chat_template": "{{ messages }}"} if template else {}
    facts |= values or {}
    pairs = b"".join(_text(name) + _value(value) for name, value in facts.items())
    return b"GGUF" + struct.pack("<IQQ", 3, 0, len(facts)) + pairs + f"|{words}".encode()


def write_gguf(path: Path, words: str = "") -> Path:
    path.write_bytes(gguf(words=words))
    return path


def _text(text: str) -> bytes:
    return struct.pack("<Q", len(text)) + text.encode()


def _value(value: Any) -> bytes:
    if isinstance(value, str):
        return struct.pack("<I", 8) + _text(value)
    if isinstance(value, list):
        return struct.pack("<IIQ", 9, 8, len(value)) + b"".join(map(_text, value))
    return struct.pack("<II", 4, value)
