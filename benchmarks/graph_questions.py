"""`python -m benchmarks.graph_questions FOLDER [FILE]`: questions for the graph, and near misses to be searched.

FOLDER is a data folder with one knowledge base, into which the documents of graph_questions.jsonl were ingested.
Without one nothing is asked: it lists the questions of the other sets that the graph would answer, whatever two
stretches of them were names.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from pathlib import Path

from benchmarks.__main__ import DATA
from core.app.services import Services
from core.graph.model import ENTITY_TYPES
from core.graph.questions import TELLING, GraphQuestion, TellOutcome
from core.models.embedding.sentence_encoder import UniversalSentenceEncoder
from core.platform.language.scripts import HAN_CHARACTER
from core.platform.language.terms import normal_form
from core.platform.settings.settings import Settings
from core.rulebook.classifiers import GraphQuestions
from core.rulebook.graph.masking import masked_type
from core.rulebook.understanding.questions import strip_frames
from core.runs.events import AnswerReady, NodeFinished
from core.runs.model import RunRequest

HERE = Path(__file__).parent
FRESH = "graph_questions.jsonl"
"""The first; graph_questions_2.jsonl was written when sentences began to answer for names that the graph lacks,
graph_questions_3.jsonl when names of a type beside another began to be listed."""
OTHERS = (
    "development_questions.jsonl",
    "development_questions_2.jsonl",
    "document_questions.jsonl",
    "sample_questions.jsonl",
)
LONGEST_NAME = {True: 8, False: 6}
"""In characters where the question is Chinese, else in words."""
MOST_BESIDES = 16
"""Words that are not of the frame; two names cannot cover more."""


def main(folder: Path, file: str = FRESH) -> None:
    changes = {"data": folder, "database_url": "", "chroma_url": "", "llm_base_url": ""}
    counts: Counter[tuple[str, str]] = Counter()
    with Services(Settings().model_copy(update=changes)) as services:
        base_id = services.library.bases.all()[0].id
        services.warm()
        for row in map(json.loads, (HERE / file).read_text(encoding="utf-8").splitlines()):
            told, outcome, text = _asked(services, base_id, row["question"])
            counts[row["told"], f"told, {outcome}" if told else "searched"] += 1
            _say(f"\n{row['told']}: {row['question']} -> {'told' if told else 'searched'}, {outcome}\n{text[:600]}\n")
    for (wanted, how), count in sorted(counts.items()):
        _say(f"{wanted}: {how} {count}\n")


def _asked(services: Services, base_id: str, question: str) -> tuple[bool, str, str]:
    run_id = services.worker.start(RunRequest(question, base_id, use_memory=False))
    told, text = False, ""
    for _, event in services.worker.follow(run_id):
        text = event.text if isinstance(event, AnswerReady) else text
        if isinstance(event, NodeFinished) and event.node == TELLING:
            told = event.outcome == TellOutcome.TOLD
    return told, services.runs.get(run_id).outcome, text


def count_others() -> None:
    reader = GraphQuestions(UniversalSentenceEncoder())
    questions = list(_others())
    for question in questions:
        masked = masked_type(question, ENTITY_TYPES, ())
        if masked and reader.of(masked.question) is GraphQuestion.LIST:
            _say(f"list: {question}\n")
        if reader.of(strip_frames(question)) is GraphQuestion.OVERVIEW:
            _say(f"overview: {question}\n")
        beside = (
            each for each in _besides(masked.question if masked else "") if reader.of(each) is GraphQuestion.BESIDE
        )
        if found := next(beside, ""):
            _say(f"beside: {question} as {found}\n")
        connected = (each for each in _maskings(reader, question) if reader.of(each) is GraphQuestion.CONNECTION)
        if found := next(connected, ""):
            _say(f"connection: {question} as {found}\n")
    _say(f"of {len(questions)} questions\n")


def _others() -> Iterator[str]:
    for path in [*(HERE / name for name in OTHERS), *sorted(DATA.glob("[ar]*/*/*queries.jsonl"))]:
        for row in map(json.loads, path.read_text(encoding="utf-8").splitlines()):
            yield row.get("question") or row.get("text") or row["query"]


def _besides(question: str) -> Iterator[str]:
    """The question with any stretch of it masked."""
    han = HAN_CHARACTER.search(question) is not None
    words = [word for part in question.split() for word in (part if han else [part])]
    for first, last in combinations(range(len(words) + 1), 2):
        if last - first <= LONGEST_NAME[han]:
            yield ("" if han else " ").join([*words[:first], "X", *words[last:]])


def _maskings(reader: GraphQuestions, question: str) -> Iterator[str]:
    """The question with any two stretches masked that leave nothing but words of the frame."""
    plain = normal_form(strip_frames(question))
    han = HAN_CHARACTER.search(plain) is not None
    words = [word for part in plain.split() for word in (part if han else [part])]
    besides = [at for at, word in enumerate(words) if not reader.is_frame(GraphQuestion.CONNECTION, word)]
    if len(besides) > MOST_BESIDES:
        return
    longest = LONGEST_NAME[han]
    spans = [(at, end) for at in range(len(words)) for end in range(at + 1, min(len(words), at + longest) + 1)]
    for first, second in combinations(spans, 2):
        covered = (first[0] <= at < first[1] or second[0] <= at < second[1] for at in besides)
        if first[1] <= second[0] and all(covered):
            between = words[first[1] : second[0]]
            yield (" " if not han else "").join([*words[: first[0]], "X", *between, "Y", *words[second[1] :]])


def _say(line: str) -> None:
    sys.stdout.write(line)


if __name__ == "__main__":
    if sys.argv[1:]:
        main(Path(sys.argv[1]), *sys.argv[2:3])
    else:
        count_others()
