"""What was told is found and told again, and what was not is not, with the sentence encoder."""

from collections import Counter
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.answers import load_samples
from benchmarks.told_statements import asked
from core.app.services import Services
from core.platform.settings.settings import Settings


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_statements_are_told_and_nothing_else(data_folder: Path, sample_library: Callable[[Path], None]) -> None:
    sample_library(data_folder)
    with Services(Settings()) as services:
        base_id = load_samples(services)
        services.warm()
        found = [(bool(row["words"]), outcome, row["question"]) for row, outcome, _ in asked(services, base_id)]
    counts = Counter((answerable, outcome) for answerable, outcome, _ in found)
    assert counts[True, "right"] >= 20, found
    assert counts[True, "right"] + counts[True, "shown"] >= 28, found
    assert counts[True, "wrong"] == 0, found
    assert counts[False, "wrong"] == 0, found
