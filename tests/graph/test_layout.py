"""Positions of a graph's nodes."""

import numpy as np
import pytest
from numpy.typing import NDArray

from core.graph.layout.force_layout import layout

Points = NDArray[np.float64]
Edges = list[tuple[int, int]]


def ring(count: int, first: int = 0) -> Edges:
    return [(first + i, first + (i + 1) % count) for i in range(count)]


def clusters(count: int, size: int) -> Edges:
    """Dense groups, each joined to the next by one edge."""
    inner = [
        (c * size + i, c * size + (i * k + 1) % size) for c in range(count) for i in range(size) for k in (1, 3, 7)
    ]
    return inner + [(c * size, (c + 1) % count * size) for c in range(count)]


def drawn(count: int, edges: Edges) -> Points:
    return layout(count, edges, [1.0] * len(edges))


def distances(positions: Points) -> Points:
    apart = positions[:, None] - positions[None]
    found = np.hypot(apart[:, :, 0], apart[:, :, 1])
    np.fill_diagonal(found, np.inf)
    return np.asarray(found)


def test_no_node_and_one_node() -> None:
    assert layout(0, [], []).shape == (0, 2)
    assert layout(1, [], []).tolist() == [[0.0, 0.0]]
    assert layout(1, [(0, 0)], [1.0]).shape == (1, 2)


@pytest.mark.parametrize("count", [2, 30, 300, 1500])
def test_the_same_graph_is_drawn_the_same(count: int) -> None:
    assert np.array_equal(drawn(count, ring(count)), drawn(count, ring(count)))


@pytest.mark.parametrize(("count", "size"), [(6, 25), (12, 100)])
def test_joined_nodes_are_closer_than_others(count: int, size: int) -> None:
    edges = clusters(count, size)
    positions = drawn(count * size, edges)
    source, target = np.array(edges).T
    joined = np.hypot(*(positions[source] - positions[target]).T).mean()
    far = distances(positions)
    assert joined < 0.4 * far[np.isfinite(far)].mean()


def test_the_drawing_is_spread_over_the_plane() -> None:
    positions = drawn(1200, clusters(12, 100))
    assert np.isfinite(positions).all()
    width, height = np.ptp(positions, axis=0)
    assert 0.3 < width / height < 3
    assert np.abs(positions.mean(axis=0)).max() < max(width, height) / 4


@pytest.mark.parametrize("edges", [[(0, i) for i in range(1, 150)], [(i, j) for i in range(25) for j in range(i)], []])
def test_small_graphs_leave_room_for_names(edges: Edges) -> None:
    count = max((max(edge) for edge in edges), default=79) + 1
    assert distances(drawn(count, edges)).min() >= 0.79


def test_separate_parts_are_packed_without_overlap() -> None:
    sizes = [40, 25, 10, 3, 2, 1, 1]
    starts = np.cumsum([0, *sizes[:-1]])
    edges = [edge for size, start in zip(sizes, starts, strict=True) for edge in ring(size, int(start)) if size > 1]
    positions = layout(sum(sizes), edges, [1.0] * len(edges))
    parts = np.split(positions, starts[1:])
    boxes = [(part.min(axis=0), part.max(axis=0)) for part in parts]
    for one, (low, high) in enumerate(boxes):
        for other_low, other_high in boxes[one + 1 :]:
            assert (low > other_high).any() or (high < other_low).any()


def test_weights_of_any_size_are_fine() -> None:
    for weight in (0.0, 1e-12, 1e12):
        assert np.isfinite(layout(30, ring(30), [weight] * 30)).all()


@pytest.mark.parametrize(
    ("edges", "weights"),
    [([(0, 5)], [1.0]), ([(-1, 0)], [1.0]), ([(0, 1)], []), ([(0, 1)], [float("nan")]), ([(0, 1)], [-1.0])],
)
def test_input_that_does_not_fit_is_refused(edges: Edges, weights: list[float]) -> None:
    with pytest.raises(ValueError, match="must"):
        layout(3, edges, weights)
