"""`python -m benchmarks.trial`: the built-in engine on questions and lines that nobody develops on.

It asks the newer questions and all lines; `python -m benchmarks.trial [FOLDER] FILE...` asks those of the named
files of this folder alone, of documents in FOLDER instead of the evaluation sets.
"""

import json
import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any

from benchmarks.__main__ import DATA
from benchmarks.answers import fresh_services, ingest
from benchmarks.check_trial import shows_all
from benchmarks.output import say
from core.app.services import Services
from core.runs.events import AnswerReady
from core.runs.model import AnswerOutcome, RunRequest
from core.search.model import ShownPassage

HERE = Path(__file__).parent
NEWER = ("trial_questions_2.jsonl",)
LINES = {"ordinary_questions.jsonl": True, "smalltalk_lines.jsonl": False, "courtesies.jsonl": False}
"""Files beside this one, and whether their lines have to be searched."""
UNSEARCHED = {AnswerOutcome.DIRECT, AnswerOutcome.OUT_OF_SCOPE, AnswerOutcome.BLOCKED}
SURE = {AnswerOutcome.ANSWERED, AnswerOutcome.UNCONFIRMED}


def main(documents: Path, files: Sequence[str]) -> None:
    with fresh_services() as services:
        rows = [row for file in files if file not in LINES for row in _lines(file)]
        base_id = load(services, [documents], {row["document"] for row in rows})
        answered = [(row, *ask(services, base_id, row["question"])) for row in rows]
        _tell_answers([(row, outcome, text) for row, outcome, text in answered])
        for name in filter(LINES.__contains__, files):
            wanted, lines = LINES[name], [row["text"] for row in _lines(name)]
            wrong = [line for line in lines if (ask(services, base_id, line)[0] not in UNSEARCHED) is not wanted]
            say(f"\n{name}: {len(lines) - len(wrong)} of {len(lines)} {'' if wanted else 'not '}searched\n")
            for line in wrong:
                say(f"  wrong: {line}\n")


def load(services: Services, folders: Sequence[Path], names: set[str]) -> str:
    """All of the documents in one knowledge base, searchable by words and by meaning."""
    base = services.library.bases.create("Trial")
    paths = {path.name: path for folder in folders for path in sorted(folder.rglob("*.*"))}
    for name in sorted(names):
        services.lifecycle.intake.add(base.id, name, paths[name])
    ingest(services, base.id)
    return base.id


def ask(services: Services, base_id: str, question: str) -> tuple[str, str]:
    """The outcome, and what the reader sees without unfolding anything."""
    run_id = services.worker.start(RunRequest(question, base_id, use_memory=False))
    text = ""
    for _, event in services.worker.follow(run_id):
        if isinstance(event, AnswerReady):
            text = text_shown(event)
    return services.runs.get(run_id).outcome, text


def text_shown(answer: AnswerReady) -> str:
    """What the reader sees without unfolding anything: of folded passages the nearest sentence."""
    return "\n".join([answer.text, *map(_shown, answer.passages)])


def text_below(answer: AnswerReady) -> str:
    """The passages shown below an answer."""
    below = [found.passage.text for found in answer.beside]
    return "\n".join([answer.stands_in.text, *below] if answer.stands_in else below)


def _shown(passage: ShownPassage) -> str:
    return next((passage.text[start:end] for start, end in passage.marked), "") if passage.folded else passage.text


def _tell_answers(answered: list[tuple[dict[str, Any], str, str]]) -> None:
    counts: dict[str, Counter[str]] = {"answerable": Counter(), "unanswerable": Counter()}
    for row, outcome, text in answered:
        kind = kind_of_answer(row, outcome, text)
        counts["answerable" if row["answerable"] else "unanswerable"][kind] += 1
        if kind not in {"right", "declined"}:
            say(f"{kind:<18}{row['id']:<14}{row['question']}\n    {' '.join(text.split())[:300]}\n")
    for group, of_group in counts.items():
        whole = sum(of_group.values())
        parts = ", ".join(f"{kind} {number} ({100 * number / whole:.0f} %)" for kind, number in of_group.most_common())
        say(f"\n{group}, {whole}: {parts}\n")


def kind_of_answer(row: dict[str, Any], outcome: str, text: str) -> str:
    shown = row["answerable"] and shows_all(text, row)
    if outcome in SURE:
        return "right" if shown else "wrong as answered"
    if outcome == AnswerOutcome.CLOSEST:
        return "right as closest" if shown else "closest passages"
    return "declined"


def _lines(name: str) -> Iterator[dict[str, Any]]:
    yield from (json.loads(line) for line in (HERE / name).read_text(encoding="utf-8").splitlines())


if __name__ == "__main__":
    folder = Path(sys.argv[1]) if len(sys.argv) > 1 and Path(sys.argv[1]).is_dir() else None
    main(folder or DATA, sys.argv[2 if folder else 1 :] or (*NEWER, *LINES))
