"""Trains the cross-encoder of core/models/ranking further and writes its weights there again:
python -m benchmarks.train_cross_encoder_further DATA LEFT_OUT DOCUMENTS [--minutes 60].

DATA and LEFT_OUT as for train_cross_encoder; DOCUMENTS has the documents of own_words.jsonl. The questions, which use
other words than these, come with sentences of those passages of the same document that are nearest in meaning. What
the public questions have taught is kept by some of them. Ends with the same measurement.
"""

import argparse
import random
from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import torch
from tokenizers import Tokenizer

from benchmarks.cross_encoder_lists import WITHOUT_SUBJECT, QuestionList, as_typed, context_of
from benchmarks.cross_encoder_questions import Question, read_questions
from benchmarks.encoder_network import CrossEncoder, read_onnx, write_onnx
from benchmarks.encoder_questions import HERE, Text, own_words, texts_of
from benchmarks.train_cross_encoder import SEED, measure, steps, train
from core.models.embedding.passages.passage_encoder import PassageEncoder
from core.models.ranking.cross_encoder import FOLDER

RATE = 7e-5
PUBLIC_SHARE = 0.2
"""Public questions in a round for each one in own words, so that what they taught is not forgotten."""
COMPARED = 60
"""Passages of other public documents among which the nearest are looked for."""
NEAREST, DRAWN = 8, 3
"""Passages nearest to a question, and how many of them give a sentence to its list."""
LIKELIEST = 0.75
"""Share of these whose sentence is the nearest of its passage; of the others it is any."""


@dataclass(frozen=True, slots=True)
class Passage:
    text: Text
    sentences: Any
    """A vector each."""

    def nearness(self, question: Any) -> float:
        mean = self.sentences.mean(axis=0)
        return float(mean @ question / np.linalg.norm(mean) + (self.sentences @ question).max()) / 2


class NearbyLists:
    """Questions in own words with the passages of their documents, and public questions with those of others."""

    def __init__(self, own: Sequence[Question], documents: Mapping[str, Sequence[Text]], public: Sequence[Question]):
        """documents: passages by group of the questions."""
        self._encoder = PassageEncoder()
        self._questions = [*own, *public]
        self._own = len(own)
        texts = {each for of in documents.values() for each in of}
        texts |= {Text(each.heading, each.sentences) for each in self._questions}
        self._passages = {each: self._passage(each) for each in texts}
        self._of_group: dict[str, list[Text]] = defaultdict(list, {group: [*of] for group, of in documents.items()})
        self._public = [Text(each.heading, each.sentences) for each in public]

    def _passage(self, text: Text) -> Passage:
        return Passage(text, np.asarray(self._encoder.embed_parts([list(text.sentences)])[0], np.float32))

    def round(self) -> list[int]:
        """Return the numbers of the questions of one round in random order."""
        public = range(self._own, len(self._questions))
        drawn = [*range(self._own), *random.sample(public, min(len(public), int(PUBLIC_SHARE * self._own)))]
        random.shuffle(drawn)
        return drawn

    def draw(self, number: int) -> QuestionList:
        question = self._questions[number]
        kind = random.random()  # the same for all sentences, so that it does not tell which of them is right
        asked = np.asarray(self._encoder.embed_query(question.text))
        own = Text(question.heading, question.sentences)
        places = [(question, random.choice(sorted(question.right)))]
        likely = _nearest_first(self._passages[own], asked)
        wrong = [place for place in likely if place not in question.right]
        places += [(question, place) for place in [*wrong[:1], *random.sample(wrong[1:], min(1, len(wrong[1:])))]]
        near = sorted(self._others(number, own), key=lambda each: -each.nearness(asked))[:NEAREST]
        for each in random.sample(near, min(DRAWN, len(near))):
            other = replace(question, heading=each.text.heading, sentences=each.text.sentences, right=frozenset())
            ranked = _nearest_first(each, asked)
            places.append((other, ranked[0] if random.random() < LIKELIEST else random.choice(ranked)))
        return QuestionList(
            as_typed(question),
            [(context_of(of, place, kind), of.sentences[place]) for of, place in places],
            [place in of.right for of, place in places],
        )

    def _others(self, number: int, own: Text) -> list[Passage]:
        is_own = number < self._own
        others = self._of_group[self._questions[number].group] if is_own else random.sample(self._public, COMPARED)
        return [self._passages[each] for each in others if each != own]


def _nearest_first(passage: Passage, question: Any) -> list[int]:
    return [int(place) for place in np.argsort(-(passage.sentences @ question))]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    for name in ("data", "left_out", "documents"):
        parser.add_argument(name, type=Path)
    parser.add_argument("--minutes", type=float, default=60)
    given = parser.parse_args()
    random.seed(SEED)
    torch.manual_seed(SEED)
    torch.set_num_threads(1)
    public = read_questions(given.data, given.left_out)
    own = [each for each in own_words(given.documents, HERE / "own_words.jsonl") if each.right]
    texts = {each.group: given.documents / each.group.removeprefix("own/") for each in own}
    documents = {group: texts_of(path.read_text(encoding="utf-8", errors="replace")) for group, path in texts.items()}
    tensors, words = read_onnx(FOLDER / "cross_encoder.onnx")
    network = CrossEncoder(tensors, words)
    head = {name: torch.tensor(values) for name, values in tensors.items() if name.startswith(("dense.", "logit."))}
    network.load_state_dict(head, strict=False)
    taught = [each for each in public if each.right and not each.is_held_back and each.source not in WITHOUT_SUBJECT]
    lists = NearbyLists(own, documents, taught)
    tokenizer = Tokenizer.from_file(str(FOLDER / "tokenizer.json"))
    train(network, steps(lists, tokenizer), given.minutes, RATE)
    write_onnx(network, words, FOLDER / "cross_encoder.onnx")
    measure([each for each in public if each.is_held_back])


if __name__ == "__main__":
    main()
