"""Names in memory: found as one by one, in their order, each entity once."""

import pytest

from core.graph.names.name_list import NameList

NAMES = (
    ("a", "PERSON", "kelp"),
    ("a", "PERSON", "kelp station"),
    ("b", "PLACE", "old kelp station"),
    ("c", "PLACE", "kelp"),
    ("d", "THING", "station"),
    ("e", "THING", "kelpnet"),
    ("e", "THING", "net of kelp"),
    ("f", "THING", "神经网络"),
    *((f"n{number}", "THING", f"probe {number}") for number in range(40)),
)


def one_by_one(wanted: str, type: str, limit: int) -> list[str]:
    ranked: dict[str, tuple[int, int]] = {}
    for id, of_type, name in NAMES:
        if wanted and wanted in name and type in ("", of_type):
            place = 0 if name == wanted else 1 if name.startswith(wanted) else 2
            first = next(at for at, (other, *_) in enumerate(NAMES) if other == id)
            ranked[id] = min(ranked.get(id, (place, first)), (place, first))
    return sorted(ranked, key=lambda id: ranked[id])[:limit]


@pytest.mark.parametrize("type", ["", "THING", "PLACE", "NONE"])
@pytest.mark.parametrize(
    "wanted", ["kelp", "station", "k", "e", "kelp station", "of kelp", "probe 1", "probe", "网", "zz", "", "p s"]
)
def test_search_finds_what_looking_at_every_name_finds(wanted: str, type: str) -> None:
    names = NameList(NAMES)
    for limit in (1, 3, 100):
        assert names.search(wanted, type, limit) == one_by_one(wanted, type, limit)


def test_of_no_names_none_is_found() -> None:
    assert NameList(()).search("kelp", "", 5) == []
