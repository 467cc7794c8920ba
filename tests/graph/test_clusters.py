"""Communities of large graphs: those that are there, numbered by size, the same each time."""

import numpy as np

from core.graph.network.communities import clusters


def groups_of(count: int, pairs: list[tuple[int, int]]) -> list[int]:
    ends = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    found: list[int] = clusters(count, ends[:, 0], ends[:, 1], np.ones(len(ends))).tolist()
    return found


def clique(nodes: range) -> list[tuple[int, int]]:
    return [(one, other) for one in nodes for other in nodes if one < other]


def test_groups_that_are_closely_connected_are_told_apart() -> None:
    found = groups_of(16, [*clique(range(6)), *clique(range(6, 15)), (5, 6)])
    assert found == [1] * 6 + [0] * 9 + [-1]


def test_without_relations_there_is_no_community() -> None:
    assert groups_of(4, []) == [-1] * 4
    assert groups_of(0, []) == []


def test_the_same_graph_has_the_same_communities() -> None:
    chance = np.random.default_rng(3)
    pairs = [(int(one), int(other)) for one, other in chance.integers(0, 300, (900, 2)) if one != other]
    assert groups_of(300, pairs) == groups_of(300, pairs)
