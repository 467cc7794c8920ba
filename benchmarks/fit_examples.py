"""`python -m benchmarks.fit_examples`: fits the weights of the labelled examples that come with the package.

To be run after a change of the examples, of core/rulebook/understanding/fitted.py or of the sentence encoder.
"""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

from core.agents.intents import Intent
from core.graph.questions import GraphQuestion
from core.memory.model import Slot
from core.models.embedding.encoder.sentence_encoder import UniversalSentenceEncoder
from core.platform.files.atomic_file import write_atomically
from core.rulebook.graph import asked
from core.rulebook.understanding import intents, self_statements, slots
from core.rulebook.understanding.fitted import FITTED, digest_of, fitted, packed
from core.rulebook.understanding.self_statements import OfSelf


def fits() -> list[tuple[Path, Mapping[str, StrEnum], StrEnum]]:
    """(file, examples, usual label) of each."""
    return [
        (intents.EXAMPLES / FITTED, intents.read_examples(), Intent.QUESTION),
        (asked.EXAMPLES / FITTED, asked.read_examples(), GraphQuestion.OTHER),
        (slots.EXAMPLES / FITTED, slots.read_examples(), Slot.NONE),
        (self_statements.EXAMPLES / FITTED, self_statements.read_examples(), OfSelf.OTHER),
    ]


def main() -> None:
    with TemporaryDirectory() as folder:
        encoder = UniversalSentenceEncoder(Path(folder))
        for path, examples, usual in fits():
            write_atomically(path, packed(fitted(encoder, examples, usual), digest_of(encoder, examples)))


if __name__ == "__main__":
    main()
