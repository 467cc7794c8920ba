"""Detects memories that a newer one contradicts: the same statement with another value."""

from difflib import SequenceMatcher

from core.memory.model import Memory, MemoryKind
from core.platform.language.numbers import NUMBER
from core.platform.language.terms import content_terms

NEAR = 0.5
"""Memories within this cosine distance concern the same subject."""
FRAME = 0.5
"""Least share of the shorter memory's content terms that both contain."""


def contradicts(newer: Memory, older: Memory) -> bool:
    """Both say the same of something but for one stretch: of preferences any other value, of facts another number."""
    if newer.kind is not older.kind or newer.base_id != older.base_id or newer.text == older.text:
        return False
    first, second = content_terms(older.text), content_terms(newer.text)
    changes = [it for it in SequenceMatcher(None, first, second, autojunk=False).get_opcodes() if it[0] != "equal"]
    shared = len(set(first) & set(second))
    if len(changes) != 1 or changes[0][0] != "replace" or shared < FRAME * min(len(first), len(second)):
        return False
    return newer.kind is MemoryKind.PREFERENCE or _numbers(newer.text) != _numbers(older.text)


def _numbers(text: str) -> list[str]:
    return NUMBER.findall(text)
