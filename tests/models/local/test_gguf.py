"""Heads of GGUF files, which may be anybody's."""

import struct
from pathlib import Path

import pytest

from core.models.local.sizing import GgufHead, read_head
from core.platform.errors import InputError, NotFoundError
from tests.models.local.made_gguf import gguf


def test_the_head_tells_context_and_memory(tmp_path: Path) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(gguf())
    assert read_head(path) == GgufHead(context=2048, context_bytes=2 * 2 * 2 * 16 * 2, has_template=True)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"PK\x03\x04",
        b"GGUF",
        gguf()[:90],
        gguf({"general.architecture": "other"}),
        gguf({"tiny.attention.head_count": 0}),
        gguf({"tiny.block_count": 0}),
        b"GGUF" + struct.pack("<IQQ", 3, 0, 2**63),
        b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 2**63),
        b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"a" + struct.pack("<IIQ", 9, 8, 2**62),
        b"GGUF" + struct.pack("<IQQQ", 3, 0, 1, 1) + b"a" + struct.pack("<I", 77),
    ],
)
def test_anything_else_is_refused_with_a_sentence(tmp_path: Path, data: bytes) -> None:
    path = tmp_path / "a.gguf"
    path.write_bytes(data)
    with pytest.raises(InputError) as raised:
        read_head(path)
    assert raised.value.key == "local_model.no_gguf"


def test_a_missing_file_and_a_folder_are_refused(tmp_path: Path) -> None:
    with pytest.raises(NotFoundError):
        read_head(tmp_path / "none.gguf")
    with pytest.raises(InputError):
        read_head(tmp_path)
