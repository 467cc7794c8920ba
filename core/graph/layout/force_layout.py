"""Force-directed graph layout: repulsion by convolution, connected parts packed side by side."""

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import ArrayLike, NDArray

Points = NDArray[np.float64]
Numbers = NDArray[np.int64]

_EXACT = 500
"""Limit of the nodes of which every pair repels; more repel through a grid."""
_GRID = 128
_READABLE = 200
"""Limit of the nodes in total of which no two are drawn closer than _LEAST_DISTANCE."""
_LEAST_DISTANCE = 0.8
_RELAXATIONS = 60
_GAP = 1.5
_ROOM = 2.5
"""Units of area per node of a connected part."""
_GOLDEN_ANGLE = np.pi * (3 - np.sqrt(5))


STEPS = 120


def layout(node_count: int, edges: ArrayLike, weights: ArrayLike, iterations: int = STEPS) -> Points:
    """(node_count, 2) positions, a few units of area a node, centred on the origin; the same for the same input.

    edges holds (source, target) pairs of node numbers, weights one number an edge, 0 or more.
    Raises ValueError for edges that point outside and arrays that do not fit.
    """
    pairs = np.asarray(edges, dtype=np.int64).reshape(-1, 2)
    strengths = np.asarray(weights, dtype=np.float64).reshape(-1)
    _check(node_count, pairs, strengths)
    if node_count == 0:
        return np.zeros((0, 2))
    loops = pairs[:, 0] == pairs[:, 1]
    pairs, strengths = pairs[~loops], strengths[~loops]
    parts = _components(node_count, pairs)
    members = np.split(np.argsort(parts, kind="stable"), np.cumsum(np.bincount(parts))[:-1])
    local = np.empty(node_count, dtype=np.int64)
    for nodes in members:
        local[nodes] = np.arange(len(nodes))
    order = np.argsort(parts[pairs[:, 0]], kind="stable")
    bounds = np.searchsorted(parts[pairs[:, 0]][order], np.arange(len(members) + 1))
    drawings = []
    for part, nodes in enumerate(members):
        inside = order[bounds[part] : bounds[part + 1]]
        drawings.append(_draw(_spiral(len(nodes)), local[pairs[inside]], strengths[inside], iterations))
    positions = np.empty((node_count, 2))
    for nodes, drawing in zip(members, _packed(drawings), strict=True):
        positions[nodes] = drawing
    return _relaxed(positions) if node_count <= _READABLE else positions


def _check(node_count: int, pairs: Numbers, strengths: Points) -> None:
    if (
        node_count < 0
        or len(pairs) != len(strengths)
        or (pairs.size and (pairs.min() < 0 or pairs.max() >= node_count))
    ):
        raise ValueError("edges must join existing nodes and have one weight each")
    if not np.isfinite(strengths).all() or (strengths < 0).any():
        raise ValueError("weights must be finite and not negative")


def _components(node_count: int, pairs: Numbers) -> Numbers:
    """The number of every node's connected part, counted from 0 in order of the parts' first nodes."""
    root = np.arange(node_count)
    source, target = pairs[:, 0], pairs[:, 1]
    while True:
        least = np.minimum(root[source], root[target])
        previous = root.copy()
        np.minimum.at(root, root[source], least)
        np.minimum.at(root, root[target], least)
        root = root[root]
        if np.array_equal(root, previous):
            return np.asarray(np.unique(root, return_inverse=True)[1], dtype=np.int64)


def _spiral(count: int) -> Points:
    """Points of a sunflower spiral, one unit of area each."""
    turn = np.arange(count) * _GOLDEN_ANGLE
    radius = np.sqrt((np.arange(count) + 0.5) / np.pi)
    return np.stack([radius * np.cos(turn), radius * np.sin(turn)], axis=1)


def _scaled(points: Points) -> Points:
    """The points moved to the origin, as far from it on average as a sunflower with _ROOM units of area a point.

    Points on one spot get apart a little.
    """
    centred = points - points.mean(axis=0)
    extent = float(np.sqrt((centred**2).sum(axis=1).mean()))
    spread = _spiral(len(points))
    usual = float(np.sqrt(_ROOM * (spread**2).sum(axis=1).mean()))
    return np.asarray(centred * (usual / extent if extent > 1e-9 else 0.0) + spread * 1e-2)


