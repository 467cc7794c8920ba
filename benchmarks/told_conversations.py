"""`python -m benchmarks.told_conversations [PART] [--each]`: somebody tells, corrects, agrees, takes back and asks.

The conversations of told_conversations.jsonl were written by four language models that knew nothing of the engine. The
parts "first", "second" and "fourth" were looked at, of "third" and "fifth" only sums were read. In the last two half of
the questions are for documents or not answered by what was told. `--each` prints every turn.
"""

import json
import sys
from collections import Counter, deque
from pathlib import Path
from typing import Any

from benchmarks.answers import fresh_services, load_samples
from benchmarks.output import say_line
from core.app.services import Services
from core.runs.model import AnswerOutcome, Run, RunRequest

Turn = dict[str, Any]
CLOSEST = (
    "closest thing you told me",
    "closest of what you told me",
    "您说过的话里，最接近的是",
    "您說過的話裡，最接近的是",
)
"""In three languages: what leads a statement that may not be the answer."""
FILE = Path(__file__).with_name("told_conversations.jsonl")


def main(*words: str) -> None:
    parts = [word for word in words if word != "--each"] or ["first", "second", "third", "fourth", "fifth"]
    conversations = [json.loads(line) for line in FILE.read_text(encoding="utf-8").splitlines()]
    with fresh_services() as services:
        base_id = load_samples(services)
        services.warm()
        for part in parts:
            counts: Counter[str] = Counter()
            for conversation in (one for one in conversations if one["part"] == part):
                for turn, run, judged in _held(services, base_id, conversation["turns"]):
                    counts[f"{turn['kind']}: {judged}"] += 1
                    if "--each" in words:
                        say_line(f"{turn['kind']}: {judged}: {turn['say']!r} -> {run.answer[:200]!r}")
            say_line(f"{part}: {', '.join(f'{name} {count}' for name, count in sorted(counts.items()))}")


def _held(services: Services, base_id: str, turns: list[Turn]) -> list[tuple[Turn, Run, str]]:
    for memory in services.memories.find():
        services.memories.delete(memory.id)
    thread_id, held = "", []
    for turn in turns:
        known = {memory.id for memory in services.memories.find()}
        run_id = services.worker.start(RunRequest(turn["say"], base_id, thread_id=thread_id))
        deque(services.worker.follow(run_id), maxlen=0)
        run = services.runs.get(run_id)
        thread_id = run.thread_id
        held.append((turn, run, _judged(services, turn, run, known)))
    return held


def _judged(services: Services, turn: Turn, run: Run, known: set[str]) -> str:
    is_direct = run.outcome == AnswerOutcome.DIRECT
    if turn["kind"] == "ask":
        return _answered(services, turn, run.answer.casefold(), is_direct)
    if turn["kind"] == "document":
        told = any(memory.text in run.answer for memory in services.memories.find())
        return "told alone" if is_direct else "told above" if told else "searched"
    if turn["kind"] == "other":
        return "ignored" if {memory.id for memory in services.memories.find()} <= known else "remembered"
    return "taken" if is_direct else "searched"


def _answered(services: Services, turn: Turn, answer: str, is_direct: bool) -> str:
    """Right strings anywhere in a direct answer are told; what was corrected is wrong only where it leads."""
    lead = answer.partition("\n\n")[0]
    if not turn["right"]:
        told = is_direct and any(memory.text.casefold() in lead for memory in services.memories.find())
        is_answer = told and not any(words.casefold() in lead for words in CLOSEST)
        return "answered all the same" if is_answer else "told the closest" if told else "not answered"
    if any(right.casefold() in answer for right in turn["right"]):
        return "told" if is_direct else "shown"
    return "wrong" if any(wrong.casefold() in lead for wrong in turn["wrong"]) else "neither"


if __name__ == "__main__":
    main(*sys.argv[1:])
