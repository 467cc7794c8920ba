"""Draws the lists of sentences from which the cross-encoder learns, and turns them into numbers of its vocabulary."""

import json
import math
import random
import re
from collections import Counter, defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from heapq import nlargest
from itertools import pairwise
from pathlib import Path

from tokenizers import Tokenizer

from benchmarks.cross_encoder_questions import IDEOGRAPH, Question
from core.models.ranking.cross_encoder import BEGIN, END, LONGEST, LONGEST_CONTEXT, LONGEST_QUESTION

SHARES = {"amazon": 0.7, "reddit": 0.5, "policy": 0.4}
"""Share of a set's questions that is drawn in a round; of other sets all are drawn."""
WITHOUT_SUBJECT = {"amazon", "reddit", "policy"}
"""Sets whose questions do not name what they are about, so that sentences of other paragraphs may answer them too."""
LIST_LENGTH = 4
PIECES = 50_000
"""Of the cross-encoder's vocabulary."""
LATIN, CHINESE = ((0, 0x250), (0x2000, 0x2E80)), ((0x3000, 0x3030), (0x4E00, 0xA000), (0xFF00, 0xFFEF))
"""Ranges of characters: Latin letters and signs; Chinese characters and their punctuation."""
SPECIAL_PIECES = range(4)
_WORD = re.compile(rf"{IDEOGRAPH}|[^\W_]+")
_QUESTION_WORDS = re.compile(
    r"^(what|which|who|whom|whose|when|where|why|how( many| much| long| often)?)\b(?:'s)?"
    r"( (is|are|was|were|does|do|did|can)\b)?\s*",
    re.IGNORECASE,
)
_CHINESE_QUESTION_WORDS = re.compile(
    "什么|什麼|哪个|哪個|哪些|多少|为何|為何|怎么|怎麼|如何|谁|誰|请问|請問|吗|嗎|呢|是(?=什|哪|谁|誰)"
)
_FUNCTION_WORDS = re.compile(
    r"(?<!\S)(an?|the|of|in|on|at|to|for|is|are|was|were|be|been|do|does|did|can|could|will|would|should|has|have|had|and|or|by"
    r"|with|from|that|this|its?|as|i|you|s?he|they|we|my|your|there)(\s+|$)",
    re.IGNORECASE,
)


@dataclass(frozen=True, slots=True)
class QuestionList:
    """A question with sentences to choose from."""

    text: str
    sentences: list[tuple[str, str]]
    """What stands before, and the sentence."""
    labels: list[bool]


