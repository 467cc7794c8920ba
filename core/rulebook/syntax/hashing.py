"""Numbers of strings and rows of tables as spaCy's weights were trained with them (MurmurHash)."""

import numpy as np
from numpy.typing import NDArray

_BITS = (1 << 64) - 1
_MULTIPLIER, _SHIFT = 0xC6A4A7935BD1E995, 47
_SEED = 1
Rows = NDArray[np.int64]
Hashes = NDArray[np.uint64]


def number_of(text: str) -> int:
    """MurmurHash64A of the UTF-8 bytes; 0 for the empty string."""
    data = text.encode()
    if not data:
        return 0
    mixed = _SEED ^ (len(data) * _MULTIPLIER & _BITS)
    whole = len(data) - len(data) % 8
    for at in range(0, whole, 8):
        block = int.from_bytes(data[at : at + 8], "little") * _MULTIPLIER & _BITS
        block = (block ^ block >> _SHIFT) * _MULTIPLIER & _BITS
        mixed = (mixed ^ block) * _MULTIPLIER & _BITS
    if whole < len(data):
        mixed = (mixed ^ int.from_bytes(data[whole:], "little")) * _MULTIPLIER & _BITS
    mixed = (mixed ^ mixed >> _SHIFT) * _MULTIPLIER & _BITS
    return mixed ^ mixed >> _SHIFT


def rows_of(numbers: Hashes, seed: int, rows: int) -> Rows:
    """Four rows of a table for each number (MurmurHash3, 128 bits)."""
    first = numbers * np.uint64(0x87C37B91114253D5)
    first = (first << np.uint64(31)) | (first >> np.uint64(33))
    first = first * np.uint64(0x4CF5AD432745937F) ^ np.uint64(seed) ^ np.uint64(8)
    second = np.full_like(first, seed ^ 8)
    first = first + second
    second = second + first
    first, second = _finished(first), _finished(second)
    first = first + second
    second = second + first
    low = np.uint64(0xFFFFFFFF)
    keys = np.stack([first & low, first >> np.uint64(32), second & low, second >> np.uint64(32)], axis=1)
    return (keys % np.uint64(rows)).astype(np.int64)


def _finished(mixed: Hashes) -> Hashes:
    mixed = (mixed ^ mixed >> np.uint64(33)) * np.uint64(0xFF51AFD7ED558CCD)
    mixed = (mixed ^ mixed >> np.uint64(33)) * np.uint64(0xC4CEB9FE1A85EC53)
    return mixed ^ mixed >> np.uint64(33)
