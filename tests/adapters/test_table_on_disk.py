"""A table whose rows are read from a file: the same bytes as in memory, written again where the file is another."""

from pathlib import Path

import numpy as np

from core.adapters.embedding.table_on_disk import kept_on_disk

TABLE = np.arange(12 * 4, dtype=np.uint8).reshape(12, 4)


def test_rows_are_the_same_as_in_memory_in_any_order_and_repeated(tmp_path: Path) -> None:
    rows = np.array([7, 0, 7, 11])
    assert np.array_equal(kept_on_disk(TABLE, tmp_path / "cache" / "a.table")[rows], TABLE[rows])


def test_a_file_of_other_bytes_is_replaced(tmp_path: Path) -> None:
    path = tmp_path / "a.table"
    for other in (b"short", bytes(TABLE.nbytes)):
        path.write_bytes(other)
        assert np.array_equal(kept_on_disk(TABLE, path)[np.array([3])], TABLE[[3]])
    before = path.stat().st_mtime_ns
    kept_on_disk(TABLE, path)
    assert path.stat().st_mtime_ns == before
    assert [each.name for each in tmp_path.iterdir()] == ["a.table"]
