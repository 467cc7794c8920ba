"""Trains the network that finds names, and writes its weights beside those of the passage encoder, whose word table and
tokenizer it shares: python -m benchmarks.train_tagger DATA WEIGHTS [--minutes 14] [--all].

As train_cross_encoder, which see; DATA has the repositories of tagger_passages.SETS and of tagger_marks.jsonl; where
WEIGHTS is the tagger.onnx of the product, it is trained further. Of a kind that a set does not mark nothing is learnt
from it. Ends with a measurement on own passages of sources that were held back, unless --all learns from these, too.
"""

import argparse
import random
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import torch
from tokenizers import Tokenizer
from torch import Tensor

from benchmarks.encoder_network import TagEncoder, padded, read_onnx, read_weights, write_onnx
from benchmarks.encoder_training import lower_precision
from benchmarks.encoder_training import train as loop
from benchmarks.output import say_line
from benchmarks.tagger_passages import IGNORED, SETS, MarkedPassage, own_passages, public_passages
from core.models.embedding.passages.passage_encoder import BEGIN, END, FOLDER
from core.models.tagging.entity_tagger import KINDS, LONGEST, TAGS, OnnxEntityTagger

SEED = 5
OWN_ROUNDS = 4
"""How often an own passage is drawn in a round."""
PIECES_PER_PART, PARTS = 2_000, 2
ROWS_AHEAD = 640
"""Sorted by length, so that the rows of a part are about as long."""
HIDDEN, HIDING = 0.12, 0.7
"""Share of the pieces that are hidden, so that a name is told by what surrounds it, too, and of the parts with any."""
UNKNOWN = 3
RATE, FURTHER_RATE, DECAY, WARM_UP_STEPS = 3e-4, 1.5e-4, 0.01, 100
KEPT = 0.998
"""Share of the mean weights that a step keeps."""
IMPOSSIBLE = -1e9


@dataclass(frozen=True, slots=True)
class Row:
    pieces: list[int]
    allowed: Tensor
    """(pieces, tags)"""


def rows_of(tokenizer: Tokenizer, passage: MarkedPassage) -> Iterator[Row]:
    encoded = tokenizer.encode(passage.text, add_special_tokens=False)
    spans = [(end - len(passage.text[start:end].lstrip()), end) for start, end in encoded.offsets]
    allowed = torch.zeros((len(spans), len(TAGS)), dtype=torch.bool)
    allowed[:, 0] = True
    for number, kind in enumerate(KINDS):
        if kind not in passage.kinds:
            allowed[:, 1 + 2 * number : 3 + 2 * number] = True
    for start, end, kind in passage.marks:
        inside = [place for place, span in enumerate(spans) if start < span[1] and span[0] < end]
        if kind == IGNORED:
            allowed[inside] = True
        elif inside:
            tag = 1 + 2 * KINDS.index(kind)
            allowed[inside] = False
            allowed[inside[0], tag] = allowed[inside[1:], tag + 1] = True
    for first in range(0, len(spans), LONGEST):
        yield Row(encoded.ids[first : first + LONGEST], allowed[first : first + LONGEST])


def steps(rows: Sequence[tuple[float, Row]]) -> Iterator[list[list[Row]]]:
    """Yield the parts of one step after another, without end. rows: with how often each is drawn in a round."""
    while True:
        drawn = [row for often, row in rows for _ in range(int(often) + (random.random() < often % 1))]
        random.shuffle(drawn)
        for start in range(0, len(drawn), ROWS_AHEAD):
            parts = list(_parts(sorted(drawn[start : start + ROWS_AHEAD], key=lambda row: len(row.pieces))))
            random.shuffle(parts)
            for at in range(0, len(parts), PARTS):
                yield parts[at : at + PARTS]


def _parts(rows: Sequence[Row]) -> Iterator[list[Row]]:
    part: list[Row] = []
    for row in rows:
        if part and len(row.pieces) * (len(part) + 1) > PIECES_PER_PART:
            yield part
            part = []
        part.append(row)
    yield part


def loss_of(network: TagEncoder, part: Sequence[Row]) -> Tensor:
    ids, mask = padded([[BEGIN, *row.pieces, END] for row in part])
    if random.random() < HIDING:
        is_hidden = (torch.rand(ids.shape) < HIDDEN) & (ids > END)
        ids = torch.where(is_hidden, UNKNOWN, ids)
    with lower_precision():
        numbers = network(ids, mask)
    found = torch.cat([numbers[at, 1 : 1 + len(row.pieces)] for at, row in enumerate(part)]).float()
    allowed = torch.cat([row.allowed for row in part])
    logarithms = torch.log_softmax(found, -1).masked_fill(~allowed, IMPOSSIBLE)
    return -torch.logsumexp(logarithms, -1).mean()


def train(network: TagEncoder, rows: Sequence[tuple[float, Row]], minutes: float, rate: float) -> None:
    network.train()
    learnt = [parameter for parameter in network.parameters() if parameter.requires_grad]
    means = [parameter.detach().clone() for parameter in learnt]
    optimizer = torch.optim.AdamW(learnt, lr=rate, betas=(0.9, 0.98), weight_decay=DECAY, fused=True)

    def keep_mean(*_: object) -> None:
        with torch.no_grad():
            torch._foreach_mul_(means, KEPT)
            torch._foreach_add_(means, learnt, alpha=1 - KEPT)

    def learn(part: Sequence[Row]) -> float:
        loss = loss_of(network, part)
        (loss / PARTS).backward()
        return float(loss.detach())

    optimizer.register_step_post_hook(keep_mean)
    loop(optimizer, steps(rows), learn, minutes, WARM_UP_STEPS)
    with torch.no_grad():
        for parameter, mean in zip(learnt, means, strict=True):
            parameter.copy_(mean)
    network.eval()


def measure(passages: Sequence[MarkedPassage]) -> None:
    """Print for each kind how many of the names found are marked so, and how many of those marked are found."""
    right, found, marked = Counter[str](), Counter[str](), Counter[str]()
    for passage, row in zip(passages, OnnxEntityTagger().tag([each.text for each in passages]), strict=True):
        names = {(each.start, each.end, each.kind) for each in row}
        marked.update(kind for _, _, kind in passage.marks)
        found.update(kind for _, _, kind in names)
        right.update(kind for _, _, kind in names.intersection(passage.marks))
    for kind in KINDS:
        say_line(f"{kind}: {right[kind]} right of {found[kind]} found and {marked[kind]} marked")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "weights"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--minutes", type=float, default=14)
    parser.add_argument("--all", action="store_true")
    given = parser.parse_args()
    random.seed(SEED)
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    tokenizer = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    tokenizer.encode_special_tokens = True
    own = list(own_passages(given.data))
    shares = [(float(OWN_ROUNDS), each) for each in own if given.all or not each.is_held_back]
    shares += [(each.share, passage) for each in SETS for passage in public_passages(given.data, each)]
    rows = [(share, row) for share, passage in shares for row in rows_of(tokenizer, passage)]
    further = given.weights.suffix == ".onnx"
    tensors, words = read_onnx(given.weights if further else FOLDER / "encoder.onnx")
    network = TagEncoder(tensors if further else read_weights(given.weights, [0])[0], words)
    say_line(f"{len(shares)} passages")
    train(network, rows, given.minutes, FURTHER_RATE if further else RATE)
    write_onnx(network, words, FOLDER / "tagger.onnx", "words.bin")
    if not given.all:
        measure([each for each in own if each.is_held_back])


if __name__ == "__main__":
    main()
