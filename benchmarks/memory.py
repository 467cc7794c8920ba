"""`python -m benchmarks memory`: the peak memory of a process that takes 190 passages in and answers a question."""

import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.output import say

PASSAGES = 190
PARAGRAPHS = 100
"""Of each document."""
QUESTION = "Which tide gauge was checked by Dr. Ann Weaver2 on visit 59?"
LIBRARIES = "import chromadb, numpy, sqlalchemy, tantivy; import langgraph.graph"


def main(data: Path) -> None:
    del data
    floor = _child("-c", f"{LIBRARIES}; from benchmarks.memory import say_peak; say_peak('its libraries')")
    say("| | peak, MB |\n|---|---|\n| goal | 200 |\n")
    say(f"| a process that only imports the libraries it takes | {floor[-1][1]} |\n")
    for stage, megabytes in _child("-m", "benchmarks.memory"):
        say(f"| ours, {stage} | {megabytes} |\n")


def _child(*arguments: str) -> list[tuple[str, str]]:
    """What a fresh process says of itself: (stage, megabytes)."""
    done = subprocess.run([sys.executable, *arguments], capture_output=True, text=True, check=True)
    lines = [line.split("\t") for line in done.stdout.splitlines() if "\t" in line]
    return [(stage, megabytes) for stage, megabytes in lines]


def take_in_and_ask(folder: Path) -> None:
    """Through every stage of ingestion but the parser's own process, and through the default workflow."""
    from benchmarks.ingest import Plant
    from core.runs.model import RunRequest

    plant = Plant(folder)
    say_peak("opened")
    base = plant.services.library.bases.create("Memory")
    passages = number = 0
    while passages < PASSAGES:
        plant.add(base.id, number, PARAGRAPHS)
        passages = sum(
            len(plant.services.library.passages.chunks(each.id))
            for each in plant.services.library.documents.of_base(base.id)
        )
        number += 1
    say_peak(f"{passages} passages in")
    worker = plant.services.worker
    run_id = worker.start(RunRequest(QUESTION, base.id))
    for _ in worker.follow(run_id):
        pass
    assert plant.services.runs.get(run_id).answer
    say_peak("and one question answered")
    plant.services.close()


def say_peak(stage: str) -> None:
    status = Path("/proc/self/status").read_text(encoding="ascii")
    kilobytes = next(line.split()[1] for line in status.splitlines() if line.startswith("VmHWM"))
    say(f"{stage}\t{int(kilobytes) / 1024:.0f}\n")


if __name__ == "__main__":
    with TemporaryDirectory() as temporary:
        take_in_and_ask(Path(temporary))
