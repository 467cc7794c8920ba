"""`python -m benchmarks answers`: is a question answered by the right quote, and refused where nothing answers it?"""

import json
import re
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

from benchmarks.output import say
from core.app.bench.retrieval import Corpus, RetrievalRow, read_corpus
from core.app.services import Services
from core.documents.model import DocumentStatus
from core.platform.language.sentences import sentences
from core.platform.language.terms import normal_form, query_terms, terms
from core.platform.settings.settings import Settings
from core.runs.events import AnswerReady
from core.runs.model import AnswerOutcome, RunRequest

SETS = ("2wiki_dev100", "cmrc2018_zh400")
ACROSS = ("xquad_en2zh_dev", "xquad_zh2en_dev")
"""Questions in another language than the passages."""
ASKED = 80
"""Questions of each set with their passages, and as many whose passages are left out."""
PASSAGES = 400
ANSWERED = {AnswerOutcome.ANSWERED, AnswerOutcome.UNCONFIRMED}
_QUOTED = re.compile(r"“(.*?)” \[\d+\]", re.DOTALL)


@dataclass(frozen=True, slots=True)
class Asked:
    question: str
    answers: tuple[str, ...]
    """Wordings, one of which a right quote has; none where the documents do not answer."""


@dataclass(frozen=True, slots=True)
class Answered:
    asked: Asked
    quotes: tuple[str, ...]
    """Of the answer, or of the closest passages."""
    milliseconds: float = 0.0
    """Of the processor."""
    sure: bool = True
    """They are shown as an answer."""

    @property
    def right(self) -> list[str]:
        wanted = [_plain(answer) for answer in self.asked.answers]
        return [quote for quote in self.quotes if any(answer in _plain(quote) for answer in wanted)]


Answer = Callable[[str], tuple[bool, Sequence[str]]]
"""Whether it is shown as an answer, and what is quoted."""


def main(data: Path) -> None:
    say("Odd places of a set are the half that the rules were tuned on, even places were held out.\n\n")
    say("| set | half | system | right, sure | right, among the closest | wrong, sure | of | ")
    say("declined or closest where nothing answers | quotes an answer | ms |\n")
    say(f"|{'---|' * 10}\n")
    with fresh_services() as services:
        _compare("samples", list(of_samples()), services, load_samples(services))
    for name in SETS:
        with fresh_services() as services:
            corpus = Corpus(services)
            asked, rows = of_set(data / "retrieval" / name)
            corpus.load(rows)
            _compare(name, asked, services, corpus.base_id)


def asked_of(data: Path, most: int) -> Iterator[tuple[str, list[Asked], list[RetrievalRow]]]:
    """(set, questions, passages) of all sets: about half of the questions have no answer in the passages.

    Of each set at most twice as many questions as `most`, of questions made for the purpose all.
    """
    for name in SETS:
        yield name, *of_set(data / "retrieval" / name, most)
    rows = read_corpus(data / "answers" / "squad2_dev600")
    squad = [
        Asked(row["question"], tuple(row["answers"]))
        for row in read_lines(data / "answers" / "squad2_dev600" / "queries.jsonl")
    ]
    yield "squad2_dev600", squad, rows
    for name in ACROSS:
        yield name, *of_set(data / "retrieval" / name, most)


@contextmanager
def fresh_services() -> Iterator[Services]:
    """Services without a key on an empty folder of their own."""
    with TemporaryDirectory() as folder:
        changes = {"data": Path(folder), "database_url": "", "chroma_url": "", "llm_base_url": ""}
        made = Services(Settings().model_copy(update=changes))
        try:
            yield made
        finally:
            made.close()


def _compare(name: str, asked: Sequence[Asked], services: Services, base_id: str) -> None:
    services.warm()
    systems: dict[str, Answer] = {
        "best passage's sentence nearest in words": lambda question: _closest_sentence(services, base_id, question),
        "built-in engine": lambda question: _quotes(services, base_id, question),
    }
    for system, answer in systems.items():
        answered = [_timed(one, answer) for one in asked]
        for half, part in (("tuned on", answered[::2]), ("held out", answered[1::2])):
            say(f"| {name} | {half} | {system} | {' | '.join(_figures(part))} |\n")


