"""Trains the encoder of core/models/embedding/passages and writes its weights and its tokenizer there:
python -m benchmarks.train_encoder DATA WEIGHTS TOKENIZER LEFT_OUT OWN_WORDS [--minutes 28].

As train_cross_encoder, which see; DATA has the repositories of encoder_questions too, and OWN_WORDS the documents that
own_words.jsonl names. Every second layer of the given encoder learns two things: to make the vectors that all of its
layers make, and to tell which passage, and which sentence of it, answers a question. Ends with a measurement on
questions that were held back.
"""

import argparse
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import accumulate, pairwise
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.cross_encoder_lists import CHINESE, LATIN, WITHOUT_SUBJECT, Vocabulary, as_typed
from benchmarks.cross_encoder_questions import Question, read_questions
from benchmarks.encoder_network import Encoder, padded, read_weights, write_onnx
from benchmarks.encoder_questions import HERE, Text, guides, natural_questions, own_words, questions_on_laws
from benchmarks.encoder_training import lower_precision
from benchmarks.encoder_training import train as loop
from benchmarks.output import say_line
from core.models.embedding.passages import passage_encoder
from core.models.embedding.passages.passage_encoder import BEGIN, END, LONGEST, PASSAGE, QUERY

SEED = 5
LAYERS, ALL_LAYERS = (0, 2, 4, 7, 9, 11), range(12)
FROZEN_LAYERS = 1
PIECES = 80_000
OTHERS = ((0x370, 0x530), (0x600, 0x700), (0xE00, 0xE80), (0x2E80, 0x3400), (0xAC00, 0xD7B0))
"""Greek, Cyrillic, Arabic, Thai, Japanese and Korean letters."""
GROUPS, FROM_A_GROUP = 6, 4
"""Questions of a step: passages of one document are the hardest to tell apart."""
PARTS = 2
"""Of a step, each with so many questions."""
GUIDES_PER_STEP = 3
TEMPERATURE = 0.02
LIKENESS, CHOICE = 6.0, 0.5
"""Weights of the likeness with the given encoder, and of the choice of a sentence, beside that of the passage."""
MOST_PIECES = 320
"""Of a passage in training."""
SHARES = {
    "amazon": 0.25,
    "reddit": 0.25,
    "policy": 0.3,
    "wiki": 0.6,
    "zh-squad": 1.0,
    "own": 0.5,
    "nq": 1.5,
    "law": 1.0,
}
"""How often a set's questions are drawn in a round; of other sets once."""
RATE, DECAY, WARM_UP_STEPS = 1.5e-4, 0.01, 40


@dataclass(frozen=True, slots=True)
class Row:
    """Pieces of what is read at once, and where its parts begin; the last number is where they end."""

    pieces: list[int]
    bounds: list[int]


class Reader:
    """Makes rows, as the product does."""

    def __init__(self, vocabulary: Vocabulary) -> None:
        self._tokenizer = vocabulary.tokenizer

    def query(self, text: str) -> Row:
        return self._row(QUERY, [text], 64)

    def passage(self, heading: str, sentences: Sequence[str]) -> Row:
        return self._row(PASSAGE, [heading or " ", *sentences], MOST_PIECES)

    def _row(self, kind: str, parts: Sequence[str], most: int) -> Row:
        first, *encoded = self._tokenizer.encode_batch_fast([kind, *parts], add_special_tokens=False)
        lists = [each.ids or first.ids[-1:] for each in encoded]
        begun = [BEGIN, *first.ids]
        bounds = [len(begun), *(len(begun) + length for length in accumulate(map(len, lists)))]
        kept = [bound for bound in bounds if bound < most]
        kept = kept if len(kept) > 1 else [bounds[0], min(bounds[1], most)]
        pieces = [*begun, *(piece for each in lists for piece in each)][: kept[-1]]
        return Row([*pieces, END], kept)


@dataclass(frozen=True, slots=True)
class Part:
    """Questions and passages of a step, which one thread learns from."""

    queries: list[Row]
    passages: list[Row]
    owners: list[int]
    """Place of each question's passage."""
    right: list[frozenset[int]]
    """Parts of the passage that answer."""
    allowed: Tensor
    """(questions, passages): the right passage, and those that do not answer."""


