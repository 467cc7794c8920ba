"""The questions that the model path is measured with: simple, vague, follow-up, small talk and unanswerable ones."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from core.app.bench.retrieval import RetrievalRow, read_corpus

SIMPLE, SEVERAL_STEPS, VAGUE, SMALL_TALK, ABSENT = 12, 8, 6, 6, 3
"""Of each language, questions of several steps of English alone; every vague question is followed by one that leans
on it."""
PASSAGES = 200
_SMALL_TALK_ZH = "你好 谢谢你 你是谁？ 再见 早上好 你能做什么？ 辛苦了 好的，明白了 你叫什么名字？ 晚安"
_SETS = {"en": "2wiki_dev100", "zh": "cmrc2018_zh400"}
_TOLD = {"en": "Tell me about {}.", "zh": "介绍一下{}。"}
_PRONOUN = {"en": "it", "zh": "它"}


@dataclass(frozen=True, slots=True)
class Case:
    kind: str
    """simple, several steps, vague, follow-up, small talk or absent."""
    question: str
    standing: str
    """The question as it would be asked on its own."""
    answers: tuple[str, ...] = ()
    route: str = "chunks"
    follows: str = ""
    """The question before it in its conversation."""


def cases_and_rows(data: Path) -> tuple[list[Case], list[RetrievalRow]]:
    """The questions, and the passages of both languages that they are asked of."""
    cases, rows = [], []
    for language, name in _SETS.items():
        folder = data / "retrieval" / name
        corpus = read_corpus(folder)
        asked = [json.loads(line) for line in (folder / "queries.jsonl").read_text(encoding="utf-8").splitlines()]
        plain = [row for row in asked if _titled(row, corpus)]
        several = plain[:SEVERAL_STEPS] if language == "en" else []
        simple = _one_step(asked, corpus) if language == "en" else plain[:SIMPLE]
        rest = simple[-VAGUE:] if language == "en" else plain[SIMPLE : SIMPLE + VAGUE]
        simple, absent = simple[:SIMPLE], plain[-ABSENT:]
        cases += [Case("simple", row["question"], row["question"], tuple(row["answers"])) for row in simple]
        cases += [Case("several steps", row["question"], row["question"], tuple(row["answers"])) for row in several]
        cases += [case for row in rest for case in _conversation(row, corpus, language)]
        cases += [Case("absent", row["question"], row["question"]) for row in absent]
        cases += [Case("small talk", text, text, route="direct") for text in _small_talk(data, language)]
        rows += _rows(corpus, [*simple, *several, *rest], absent)
    return cases, rows


def _one_step(asked: Sequence[dict[str, Any]], corpus: Sequence[RetrievalRow]) -> list[dict[str, Any]]:
    """Questions for what the passage titled with a name says of it, made of the labelled facts."""
    by_title = {row.title: row for row in corpus}
    made: dict[str, dict[str, Any]] = {}
    for name, relation, value in (fact for row in asked for fact in row["evidences"]):
        passage = by_title.get(name)
        if passage and value in passage.text and name not in made and "." not in name:
            question = f"What is the {relation} of {name}?"
            made[name] = {"question": question, "answers": [value], "relevant": [passage.id]}
    return list(made.values())[: SIMPLE + VAGUE]


def _titled(row: dict[str, Any], corpus: Sequence[RetrievalRow]) -> list[str]:
    """Titles of the passages with the answer that stand in the question."""
    by_id = {it.id: it.title for it in corpus}
    return [by_id[id] for id in row["relevant"] if len(by_id[id]) > 1 and by_id[id] in row["question"]]


def _conversation(row: dict[str, Any], corpus: Sequence[RetrievalRow], language: str) -> Iterator[Case]:
    title, question = _titled(row, corpus)[0], str(row["question"])
    first = _TOLD[language].format(title)
    yield Case("vague", first, first, (title,))
    leaning = question.replace(title, _PRONOUN[language])
    yield Case("follow-up", leaning, question, tuple(row["answers"]), follows=first)


def _small_talk(data: Path, language: str) -> list[str]:
    if language == "zh":
        return _SMALL_TALK_ZH.split()[:SMALL_TALK]
    rows = map(json.loads, (data / "routing" / "routing_dev.jsonl").read_text(encoding="utf-8").splitlines())
    return [row["text"] for row in rows if row["route"] == "chitchat"][:SMALL_TALK]


def _rows(
    corpus: Sequence[RetrievalRow], asked: Sequence[dict[str, Any]], absent: Sequence[dict[str, Any]]
) -> list[RetrievalRow]:
    """The passages with the answers, then others, none of them with the answer to an absent question."""
    wanted = {id for row in asked for id in row["relevant"]}
    left_out = {id for row in absent for id in row["relevant"]}
    first = [row for row in corpus if row.id in wanted]
    others = [row for row in corpus if row.id not in wanted | left_out]
    return [*first, *others[: PASSAGES // len(_SETS) - len(first)]]
