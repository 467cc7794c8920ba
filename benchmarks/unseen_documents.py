"""`python -m benchmarks.unseen_documents FOLDER [HALF...] [--each]`: public documents of many kinds, and questions.

FOLDER holds the documents that unseen_documents.jsonl names with their sources. Rules and weights may be developed on
the half "development"; of the half "held back" nothing but sums is read, once a change is done. All documents of a half
are asked as one knowledge base.
"""

import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from benchmarks.answers import fresh_services, read_lines
from benchmarks.check_trial import normalised, shows_all
from benchmarks.output import say
from benchmarks.trial import kind_of_answer, load, text_below, text_shown
from core.app.services import Services
from core.rulebook.assessing.answering import CERTAIN_THRESHOLD
from core.runs.events import AnswerReady, EvidenceAssessed
from core.runs.model import RunRequest

HERE = Path(__file__).parent
DEVELOPMENT, HELD_BACK = HALVES = ("development", "held back")
WRONG, ABOVE_THE_RIGHT = "wrong as answered", "wrong above the right passage"
"""The second where the passage shown below the answer has the words of the right one."""
OUTCOMES = ("right", "right as closest", "closest passages", WRONG, ABOVE_THE_RIGHT, "declined")
PLACES = (1, 2, 5, 20)
BINS = ((0.0, 0.2), (0.2, 0.4), (0.4, 0.5), (0.5, 0.6), (0.6, 0.7), (0.7, 0.8), (0.8, 0.9), (0.9, 1.01))


@dataclass(frozen=True, slots=True)
class AskedQuestion:
    row: dict[str, Any]
    outcome: str
    probability: float
    """Of the last assessment; 0 where nothing was assessed."""
    place: int
    """Of the passage with the gold sentence, from 1; 0 where it is not among the first twenty."""
    text: str


def main(folder: Path, halves: Sequence[str], *, each: bool) -> None:
    for half in halves:
        found = asked_of_half(folder, half)
        say(f"\n## {half}\n")
        _say_outcomes(found, "form", lambda one: one.row["form"])
        _say_outcomes(found, "document", lambda one: one.row["document"])
        _say_sureness(found)
        _say_places(found)
        _say_curve(found)
        for one in found if each else ():
            place = f"{one.probability:.2f} {one.place:>2}"
            say(f"{one.outcome:<18}{place} {one.row['document']}: {one.row['question']}\n")
            say(f"    {' '.join(one.text.split())[:300]}\n" if one.outcome != "right" else "")


def questions(half: str) -> list[dict[str, Any]]:
    documents = {row["document"] for row in read_lines(HERE / "unseen_documents.jsonl") if row["half"] == half}
    return [row for row in read_lines(HERE / "unseen_questions.jsonl") if row["document"] in documents]


def asked_of_half(folder: Path, half: str) -> list[AskedQuestion]:
    rows = questions(half)
    with fresh_services() as services:
        base_id = load(services, [folder], {row["document"] for row in rows})
        services.warm()
        texts = _texts(services, base_id)
        return [_asked(services, base_id, row, texts[row["document"]]) for row in rows]


def _texts(services: Services, base_id: str) -> dict[str, dict[str, str]]:
    """By document the text of each passage."""
    return {
        document.name: {chunk.id: normalised(chunk.text) for chunk in services.library.passages.chunks(document.id)}
        for document in services.library.documents.of_base(base_id)
    }


def _asked(services: Services, base_id: str, row: dict[str, Any], texts: dict[str, str]) -> AskedQuestion:
    run_id = services.worker.start(RunRequest(row["question"], base_id, use_memory=False))
    text, below, probability = "", "", 0.0
    for _, event in services.worker.follow(run_id):
        if isinstance(event, AnswerReady):
            text, below = text_shown(event), text_below(event)
        probability = event.assessment.probability if isinstance(event, EvidenceAssessed) else probability
    outcome = kind_of_answer(row, services.runs.get(run_id).outcome, text)
    if outcome == WRONG and row["answerable"] and shows_all(f"{text}\n{below}", row):
        outcome = ABOVE_THE_RIGHT
    return AskedQuestion(row, outcome, probability, _place(services, base_id, row, texts), text)


