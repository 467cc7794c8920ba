"""The questions of the gate, group by group, each group with the base that is asked.

The sample library and the two reports are part of the project. The public sets are of the half that the rules were
tuned on, so that the held-out half remains unread; they need the development data.
"""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

from benchmarks import change_questions, table_questions
from benchmarks.answers import SETS, load_samples, of_samples, of_set, read_lines
from benchmarks.development import DEVELOPMENT
from core.app.bench.retrieval import Corpus, RetrievalRow
from core.app.services import Services

ASKED = 40
"""Questions of a public set whose passage is in the base, and as many whose passage is not; every second is asked."""
PASSAGES = 150
SAMPLES = "sample library"
"""The group that is asked of the library which the app itself loads."""


@dataclass(frozen=True, slots=True)
class GateQuestion:
    set: str
    question: str
    answers: tuple[str, ...] = ()
    """Wordings of the answer; none where the documents do not answer."""

    @property
    def row(self) -> dict[str, Any]:
        """Return the question in the form in which the benches judge an answer."""
        return {"answers": list(self.answers), "answerable": bool(self.answers)}


Loaded = tuple[str, list[GateQuestion]]
"""Id of the knowledge base, and the questions asked of it."""
Load = Callable[[Services], Loaded]


def committed_groups() -> dict[str, Load]:
    """Groups that need nothing but this repository."""
    return {SAMPLES: _sample_library, "reports": _reports}


def public_groups(data: Path) -> dict[str, Load]:
    return {name: partial(_public_set, data / "retrieval" / name) for name in SETS}


def _sample_library(services: Services) -> Loaded:
    return load_samples(services), [*samples(), *of_tables()]


def samples() -> list[GateQuestion]:
    return [GateQuestion("samples", one.question, one.answers) for one in of_samples()]


def of_tables() -> Iterator[GateQuestion]:
    """Questions that one row answers: an answer that names two equal rows would be neither right nor wrong."""
    names = {path.name for path in table_questions.SAMPLES.iterdir()}
    for row in read_lines(table_questions.QUESTIONS):
        if row["half"] == DEVELOPMENT and row["document"] in names and row["row"]:
            yield GateQuestion("tables", row["question"], (row["row"],))


def _reports(services: Services) -> Loaded:
    """The report that teaches levels and changes; the other one is held out."""
    rows = [row for row in read_lines(change_questions.QUESTIONS) if row["document"] == change_questions.TEACHES]
    passages = next(row["passages"] for row in rows if "passages" in row)
    corpus = Corpus(services)
    corpus.load([RetrievalRow(str(at), "", text) for at, text in enumerate(passages)])
    asked = [GateQuestion("reports", row["question"], tuple(row["answers"])) for row in rows if "question" in row]
    return corpus.base_id, asked


def _public_set(folder: Path, services: Services) -> Loaded:
    asked, rows = of_set(folder, ASKED)
    corpus = Corpus(services)
    corpus.load(rows[:PASSAGES])
    return corpus.base_id, [GateQuestion(folder.name, one.question, one.answers) for one in asked[::2]]
