"""Co-occurrence after changes is what reading every document would have given, to the last number."""

from random import Random

import numpy as np
import pytest

from core.graph.network.cooccurrence import Cooccurrence
from core.graph.network.incidences import Packed, with_changes


def packed(chance: Random) -> Packed:
    """A document that names some of thirty entities in a few chunks."""
    ids = sorted(chance.sample([f"e{number:02}" for number in range(30)], chance.randint(0, 6)))
    chunks = [sorted(chance.sample(range(len(ids)), chance.randint(1, len(ids)))) for _ in range(3)] if ids else []
    used = sorted({place for members in chunks for place in members})
    return {
        "entities": [ids[place] for place in used],
        "sizes": [len(members) for members in chunks],
        "members": [used.index(place) for members in chunks for place in members],
        "pages": [chance.randint(0, 4) for members in chunks for _ in members],
    }


@pytest.mark.parametrize("seed", range(40))
def test_it_equals_what_is_read_from_all_documents(seed: int) -> None:
    chance = Random(seed)
    before = {f"d{number:02}": packed(chance) for number in range(chance.randint(0, 12))}
    gone = chance.sample(sorted(before), len(before) // 3)
    again = chance.sample(sorted(before.keys() - gone), len(before) // 4)
    new = [f"d{number:02}x" for number in chance.sample(range(15), 3)]
    now = {id: packed(chance) for id in (*again, *new)}
    after = {id: each for id, each in before.items() if id not in gone} | now
    changed = [*gone, *again, *new]
    found = with_changes(Cooccurrence(before).incidence, changed, Cooccurrence(now).incidence)
    expected = Cooccurrence(after).incidence
    assert (found.document_ids, found.entity_ids) == (expected.document_ids, expected.entity_ids)
    for one, other in zip(found[2:], expected[2:], strict=True):
        np.testing.assert_array_equal(one, other)
