"""Reads the public questions from which the cross-encoder learns, in English and in Chinese, each with the sentences of
its paragraph. Questions and paragraphs of an evaluation set are left out."""

import json
import re
import subprocess
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from opencc import OpenCC

SOURCES = (
    ("amazon", "modestyachts+squadshifts-website", "datasets/amazon_reviews_v1.0.json"),
    ("wiki", "modestyachts+squadshifts-website", "datasets/new_wiki_v1.0.json"),
    ("reddit", "modestyachts+squadshifts-website", "datasets/reddit_v1.0.json"),
    ("policy", "wasiahmad+PolicyQA", "data/dev.json"),
    ("policy", "wasiahmad+PolicyQA", "data/test.json"),
    ("drcd", "DRCKnowledgeTeam+DRCD", "DRCD_dev.json"),
    ("drcd", "DRCKnowledgeTeam+DRCD", "DRCD_test.json"),
    ("zh-squad", "pluto-junzeng+ChineseSquad", "squad_2.0/dev-v2.0-zh.json"),
    ("selqa", "emorynlp+selqa", "ass/selqa-ass-dev.json"),
    ("selqa", "emorynlp+selqa", "ass/selqa-ass-test.json"),
)
"""Set, repository, file. core/models/ranking/LICENSE names their licences, and where a repository states none."""
XQUAD = ("google-deepmind+xquad", "xquad.en.json")
"""An evaluation set with paragraphs of zh-squad, which have the same question numbers there."""
TITLED = {"wiki", "policy", "drcd", "zh-squad"}
"""Sets whose documents have a title that names their subject."""
SPLIT_BY_PARAGRAPH = {"wiki", "policy", "reddit", "zh-squad"}
"""Sets with few long documents, of which single paragraphs are held back."""
HELD_BACK = 0.02
IDEOGRAPH = r"[\u4e00-\u9fff]"
COMPARED_CHARACTERS = 40
"""At the beginning of a text, by which it is known again in an evaluation set."""
_SENTENCE = re.compile(
    rf"[^.!?。！？；\n]+(?:[.!?。！？；]+(?=[\s\"'”’)\]]|$|{IDEOGRAPH})[\"'”’）)\]]*|\n|[.!?]|$)",
)
_QUESTION_NUMBER = re.compile(r'"id": "(\w+)"')


@dataclass(frozen=True, slots=True)
class Question:
    """A question with the sentences of its paragraph."""

    source: str
    text: str
    heading: str
    sentences: tuple[str, ...]
    right: frozenset[int]
    """Places of the sentences that answer; empty if the paragraph does not."""
    group: str
    """Document or paragraph that is held back as a whole."""

    @property
    def language(self) -> str:
        return "zh" if re.search(IDEOGRAPH, self.text) else "en"

    @property
    def is_held_back(self) -> bool:
        return _share(f"held {self.group}") < HELD_BACK


def read_questions(data: Path, left_out: Path) -> list[Question]:
    """Return the questions of all sets; half of the traditional Chinese ones in simplified characters."""
    evaluated = _evaluated(left_out) | set(_QUESTION_NUMBER.findall(committed(data, *XQUAD).decode()))
    found: list[Question] = []
    for source, repository, path in SOURCES:
        content = json.loads(committed(data, repository, path))
        found += _selections(source, content) if source == "selqa" else _spans(source, content["data"], evaluated)
    converter = OpenCC("t2s")
    return [
        _simplified(each, converter) if each.source == "drcd" and _share(each.group) < 0.5 else each for each in found
    ]


def committed(data: Path, repository: str, path: str, commit: str = "HEAD") -> bytes:
    """Return a file of a clone; data: has for each repository a folder owner+name with its clone `repo`."""
    command = ["git", "-C", str(data / repository.replace("/", "+") / "repo"), "show", f"{commit}:{path}"]
    return subprocess.run(command, capture_output=True, check=True).stdout


def _evaluated(folder: Path) -> set[str]:
    """Return the numbers of the questions in evaluation sets, and how they and their paragraphs begin."""
    found: set[str] = set()
    for path in folder.rglob("*.jsonl"):
        for line in path.read_text(encoding="utf-8").splitlines():
            row = json.loads(line)
            number = row.get("id", "")
            found |= {number, number.removeprefix("dev-"), _beginning(row.get("text", ""))}
            found.add(_beginning(row.get("question", "")))
    return found - {""}


def _beginning(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())[:COMPARED_CHARACTERS]


def _spans(source: str, documents: Iterable[dict[str, Any]], evaluated: set[str]) -> Iterator[Question]:
    """Yield questions in the format of SQuAD, whose answers are parts of a paragraph."""
    for number, document in enumerate(documents):
        title = document.get("title", "") if source in TITLED else ""
        for place, paragraph in enumerate(document["paragraphs"]):
            text, questions = paragraph["context"], paragraph["qas"]
            known = {_beginning(text), *(each["id"] for each in questions)}
            known |= {_beginning(each["question"]) for each in questions}
            if known & evaluated:
                continue
            group = f"{source}/{title or number}/{place if source in SPLIT_BY_PARAGRAPH else ''}"
            spans = sentence_spans(text)
            sentences = tuple(text[start:end].strip() for start, end in spans)
            for each in questions:
                right = _answering(text, spans, each["answers"])
                if right or not each["answers"]:
                    yield Question(source, each["question"], title.replace("_", " "), sentences, right, group)


def _answering(text: str, spans: list[tuple[int, int]], answers: Iterable[dict[str, Any]]) -> frozenset[int]:
    """Return the places of the sentences that hold the middle of an answer."""
    found: set[int] = set()
    for answer in answers:
        start, words = answer["answer_start"], answer["text"]
        if not text.startswith(words, start):
            start = text.find(words)
        middle = start + min(len(words) // 2, 40)
        found |= {place for place, (low, high) in enumerate(spans) if start >= 0 and low <= middle < high}
    return frozenset(found)


def _selections(source: str, rows: Iterable[dict[str, Any]]) -> Iterator[Question]:
    """Yield questions in the format of SelQA, whose answers are whole sentences."""
    for row in rows:
        heading = f"{row['article']}, {row['section']}"
        right = frozenset(row["answers"])
        yield Question(source, row["question"], heading, tuple(row["candidates"]), right, f"{source}/{row['article']}")


def _simplified(question: Question, converter: OpenCC) -> Question:
    return replace(
        question,
        text=converter.convert(question.text),
        heading=converter.convert(question.heading),
        sentences=tuple(converter.convert(sentence) for sentence in question.sentences),
    )


def sentence_spans(text: str) -> list[tuple[int, int]]:
    """Return where sentences start and end; one of less than six characters goes with the sentence before."""
    spans: list[tuple[int, int]] = []
    for match in _SENTENCE.finditer(text):
        start, end = match.span()
        if spans and len(match[0].strip()) < 6:
            spans[-1] = (spans[-1][0], end)
        elif match[0].strip():
            spans.append((start, end))
    return spans


def _share(name: str) -> float:
    """Return a number from 0 to 1 that is always the same for a name."""
    return zlib.crc32(name.encode()) / 2**32
