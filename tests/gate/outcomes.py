"""What becomes of the questions of the gate, and how that differs from tests/gate/expected.jsonl.

expected.jsonl holds the outcome of every question; its counts are the floors. Raise them (`make gate WRITE=1`) with the
change that raises the figures; lower them only in a commit that says why.
"""

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path

from benchmarks.answers import fresh_services
from benchmarks.trial import ask, kind_of_answer
from core.app.services import Services
from tests.gate.questions import GateQuestion, Load

EXPECTED = Path(__file__).with_name("expected.jsonl")
RIGHT, SHOWN, WRONG, DECLINED = "right", "shown", "wrong", "declined"
_OUTCOMES = {"right": RIGHT, "right as closest": SHOWN, "wrong as answered": WRONG}
HEADINGS = ("right", "right among what is shown", "wrong", "declined where nothing answers", "answerable", "of")

Outcomes = Mapping[GateQuestion, str]


@dataclass(frozen=True, slots=True)
class Figures:
    right: int
    """Questions answered rightly."""
    shown: int
    """Questions whose right answer is shown, as the answer or among the closest passages."""
    wrong: int
    """Questions answered by something else, answerable or not."""
    declined: int
    """Questions without an answer for which none is claimed."""
    answerable: int
    asked: int

    @property
    def row(self) -> tuple[int, ...]:
        return (self.right, self.shown, self.wrong, self.declined, self.answerable, self.asked)


def outcomes_of(load: Load) -> dict[GateQuestion, str]:
    """Return how the default workflow, without a model, answers each question in a data folder of its own."""
    with fresh_services() as services:
        return outcomes_in(services, load)


def outcomes_in(services: Services, load: Load) -> dict[GateQuestion, str]:
    base_id, questions = load(services)
    services.warm()
    return {one: outcome_of(services, base_id, one) for one in questions}


def outcome_of(services: Services, base_id: str, question: GateQuestion) -> str:
    outcome, text = ask(services, base_id, question.question)
    return _OUTCOMES.get(kind_of_answer(question.row, outcome, text), DECLINED)


def figures_by_set(outcomes: Outcomes) -> dict[str, Figures]:
    sets = dict.fromkeys(question.set for question in outcomes)
    return {name: _figures({one: outcome for one, outcome in outcomes.items() if one.set == name}) for name in sets}


def _figures(outcomes: Outcomes) -> Figures:
    counts = Counter((outcome, bool(one.answers)) for one, outcome in outcomes.items())
    right = counts[RIGHT, True]
    return Figures(
        right=right,
        shown=right + counts[SHOWN, True],
        wrong=counts[WRONG, True] + counts[WRONG, False],
        declined=counts[DECLINED, False],
        answerable=sum(bool(one.answers) for one in outcomes),
        asked=len(outcomes),
    )


def expected_of(questions: Iterable[GateQuestion], file: Path = EXPECTED) -> dict[GateQuestion, str]:
    """Return the expected outcome of each question; a question that the file lacks is expected to be right."""
    rows = _rows(file)
    return {one: rows.get((one.set, one.question), RIGHT if one.answers else DECLINED) for one in questions}


def write_expected(outcomes: Outcomes, file: Path = EXPECTED) -> None:
    """Replace the outcomes of the sets that were asked; those of other sets remain."""
    asked = {one.set for one in outcomes}
    rows = {key: outcome for key, outcome in _rows(file).items() if key[0] not in asked}
    rows |= {(one.set, one.question): outcome for one, outcome in outcomes.items()}
    lines = (
        json.dumps({"set": name, "question": question, "outcome": outcome}, ensure_ascii=False)
        for (name, question), outcome in rows.items()
    )
    file.write_text("".join(f"{line}\n" for line in lines), encoding="utf-8")


def _rows(file: Path) -> dict[tuple[str, str], str]:
    lines = file.read_text(encoding="utf-8").splitlines() if file.exists() else []
    return {(row["set"], row["question"]): row["outcome"] for row in map(json.loads, lines)}


def table(outcomes: Outcomes, expected: Outcomes) -> Iterator[str]:
    """The figures of each set, with the floor in parentheses where they differ."""
    yield f"| set | {' | '.join(HEADINGS)} |"
    yield "|---" * (len(HEADINGS) + 1) + "|"
    floors = figures_by_set(expected)
    for name, figures in figures_by_set(outcomes).items():
        pairs = zip(figures.row, floors[name].row, strict=True)
        cells = (str(now) if now == floor else f"{now} ({floor})" for now, floor in pairs)
        yield f"| {name} | {' | '.join(cells)} |"


def differences(outcomes: Outcomes, expected: Outcomes) -> Iterator[str]:
    """Every question with another outcome than expected."""
    for question, outcome in outcomes.items():
        if outcome != expected[question]:
            yield f"{question.set}: {expected[question]} -> {outcome}: {question.question}"
