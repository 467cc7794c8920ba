"""`python -m benchmarks change_questions`: is an increase offered where a level is asked for, or the other way round?

Our own questions on two short reports that tell of some things the level, of some the change, of some both.
"""

import json
import sys
from collections import Counter
from pathlib import Path
from typing import Any

from benchmarks.check_trial import shows_all
from core.documents.model import Chunk
from core.models.embedding.encoder.sentence_encoder import UniversalSentenceEncoder
from core.models.ports import CrossEncoder, Embedder
from core.models.ranking.cross_encoder import OnnxCrossEncoder
from core.rulebook.assessing.answering import ANSWER_THRESHOLD, CROSS_ENCODER, ENCODER, WORDS
from core.rulebook.evidence import EvidenceAssessment
from core.search.model import Passage

QUESTIONS = Path(__file__).with_suffix(".jsonl")
SCORE = 0.6
TEACHES = "english"
"""The report whose questions fit_answers.py learns from."""


def asked() -> list[tuple[dict[str, Any], tuple[Passage, ...]]]:
    """The questions, each with the passages of its report."""
    rows = [json.loads(line) for line in QUESTIONS.read_text(encoding="utf-8").splitlines()]
    texts = {row["document"]: row["passages"] for row in rows if "passages" in row}
    return [(row, _passages(row["document"], texts[row["document"]])) for row in rows if "question" in row]


def _passages(name: str, texts: list[str]) -> tuple[Passage, ...]:
    chunks = (Chunk(f"{name}-{at}", name, at, text, (), ()) for at, text in enumerate(texts))
    return tuple(Passage(chunk, f"{name}.pdf", SCORE) for chunk in chunks)


def main(data: Path) -> None:
    del data
    encoder = UniversalSentenceEncoder()
    engines: dict[str, tuple[Embedder | None, CrossEncoder | None]] = {
        WORDS: (None, None),
        ENCODER: (encoder, None),
        CROSS_ENCODER: (encoder, OnnxCrossEncoder()),
    }
    for engine, (encoder_used, cross_encoder) in engines.items():
        counts: Counter[str] = Counter()
        for row, passages in asked():
            view = EvidenceAssessment(row["question"], passages, encoder_used, cross_encoder=cross_encoder)
            right = bool(row["answers"]) and shows_all(view.quotes[0].text if view.quotes else "", row)
            if view.probability >= ANSWER_THRESHOLD:
                kind = "right as answered" if right else "wrong as answered"
            else:
                kind = "right first among the closest" if right else "closest or declined"
            counts[f"{'answerable' if row['answers'] else 'unanswerable'}: {kind}"] += 1
        for kind, number in sorted(counts.items()):
            sys.stdout.write(f"{engine}: {kind} {number}\n")


if __name__ == "__main__":
    main(Path())
