"""A list of ids reads as the strings that it was made of."""

import numpy as np
import pytest

from core.graph.network.incidences import IdList

IDS = ["", "0a", "0a1", "0b", "é", "图谱", "𝌆"]


def test_it_reads_as_the_strings() -> None:
    ids = IdList.of(IDS)
    assert [*ids] == IDS == [ids[at] for at in range(len(ids))]
    assert ids[-1] == "𝌆"
    assert ids[1:3] == IdList.of(["0a", "0a1"]) != IdList.of(["0a", "0b"])
    assert [*ids.at(np.array([5, 0]))] == ["图谱", ""]
    with pytest.raises(IndexError):
        ids[7]


@pytest.mark.parametrize("wanted", [*IDS, "0", "0a12", "z", "图"])
def test_an_id_is_found_at_its_place(wanted: str) -> None:
    assert IdList.of(IDS).place(wanted) == (IDS.index(wanted) if wanted in IDS else None)


def test_without_ids_nothing_is_found() -> None:
    assert [*IdList.of([])] == []
    assert IdList.of([]).place("0a") is None
