"""Arrays in a mapped file: the same as they were written, or an error."""

from pathlib import Path
from typing import Any

import numpy as np
import pytest

from core.models.embedding.encoder.array_files import mapped_arrays, write_arrays

ARRAYS: dict[str, Any] = {
    "one": np.arange(7, dtype=np.uint64),
    "empty": np.zeros((0, 3), np.float32),
    "turned": np.arange(6, dtype=np.float32).reshape(2, 3).T,
}


@pytest.fixture
def path(tmp_path: Path) -> Path:
    found = tmp_path / "cache" / "a.arrays"
    write_arrays(found, ARRAYS)
    return found


def test_arrays_are_the_same_and_cannot_be_changed(path: Path) -> None:
    found = mapped_arrays(path)
    assert list(found) == list(ARRAYS)
    for name, array in ARRAYS.items():
        assert found[name].dtype == array.dtype
        assert np.array_equal(found[name], array)
        assert not found[name].flags.writeable
        assert found[name].ctypes.data % 64 == 0


def test_a_file_that_is_written_anew_leaves_the_arrays_of_the_old_one(path: Path) -> None:
    before = mapped_arrays(path)
    write_arrays(path, {"one": np.zeros(7)})
    assert before["one"].tolist() == [*range(7)]
    assert mapped_arrays(path)["one"].tolist() == [0.0] * 7


@pytest.mark.parametrize("place", [0, 9, 20, -60])
def test_a_byte_that_changed_is_noticed(path: Path, place: int) -> None:
    data = bytearray(path.read_bytes())
    data[place] ^= 1
    path.write_bytes(data)
    with pytest.raises(ValueError, match=path.name):
        mapped_arrays(path)


@pytest.mark.parametrize("length", [0, 5, 16, 100])
def test_a_file_that_was_cut_short_is_noticed(path: Path, length: int) -> None:
    path.write_bytes(path.read_bytes()[:length])
    with pytest.raises(ValueError, match=r"."):
        mapped_arrays(path)


def test_a_file_that_is_missing_is_an_error_of_the_system(tmp_path: Path) -> None:
    with pytest.raises(OSError, match=r"none"):
        mapped_arrays(tmp_path / "none.arrays")