class Lists:
    """Draws questions, each with a sentence that answers it and sentences that do not but could be taken for it."""

    def __init__(self, questions: Sequence[Question]) -> None:
        self._questions = questions
        self._foreign: dict[int, list[tuple[Question, int]]] = {}
        """Sentences of other paragraphs by the number of the question to which they are no answer."""
        by_set: dict[str, list[int]] = defaultdict(list)
        for number, question in enumerate(questions):
            by_set[f"{question.source} {question.language}"].append(number)
        for numbers in by_set.values():
            self._find_foreign(numbers)

    def _find_foreign(self, numbers: Sequence[int]) -> None:
        paragraphs = {question.sentences: question for question in (self._questions[number] for number in numbers)}
        places = [(question, place) for question in paragraphs.values() for place in range(len(question.sentences))]
        index = _WordIndex([question.sentences[place] for question, place in places])
        for number in numbers:
            question = self._questions[number]
            found: list[tuple[Question, int]] = []
            if question.source not in WITHOUT_SUBJECT:
                nearest = index.nearest(question.text, max(30, len(places) // 100))
                found = [places[at] for at in nearest if places[at][0].sentences != question.sentences]
            self._foreign[number] = found[:6] or random.sample(places, 4)

    def round(self) -> list[int]:
        """Return the numbers of the questions of one round in random order."""
        drawn = [
            number
            for number, question in enumerate(self._questions)
            if random.random() < SHARES.get(question.source, 1.0)
        ]
        random.shuffle(drawn)
        return drawn

    def draw(self, number: int) -> QuestionList:
        question = self._questions[number]
        kind = random.random()  # the same for all sentences, so that it does not tell which of them is right
        right = [random.choice(sorted(question.right))] if question.right else []
        foreign = self._drawn_foreign(number)
        wrong = _likeliest_first(question)
        room = LIST_LENGTH - len(right) - len(foreign)
        likely, rest = wrong[: room - 1], wrong[room - 1 :]
        own = [*right, *likely, *random.sample(rest, min(1, len(rest)))]
        places = [*((question, place) for place in own), *foreign]
        return QuestionList(
            as_typed(question),
            [(context_of(of, place, kind), of.sentences[place]) for of, place in places],
            [of.sentences == question.sentences and place in question.right for of, place in places],
        )

    def _drawn_foreign(self, number: int) -> list[tuple[Question, int]]:
        """Draw one or two."""
        foreign = self._foreign[number]
        names_subject = self._questions[number].source not in WITHOUT_SUBJECT
        count = 2 if names_subject and random.random() < 0.4 else 1
        return random.sample(foreign, min(count, len(foreign)))


def _likeliest_first(question: Question) -> list[int]:
    """Return the places of the sentences that do not answer, by the words they share with the question."""
    words = set(words_of(question.text))

    def likeness(place: int) -> float:
        sentence = question.sentences[place]
        return len(words & set(words_of(sentence))) / (3 + math.sqrt(len(sentence)))

    wrong = [place for place in range(len(question.sentences)) if place not in question.right]
    return sorted(wrong, key=likeness, reverse=True)


def as_typed(question: Question) -> str:
    """Return the question as people may type it: in small letters, without a question mark, in key words, mistyped."""
    chance, text = random.random, question.text.strip()
    is_chinese = question.language == "zh"
    if chance() < 0.45:
        text = text.rstrip("?？ ")
        if chance() < 0.8:
            text = text.lower()
    if chance() < 0.15:
        shorter = (_CHINESE_QUESTION_WORDS if is_chinese else _QUESTION_WORDS).sub("", text)
        text = shorter if len(shorter) > 3 else text
    if chance() < 0.1:
        text = _key_words(text, is_chinese)
    return _mistyped(text) if chance() < 0.05 and len(text) > 8 else text


def _key_words(text: str, is_chinese: bool) -> str:
    if is_chinese:
        return re.sub("[的了在是]", random.choice(["", " "]), text)
    return _FUNCTION_WORDS.sub("", text).strip() or text


def _mistyped(text: str) -> str:
    """Swap two characters or leave one out."""
    place = random.randrange(1, len(text) - 1)
    swapped = text[place + 1] + text[place] if random.random() < 0.5 else ""
    return text[:place] + swapped + text[place + (2 if swapped else 1) :]


def context_of(question: Question, place: int, kind: float) -> str:
    """Return what is read before a sentence: by kind, from 0 to 1, nothing, the heading, sentences before, or both."""
    if kind < 0.33:
        return ""
    count = 2 if kind > 0.85 else 1
    before = " ".join(question.sentences[max(0, place - count) : place])[-160:]
    if kind < 0.5:
        return question.heading or before
    return before if kind < 0.65 else f"{question.heading}. {before}".strip(". ")


class Vocabulary:
    """A part of an encoder's vocabulary."""

    def __init__(
        self,
        tokenizer: Path,
        texts: Sequence[str],
        most: int = PIECES,
        ranges: Sequence[tuple[int, int]] = (*LATIN, *CHINESE),
    ) -> None:
        """Keep the pieces that occur more than once in texts, all single characters and the most frequent others.

        ranges: of the characters that pieces consist of.
        """
        form = json.loads(tokenizer.read_text(encoding="utf-8"))
        pieces = form["model"]["vocab"]
        counts: Counter[int] = Counter()
        for encoded in Tokenizer.from_str(json.dumps(form)).encode_batch(list(texts)):
            counts.update(encoded.ids)
        readable = [number for number, (piece, _) in enumerate(pieces[:-1]) if _is_within(piece, ranges)]
        single = [number for number in readable if len(pieces[number][0].lstrip("▁")) <= 1]
        kept = {*SPECIAL_PIECES, *single, *(number for number, count in counts.items() if count > 1)}
        others = [number for number in readable if number not in kept]
        self.numbers = sorted([*kept, *others[: max(0, most - len(kept))]])
        """Of the pieces in the encoder's own vocabulary."""
        form["model"]["vocab"] = [pieces[number] for number in self.numbers]
        form["added_tokens"] = [token for token in form["added_tokens"] if token["id"] in SPECIAL_PIECES]
        form["truncation"] = form["padding"] = None
        self.form = json.dumps(form, ensure_ascii=False, separators=(",", ":"))
        """For a tokenizer.json."""
        self.tokenizer = Tokenizer.from_str(self.form)

    def rows(self, drawn: QuestionList) -> list[list[int]]:
        """Return a row for each sentence in the form that OnnxCrossEncoder reads."""
        texts = [drawn.text, *(text for pair in drawn.sentences for text in pair)]
        encoded = [each.ids for each in self.tokenizer.encode_batch_fast(texts, add_special_tokens=False)]
        return [joined(encoded[0], *pair) for pair in zip(encoded[1::2], encoded[2::2], strict=True)]


def joined(question: list[int], context: list[int], sentence: list[int]) -> list[int]:
    begun = [BEGIN, *question[:LONGEST_QUESTION], END, END]
    if context:
        begun += [*context[-LONGEST_CONTEXT:], END]
    return [*begun, *sentence[: LONGEST - 1 - len(begun)], END]


def _is_within(piece: str, ranges: Sequence[tuple[int, int]]) -> bool:
    return all(any(low <= ord(character) < high for low, high in ranges) for character in piece)


class _WordIndex:
    """BM25 over sentences."""

    def __init__(self, sentences: Sequence[str]) -> None:
        self._postings: dict[str, list[tuple[int, float]]] = defaultdict(list)
        counted = [Counter(words_of(sentence)) for sentence in sentences]
        self._size = len(counted)
        mean = sum(counts.total() for counts in counted) / self._size
        for number, counts in enumerate(counted):
            length = 1.2 * (0.25 + 0.75 * counts.total() / mean)
            for word, count in counts.items():
                self._postings[word].append((number, count * 2.2 / (count + length)))

    def nearest(self, question: str, most_sentences: int) -> list[int]:
        """Return twelve sentences, best first, by the words that no more sentences than that have."""
        scores: dict[int, float] = defaultdict(float)
        for word in set(words_of(question)):
            postings = self._postings.get(word, [])
            if len(postings) <= most_sentences:
                rarity = math.log(1 + (self._size - len(postings) + 0.5) / (len(postings) + 0.5))
                for number, weight in postings:
                    scores[number] += rarity * weight
        return nlargest(12, scores, key=scores.__getitem__)


def words_of(text: str) -> list[str]:
    """Return words, of Chinese text pairs of characters."""
    found = [*_WORD.findall(text.casefold()), ""]
    return [word + after if re.fullmatch(IDEOGRAPH, word) else word for word, after in pairwise(found)]
