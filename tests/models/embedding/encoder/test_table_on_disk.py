"""A table whose rows are read from a file: the same bytes as in memory, or an error."""

from pathlib import Path

import numpy as np
import pytest

from core.models.embedding.encoder.array_files import DamagedTableError, kept_on_disk

TABLE = np.arange(12 * 4, dtype=np.uint8).reshape(12, 4)


def test_rows_are_the_same_as_in_memory_in_any_order_and_repeated(tmp_path: Path) -> None:
    rows = np.array([7, 0, 7, 11])
    assert np.array_equal(kept_on_disk(TABLE, tmp_path / "cache" / "a.table")[rows], TABLE[rows])


def test_what_was_there_before_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.table"
    path.write_bytes(b"short")
    assert np.array_equal(kept_on_disk(TABLE, path)[np.array([3])], TABLE[[3]])
    assert [each.name for each in tmp_path.iterdir()] == ["a.table"]


@pytest.mark.parametrize("damaged", [b"short", bytes(TABLE.nbytes)])
def test_rows_that_changed_or_are_missing_are_noticed(tmp_path: Path, damaged: bytes) -> None:
    path = tmp_path / "a.table"
    table = kept_on_disk(TABLE, path)
    path.write_bytes(damaged)
    with pytest.raises(DamagedTableError):
        table[np.array([3])]