def spans(vectors: Tensor, row: Row) -> Tensor:
    """Return the unit vectors of a row's parts, each the mean of its pieces."""
    means = torch.stack([vectors[start:end].mean(0) for start, end in pairwise(row.bounds)])
    return functional.normalize(means, dim=-1)


def encoded(network: Encoder, rows: Sequence[Row]) -> list[Tensor]:
    """Return the vectors of the parts of each row."""
    order = sorted(range(len(rows)), key=lambda at: len(rows[at].pieces))
    found: dict[int, Tensor] = {}
    for start in range(0, len(order), 8):
        places = order[start : start + 8]
        with lower_precision():
            made = network(*padded([rows[at].pieces for at in places])).float()
        found |= {at: spans(made[place], rows[at]) for place, at in enumerate(places)}
    return [found[at] for at in range(len(rows))]


def whole(parts: Tensor) -> Tensor:
    return functional.normalize(parts.mean(0), dim=-1)


class Steps:
    """Draws the questions of a step after another."""

    def __init__(self, questions: Sequence[Question], texts: Sequence[Text], reader: Reader) -> None:
        self._questions, self._texts, self._reader = questions, texts, reader
        self._waiting: list[list[int]] = []

    def __iter__(self) -> Iterator[tuple[Part, list[Row]]]:
        while True:
            if len(self._waiting) < GROUPS:
                self._waiting = self._round() + self._waiting
            numbers = [number for _ in range(GROUPS) for number in self._waiting.pop()]
            texts = [random.choice(self._texts) for _ in range(GUIDES_PER_STEP)]
            rows = [self._reader.passage(text.heading, text.sentences) for text in texts]
            rows += [self._reader.query(random.choice(text.sentences)) for text in texts]
            yield self._part(numbers), rows

    def _round(self) -> list[list[int]]:
        groups: dict[str, list[int]] = defaultdict(list)
        for number, question in enumerate(self._questions):
            share = SHARES.get(question.source, 1.0)
            groups[_group(question)] += [number] * (int(share) + (random.random() < share % 1))
        found: list[list[int]] = []
        for numbers in groups.values():
            random.shuffle(numbers)
            found += [numbers[start : start + FROM_A_GROUP] for start in range(0, len(numbers), FROM_A_GROUP)]
        random.shuffle(found)
        return found

    def _part(self, numbers: Sequence[int]) -> Part:
        asked = [self._questions[number] for number in numbers]
        places: dict[tuple[str, tuple[str, ...]], int] = {}
        owners = [places.setdefault((question.heading, question.sentences), len(places)) for question in asked]
        passages = [self._reader.passage(*key) for key in places]
        sources = {place: question.source for question, place in zip(asked, owners, strict=True)}
        allowed = torch.ones(len(asked), len(passages), dtype=torch.bool)
        for row, (question, owner) in enumerate(zip(asked, owners, strict=True)):
            for place, source in sources.items():
                if question.source in WITHOUT_SUBJECT and source == question.source and place != owner:
                    allowed[row, place] = False
        right = [frozenset(at + 1 for at in question.right) for question in asked]
        return Part([self._reader.query(as_typed(each)) for each in asked], passages, owners, right, allowed)


def _group(question: Question) -> str:
    """Return what questions that are asked together share."""
    if question.source in WITHOUT_SUBJECT | {"nq", "law", "selqa"}:
        return question.source
    return question.group if question.source == "own" else f"{question.source}/{question.heading or question.group}"


def loss_of(network: Encoder, given: Encoder, part: Part, guide_rows: Sequence[Row]) -> Tensor:
    rows = [*guide_rows, *part.queries, *part.passages]
    alike = len(rows) - len(part.passages) * 2 // 3  # all of them would take much of the time
    made = encoded(network, rows)
    with torch.no_grad():
        wanted = encoded(given, rows[:alike])
    likeness = torch.stack([1 - (a * b).sum(-1).mean() for a, b in zip(made, wanted, strict=False)]).mean()
    made = made[len(guide_rows) :]
    queries = torch.stack([each[0] for each in made[: len(part.queries)]])
    passages = made[len(part.queries) :]
    scores = torch.stack([(queries @ whole(each) + (queries @ each.T).amax(1)) / 2 for each in passages], 1)
    scores = torch.where(part.allowed, scores / TEMPERATURE, -torch.inf)
    total = functional.cross_entropy(scores, torch.tensor(part.owners)) + LIKENESS * likeness
    choices = [
        _choice(queries[at], passages[owner], right)
        for at, (owner, right) in enumerate(zip(part.owners, part.right, strict=True))
    ]
    found = [each for each in choices if each is not None]
    return total + CHOICE * torch.stack(found).mean() if found else total


