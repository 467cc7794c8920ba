"""What the app suggests to ask of its own sample is answered when it is asked."""

from collections.abc import Callable
from pathlib import Path

from core.app.services import Services
from core.platform.settings.settings import Settings
from core.runs.model import AnswerOutcome, RunRequest


def test_a_suggested_first_question_is_answered(data_folder: Path, sample_library: Callable[[Path], None]) -> None:
    sample_library(data_folder)
    with Services(Settings()) as services:
        (base,) = services.library.bases.all()
        suggested = services.answering.first_questions(base.id, "en")
        assert suggested
        runs = [services.worker.start(RunRequest(question, base.id, use_memory=False)) for question in suggested]
        for run_id in runs:
            list(services.worker.follow(run_id))
        outcomes = {run.question: run.outcome for run in map(services.runs.get, runs)}
    assert set(outcomes.values()) == {AnswerOutcome.ANSWERED}, outcomes