def _figures(answered: Sequence[Answered]) -> Iterator[str]:
    told = [one for one in answered if one.asked.answers]
    untold = [one for one in answered if not one.asked.answers]
    yield str(sum(bool(one.right) and one.sure for one in told))
    yield str(sum(bool(one.right) and not one.sure for one in told))
    yield str(sum(bool(one.quotes) and not one.right and one.sure for one in answered))
    yield str(len(told))
    yield f"{sum(not one.quotes or not one.sure for one in untold)} of {len(untold)}"
    yield f"{sum(len(one.quotes) for one in told) / max(1, sum(bool(one.quotes) for one in told)):.2f}"
    yield f"{sum(one.milliseconds for one in answered) / len(answered):.0f}"


def _timed(asked: Asked, answer: Answer) -> Answered:
    started = time.process_time()
    sure, quotes = answer(asked.question)
    return Answered(asked, tuple(quotes), 1000 * (time.process_time() - started), sure)


def _closest_sentence(services: Services, base_id: str, question: str) -> tuple[bool, list[str]]:
    hits = services.search.retriever.chunks(base_id, question, 1)
    asked = set(query_terms(question))
    return True, [
        max(sentences(passage.chunk.text), key=lambda sentence: len(asked.intersection(terms(sentence))))
        for passage in services.library.passages.get([hit.chunk_id for hit in hits])
    ]


def asked_by_run(services: Services, base_id: str, asked: Asked) -> Answered:
    """What the default workflow answers."""
    return _timed(asked, lambda question: _quotes(services, base_id, question))


def _quotes(services: Services, base_id: str, question: str) -> tuple[bool, list[str]]:
    run_id = services.worker.start(RunRequest(question, base_id, use_memory=False))
    answer = ""
    for _, event in services.worker.follow(run_id):
        answer = event.text if isinstance(event, AnswerReady) else answer
    return services.runs.get(run_id).outcome in ANSWERED, _QUOTED.findall(answer)


def load_samples(services: Services) -> str:
    base = services.lifecycle.load_sample()
    ingest(services, base.id)
    return base.id


def ingest(services: Services, base_id: str) -> None:
    """All of the base: by its vectors, too, which follow the documents and change answers."""
    if _is_ready(services, base_id):
        return
    with services.ingestion.running():
        while not _is_ready(services, base_id):
            time.sleep(0.2)


def _is_ready(services: Services, base_id: str) -> bool:
    documents = services.library.documents.of_base(base_id)
    is_read = all(one.status is DocumentStatus.READY for one in documents)
    return is_read and services.search.chunk_index.progress(base_id).is_complete


def of_samples() -> Iterator[Asked]:
    for row in read_lines(Path(__file__).with_name("sample_questions.jsonl")):
        yield Asked(row["question"], tuple(row["answers"]))


def of_set(folder: Path, most: int = ASKED) -> tuple[list[Asked], list[RetrievalRow]]:
    """Questions that one passage answers, then questions whose passages are left out, and the passages."""
    rows, corpus = read_lines(folder / "queries.jsonl"), read_corpus(folder)
    simple = list(_of_facts(rows, corpus)) if "evidences" in rows[0] else [_of_row(row) for row in rows]
    told, untold = simple[:most], simple[most : 2 * most]
    left_out = {id for _, ids in untold for id in ids}
    wanted = {id for _, ids in told for id in ids} - left_out
    first = [row for row in corpus if row.id in wanted]
    others = [row for row in corpus if row.id not in wanted | left_out]
    asked = [one for one, ids in told if wanted.issuperset(ids)] + [Asked(one.question, ()) for one, _ in untold]
    return asked, [*first, *others[: PASSAGES - len(first)]]


def _of_row(row: dict[str, Any]) -> tuple[Asked, list[str]]:
    return Asked(row["question"], tuple(row["answers"])), row["relevant"]


def _of_facts(rows: Sequence[dict[str, Any]], corpus: Sequence[RetrievalRow]) -> Iterator[tuple[Asked, list[str]]]:
    """Of the labelled facts those that the passage titled with the name tells, one of each name."""
    by_title = {row.title: row for row in corpus}
    facts = {name: (relation, value) for row in reversed(rows) for name, relation, value in reversed(row["evidences"])}
    for name, (relation, value) in facts.items():
        if name in by_title and value in by_title[name].text:
            yield Asked(f"What is the {relation} of {name}?", (value,)), [by_title[name].id]


def read_lines(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text(encoding="utf-8").splitlines()]


def _plain(text: str) -> str:
    return re.sub(r"[\W_]+", "", normal_form(text).casefold())