def _choice(query: Tensor, parts: Tensor, right: frozenset[int]) -> Tensor | None:
    """Return the loss of the choice among the sentences of the right passage; None if there is nothing to choose."""
    kept = [at for at in sorted(right) if at < len(parts)]
    if not kept or len(kept) == len(parts) - 1:
        return None
    logits = parts[1:] @ query / TEMPERATURE
    return torch.logsumexp(logits, 0) - torch.logsumexp(logits[[at - 1 for at in kept]], 0)


def train(network: Encoder, given: Encoder, steps: Steps, minutes: float) -> None:
    """Train for so many minutes; the rate falls with the time that is left."""
    network.train()
    learnt = [parameter for parameter in network.parameters() if parameter.requires_grad]
    optimizer = torch.optim.AdamW(learnt, lr=RATE, betas=(0.9, 0.98), weight_decay=DECAY, fused=True)

    def learn(drawn: tuple[Part, list[Row]]) -> float:
        loss = loss_of(network, given, *drawn)
        (loss / PARTS).backward()
        return float(loss.detach())

    loop(optimizer, zip(*[iter(steps)] * PARTS, strict=False), learn, minutes, WARM_UP_STEPS)
    network.eval()


def measure(questions: Sequence[Question]) -> None:
    """Print by set how often the right passage is first among all of the set, and the right sentence in it."""
    encoder = passage_encoder.PassageEncoder()
    by_set: dict[str, list[Question]] = defaultdict(list)
    for question in questions:
        by_set[f"{question.language} {question.source}"].append(question)
    for name, asked in sorted(by_set.items()):
        texts = list(dict.fromkeys((question.heading, question.sentences) for question in asked))
        vectors = [np.array(each) for each in encoder.embed_parts([[heading or " ", *of] for heading, of in texts])]
        first = chosen = 0
        for question in asked:
            query = np.array(encoder.embed_query(question.text))
            scores = [
                float(np.mean(each, 0) @ query / np.linalg.norm(np.mean(each, 0)) + max(each @ query))
                for each in vectors
            ]
            place = texts.index((question.heading, question.sentences))
            first += int(np.argmax(scores)) == place
            chosen += int(np.argmax(vectors[place][1:] @ query)) in question.right
        count = len(asked)
        say_line(
            f"{name}: {count} questions, {len(texts)} passages, "
            f"passage first {first / count:.3f}, sentence {chosen / count:.3f}"
        )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "weights", "tokenizer", "left_out", "own_words"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--minutes", type=float, default=28)
    given = parser.parse_args()
    random.seed(SEED)
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    found = [
        *read_questions(given.data, given.left_out),
        *natural_questions(given.data),
        *questions_on_laws(given.data),
    ]
    found += own_words(given.own_words, HERE / "own_words.jsonl")
    questions = [question for question in found if question.right]
    texts = guides(given.data)
    learnt = [question for question in questions if not question.is_held_back]
    read = {text for question in learnt for text in (question.text, question.heading, *question.sentences)}
    read |= {sentence for text in texts for sentence in text.sentences}
    vocabulary = Vocabulary(given.tokenizer, sorted(read), PIECES, (*LATIN, *CHINESE, *OTHERS))
    tensors, words = read_weights(given.weights, vocabulary.numbers)
    network, teacher = Encoder(tensors, words, LAYERS, LONGEST), Encoder(tensors, words, ALL_LAYERS, LONGEST)
    network.freeze(FROZEN_LAYERS)
    teacher.requires_grad_(False)
    say_line(f"{len(learnt)} questions, {len(texts)} other passages, {len(vocabulary.numbers)} pieces")
    train(network, teacher, Steps(learnt, texts, Reader(vocabulary)), given.minutes)
    passage_encoder.FOLDER.mkdir(exist_ok=True)
    write_onnx(network, words, passage_encoder.FOLDER / "encoder.onnx", "words.bin")
    (passage_encoder.FOLDER / "tokenizer.json").write_text(vocabulary.form, encoding="utf-8")
    measure([question for question in questions if question.is_held_back])


if __name__ == "__main__":
    main()
