"""What was told is found and told again, and what was not is not, with the sentence encoder."""

from collections import Counter, deque
from collections.abc import Callable
from pathlib import Path

import pytest

from benchmarks.answers import load_samples
from benchmarks.told_statements import asked
from core.app.services import Services
from core.memory.keeping import new_memory
from core.memory.model import MemoryKind
from core.platform.settings.settings import Settings
from core.runs.model import RunRequest

IN_OTHER_WORDS = {
    "Where do I live?": "I moved to Oslo last week",
    "Where do I work?": "I started at Siemens on Monday",
    "我住在哪里？": "我上个月搬到杭州了",
}


@pytest.mark.timeout(300)
def test_statements_are_told_and_nothing_else(data_folder: Path, sample_library: Callable[[Path], None]) -> None:
    sample_library(data_folder)
    with Services(Settings()) as services:
        base_id = load_samples(services)
        services.warm()
        found = [(bool(row["words"]), outcome, row["question"]) for row, outcome, _ in asked(services, base_id)]
    counts = Counter((answerable, outcome) for answerable, outcome, _ in found)
    assert counts[True, "right"] >= 23, found
    assert counts[True, "right"] + counts[True, "shown"] >= 28, found
    assert counts[True, "wrong"] == 0, found
    assert counts[False, "wrong"] == 0, found


@pytest.mark.timeout(300)
def test_a_home_or_employer_is_told_in_whatever_words_it_was_said(data_folder: Path) -> None:
    with Services(Settings()) as services:
        base_id = services.library.bases.create("Papers").id
        services.warm()
        for told in IN_OTHER_WORDS.values():
            services.memories.save(new_memory(told, MemoryKind.FACT, 7))
        for question, told in IN_OTHER_WORDS.items():
            run_id = services.worker.start(RunRequest(question, base_id))
            deque(services.worker.follow(run_id), maxlen=0)
            assert services.runs.get(run_id).answer.endswith(told), question
