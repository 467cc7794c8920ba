"""Reads what the encoder learns from besides the questions of the cross-encoder: Natural Questions, questions on
Chinese laws, questions in other words than the text's (own_words.jsonl), and guides in many languages, which have no
questions."""

import gzip
import json
import math
import re
import subprocess
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from benchmarks.cross_encoder_lists import words_of
from benchmarks.cross_encoder_questions import Question, committed
from core.platform.language.sentences import sentences

HERE = Path(__file__).parent
NATURAL_QUESTIONS = ("nelson-liu+lost-in-the-middle", "qa_data/nq-open-oracle.jsonl.gz")
LAWS = ("oneal2000+LeCoQA", "data/example/train.json")
GUIDES = ("github+opensource.guide", "_articles")
GUIDE_LANGUAGES = ("ar", "de", "es", "fr", "it", "ja", "ko", "nl", "pl", "pt", "ru", "tr", "zh-hans", "zh-hant")
LENGTH, CHINESE_LENGTH = 700, 300
"""Characters from which a passage ends with its paragraph."""
MOST_SENTENCES = 24
_UNSPACED = re.compile("[\u3040-\u30ff\u4e00-\u9fff]")


@dataclass(frozen=True, slots=True)
class Text:
    """A passage of a document."""

    heading: str
    sentences: tuple[str, ...]


def natural_questions(data: Path) -> Iterator[Question]:
    for line in gzip.decompress(committed(data, *NATURAL_QUESTIONS)).decode().splitlines():
        row = json.loads(line)
        passage = row["ctxs"][0]
        found = tuple(sentences(passage["text"]))
        right = {at for at, sentence in enumerate(found) if any(answer in sentence for answer in row["answers"])}
        if right:
            yield Question("nq", row["question"], passage["title"], found, frozenset(right), f"nq/{passage['title']}")


def questions_on_laws(data: Path) -> Iterator[Question]:
    """Yield questions with each article of a law that answers them; all of its sentences count as right."""
    for row in json.loads(committed(data, *LAWS)):
        for article, text in row["相关法规"].items():
            found = tuple(sentences(text))[:MOST_SENTENCES]
            if found:
                yield Question("law", row["问题"], article, found, frozenset(range(len(found))), f"law/{article}")


def own_words(folder: Path, rows: Path) -> Iterator[Question]:
    """Yield questions in other words than the text's; folder: the documents that the rows name.

    A row says between which characters of its document the answer stands; without them, nothing answers the question,
    which comes with the passage that has most of its words.
    """
    documents: dict[str, tuple[str, list[Text]]] = {}
    for row in map(json.loads, rows.read_text(encoding="utf-8").splitlines()):
        name = row["document"]
        if name not in documents:
            text = (folder / name).read_text(encoding="utf-8", errors="replace")
            documents[name] = text, texts_of(text)
        text, passages = documents[name]
        if not passages:
            continue
        if "start" in row:
            wanted = _plain(text[row["start"] : row["end"]])
            answering = ((passage, _telling(wanted, passage)) for passage in passages)
            passage, right = next((each for each in answering if each[1]), (None, frozenset()))
        else:
            passage, right = max(passages, key=lambda each: _shared(row["question"], each)), frozenset()
        if passage:
            yield Question("own", row["question"], passage.heading, passage.sentences, right, f"own/{name}")


def guides(data: Path) -> list[Text]:
    """Return passages in many languages."""
    repository, folder = GUIDES
    found: list[Text] = []
    for language in GUIDE_LANGUAGES:
        for path in _files(data, repository, f"{folder}/{language}/"):
            found += texts_of(committed(data, repository, path).decode())
    return found


def texts_of(markdown: str) -> list[Text]:
    """Return the passages of a document: paragraphs below one heading, up to LENGTH."""
    found: list[Text] = []
    headings: list[str] = []
    paragraphs: list[str] = []

    def end() -> None:
        told = tuple(sentences("\n".join(paragraphs)))[:MOST_SENTENCES]
        if told:
            found.append(Text(" ".join(headings[-2:]), told))
        paragraphs.clear()

    for line in markdown.splitlines():
        marks = re.match(r"(#{1,6})\s+(.*)", line)
        if marks:
            end()
            headings[len(marks[1]) - 1 :] = [marks[2].strip("# ")]
        elif line.strip():
            paragraphs.append(line.strip())
        length = sum(map(len, paragraphs))
        if length > (CHINESE_LENGTH if _UNSPACED.search("".join(paragraphs)) else LENGTH):
            end()
    end()
    return found


def _telling(wanted: str, passage: Text) -> frozenset[int]:
    """Return the places of the sentences that tell what is wanted."""
    return frozenset(at for at, sentence in enumerate(passage.sentences) if _is_told(wanted, _plain(sentence)))


def _shared(question: str, passage: Text) -> float:
    """Return how many words they share, for the length of the passage."""
    words = set(words_of(passage.heading + " ".join(passage.sentences)))
    return len(words & set(words_of(question))) / math.sqrt(20 + len(words))


def _is_told(wanted: str, sentence: str) -> bool:
    return wanted in sentence or (len(sentence) > 20 and sentence in wanted)


def _plain(text: str) -> str:
    return "".join(character for character in text.casefold() if character.isalnum())


def _files(data: Path, repository: str, folder: str) -> Sequence[str]:
    command = ["git", "-C", str(data / repository / "repo"), "ls-tree", "--name-only", "HEAD", folder]
    return subprocess.run(command, capture_output=True, check=True).stdout.decode().splitlines()