def _draw(positions: Points, pairs: Numbers, strengths: Points, iterations: int) -> Points:
    """One connected part: springs along edges against repulsion, with decreasing steps."""
    count = len(positions)
    if count < 3:
        return np.array([[0.0, 0.0], [1.0, 0.0]])[:count]
    source, target = pairs[:, 0], pairs[:, 1]
    pull = np.log1p(strengths / (np.median(strengths[strengths > 0]) if (strengths > 0).any() else 1.0)) + 0.1
    degree = np.maximum(np.bincount(pairs.ravel(), weights=np.repeat(pull, 2), minlength=count), 1e-9)
    weight = pull / np.sqrt(np.minimum(degree[source], degree[target]))
    repel = _repel_exactly if count <= _EXACT else _repel_by_grid
    reach = np.sqrt(count)
    for step in range(iterations):
        force = repel(positions)
        along = positions[target] - positions[source]
        spring = along * (weight * np.hypot(*along.T))[:, None]
        for axis in range(2):
            force[:, axis] += np.bincount(source, spring[:, axis], count) - np.bincount(target, spring[:, axis], count)
        length = np.maximum(np.hypot(*force.T), 1e-9)[:, None]
        positions = positions + force / length * np.minimum(length, 0.1 * reach * (1 - step / iterations) ** 1.5)
    return _scaled(positions)


def _repel_exactly(positions: Points) -> Points:
    """1/distance between every pair of nodes."""
    strength = np.full((len(positions), len(positions)), 1e-3)
    for axis in positions.T:
        apart = axis[:, None] - axis[None, :]
        strength += np.square(apart, out=apart)
    np.reciprocal(strength, out=strength)
    force: Points = positions * strength.sum(axis=1)[:, None] - strength @ positions
    return force


def _repel_by_grid(positions: Points) -> Points:
    """The same force, with every node's charge distributed over the four nearest grid points."""
    low, high = positions.min(axis=0), positions.max(axis=0)
    cell = float((high - low).max()) / (_GRID - 2) or 1.0
    place = (positions - low) / cell
    corner = place.astype(np.int64)
    part = place - corner
    indices, shares = [], []
    for dx in (0, 1):
        for dy in (0, 1):
            indices.append((corner[:, 0] + dx) * _GRID + corner[:, 1] + dy)
            shares.append(np.abs(1 - dx - part[:, 0]) * np.abs(1 - dy - part[:, 1]))
    charge = sum(np.bincount(i, s, _GRID * _GRID) for i, s in zip(indices, shares, strict=True))
    spectrum = np.fft.rfft2(np.asarray(charge).reshape(_GRID, _GRID), s=(2 * _GRID, 2 * _GRID))
    force = np.zeros_like(positions)
    for axis, kernel in enumerate(_kernels()):
        field = np.fft.irfft2(spectrum * kernel, s=(2 * _GRID, 2 * _GRID))[:_GRID, :_GRID].ravel() / cell
        force[:, axis] = sum(field[i] * s for i, s in zip(indices, shares, strict=True))
    return force


@cache
def _kernels() -> tuple[NDArray[np.complex128], NDArray[np.complex128]]:
    """Spectra of x/r² and y/r² on a grid of twice the width, so that the repulsion does not wrap around."""
    offset = np.fft.fftfreq(2 * _GRID, 1 / (2 * _GRID))
    x, y = np.meshgrid(offset, offset, indexing="ij")
    squares = x**2 + y**2 + 0.5
    return np.fft.rfft2(x / squares), np.fft.rfft2(y / squares)


def _packed(drawings: Sequence[Points]) -> list[Points]:
    """The parts in rows, largest first, roughly in a square; each keeps its shape."""
    boxes = [(drawing.min(axis=0), np.ptp(drawing, axis=0) + _GAP) for drawing in drawings]
    width = max(
        float(np.sqrt(sum(float(size.prod()) for _, size in boxes))), *(float(size[0]) for _, size in boxes), 0.0
    )
    placed = list(drawings)
    x = y = height = 0.0
    for number in sorted(range(len(drawings)), key=lambda n: (-float(boxes[n][1][1]), n)):
        low, size = boxes[number]
        if x and x + size[0] > width:
            x, y, height = 0.0, y + height, 0.0
        placed[number] = drawings[number] - low + (x, y)
        x, height = x + float(size[0]), max(height, float(size[1]))
    middle = (np.vstack(placed).max(axis=0) + np.vstack(placed).min(axis=0)) / 2
    return [drawing - middle for drawing in placed]


def _relaxed(positions: Points) -> Points:
    """Pushes nodes apart a little at a time until each has room for its name."""
    if len(positions) < 2:
        return positions
    positions = positions + _spiral(len(positions)) * 1e-6
    for _ in range(_RELAXATIONS):
        dx, dy = (axis[:, None] - axis[None, :] for axis in positions.T)
        distance = np.hypot(dx, dy)
        np.fill_diagonal(distance, np.inf)
        if distance.min() >= _LEAST_DISTANCE:
            break
        push = np.maximum(_LEAST_DISTANCE * 1.02 - distance, 0.0) / 2 / np.maximum(distance, 1e-9)
        positions = positions + np.stack([(dx * push).sum(axis=1), (dy * push).sum(axis=1)], axis=1)
    return positions
