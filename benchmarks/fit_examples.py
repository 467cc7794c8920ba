"""`python -m benchmarks.fit_examples`: fits the weights of the labelled examples that come with the package.

To be run after a change of the examples, of core/rulebook/understanding/fitted.py or of the sentence encoder.
"""

from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from tempfile import TemporaryDirectory

from core.models.embedding.encoder.sentence_encoder import UniversalSentenceEncoder
from core.platform.files.atomic_file import write_atomically
from core.rulebook.graph import asked
from core.rulebook.understanding import intents, personal_questions, replies, self_statements
from core.rulebook.understanding.fitted import FITTED, digest_of, fitted, packed


def fits() -> list[tuple[Path, Mapping[str, StrEnum]]]:
    """(file, examples) of each."""
    return [
        (intents.EXAMPLES / FITTED, intents.read_examples()),
        (asked.EXAMPLES / FITTED, asked.read_examples()),
        (personal_questions.EXAMPLES / FITTED, personal_questions.read_examples()),
        (replies.EXAMPLES / FITTED, replies.read_examples()),
        (self_statements.EXAMPLES / FITTED, self_statements.read_examples()),
        (self_statements.REFUSALS / FITTED, self_statements.read_refusals()),
    ]


def main() -> None:
    with TemporaryDirectory() as folder:
        encoder = UniversalSentenceEncoder(Path(folder))
        for path, examples in fits():
            write_atomically(path, packed(fitted(encoder, examples), digest_of(encoder, examples)))


if __name__ == "__main__":
    main()