def _place(services: Services, base_id: str, row: dict[str, Any], texts: dict[str, str]) -> int:
    if not row["answerable"]:
        return 0
    hits = services.search.retriever.chunks(base_id, row["question"], PLACES[-1])
    wanted = normalised(row["sentence"])
    return next((at for at, hit in enumerate(hits, 1) if wanted in texts.get(hit.chunk_id, "")), 0)


def _say_outcomes(found: Sequence[AskedQuestion], title: str, group_of: Callable[[AskedQuestion], str]) -> None:
    say(f"\n| {title} | questions | {' | '.join(OUTCOMES)} | right among answered, % |\n")
    say(f"|{'---|' * (len(OUTCOMES) + 3)}\n")
    groups: dict[str, list[AskedQuestion]] = defaultdict(list)
    for one in found:
        groups[group_of(one)].append(one)
        groups["all answerable" if one.row["answerable"] else "all unanswerable"].append(one)
    for group, of in groups.items():
        counts = Counter(one.outcome for one in of)
        told = counts["right"] + counts[WRONG] + counts[ABOVE_THE_RIGHT]
        share = f"{100 * counts['right'] / told:.0f}" if told else ""
        say(f"| {group} | {len(of)} | {' | '.join(str(counts[name]) for name in OUTCOMES)} | {share} |\n")


def _say_sureness(found: Sequence[AskedQuestion]) -> None:
    """What a reader is told is answered, and what is only "probably answered"."""
    say(f"\n| told as | right | wrong | unanswerable | right of them, % |\n|{'---|' * 5}\n")
    told = [one for one in found if one.outcome in ("right", WRONG, ABOVE_THE_RIGHT)]
    certain = [one for one in told if one.probability >= CERTAIN_THRESHOLD]
    probable = [one for one in told if one.probability < CERTAIN_THRESHOLD]
    for name, of in (("answered", certain), ("probably answered", probable)):
        right = sum(one.outcome == "right" for one in of)
        invented = sum(not one.row["answerable"] for one in of)
        share = f"{100 * right / len(of):.0f}" if of else ""
        say(f"| {name} | {right} | {len(of) - right - invented} | {invented} | {share} |\n")


def _say_places(found: Sequence[AskedQuestion]) -> None:
    say(f"\n| passage with the gold sentence | questions | {' | '.join(f'@{place}' for place in PLACES)} |\n")
    say(f"|{'---|' * 6}\n")
    told = [one for one in found if one.row["answerable"]]
    for name in ("all", *dict.fromkeys(one.row["document"] for one in told)):
        of = [one for one in told if name in ("all", one.row["document"])]
        say(f"| {name} | {len(of)} | {' | '.join(_shares(of))} |\n")


def _shares(of: Sequence[AskedQuestion]) -> Iterator[str]:
    for place in PLACES:
        yield f"{100 * sum(0 < one.place <= place for one in of) / len(of):.0f}"


def _say_curve(found: Sequence[AskedQuestion]) -> None:
    """Of what was assessed with this probability, how much is the right answer?"""
    say(f"\n| probability | questions | mean | right, % |\n|{'---|' * 4}\n")
    for low, high in BINS:
        of = [one for one in found if low <= one.probability < high]
        right = sum(one.row["answerable"] and one.outcome in OUTCOMES[:2] for one in of)
        mean = sum(one.probability for one in of) / max(1, len(of))
        say(f"| {low} to {min(high, 1.0)} | {len(of)} | {mean:.2f} | {100 * right / max(1, len(of)):.0f} |\n")


if __name__ == "__main__":
    named = [half for half in sys.argv[2:] if not half.startswith("--")]
    main(Path(sys.argv[1]), named or HALVES, each="--each" in sys.argv)
