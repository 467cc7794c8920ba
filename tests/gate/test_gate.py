"""Questions whose outcome is known: a change that moves a figure says which questions it moved."""

from collections.abc import Callable, Mapping
from pathlib import Path

import pytest

from benchmarks.answers import SETS
from core.app.services import Services
from core.platform.settings.settings import Settings
from tests.gate.outcomes import (
    DECLINED,
    RIGHT,
    SHOWN,
    WRONG,
    differences,
    expected_of,
    figures_by_set,
    outcomes_in,
    outcomes_of,
    table,
    write_expected,
)
from tests.gate.questions import SAMPLES, GateQuestion, committed_groups, public_groups

ANSWERABLE = GateQuestion("samples", "How deep is it?", ("88",))
UNANSWERABLE = GateQuestion("samples", "Who owns it?")


@pytest.mark.timeout(600)
@pytest.mark.parametrize("group", committed_groups())
def test_the_figures_of_the_projects_own_questions_are_at_their_floors(
    group: str, data_folder: Path, sample_library: Callable[[Path], None]
) -> None:
    if group == SAMPLES:
        sample_library(data_folder)
    with Services(Settings()) as services:
        _compare(outcomes_in(services, committed_groups()[group]))


@pytest.mark.slow
@pytest.mark.timeout(600)
@pytest.mark.parametrize("name", SETS)
def test_the_figures_of_the_tuned_half_of_a_public_set_are_at_their_floors(name: str, shared_data: Path) -> None:
    _compare(outcomes_of(public_groups(shared_data)[name]))


def _compare(outcomes: Mapping[GateQuestion, str], file: Path | None = None) -> None:
    expected = expected_of(outcomes, file) if file else expected_of(outcomes)
    if figures_by_set(outcomes) != figures_by_set(expected):
        told = "\n".join((*table(outcomes, expected), *differences(outcomes, expected)))
        pytest.fail(f"The figures differ from tests/gate/expected.jsonl (floors in parentheses):\n{told}", False)


def test_a_question_that_is_lost_is_named_in_the_failure(tmp_path: Path) -> None:
    file = tmp_path / "expected.jsonl"
    write_expected({ANSWERABLE: RIGHT, UNANSWERABLE: DECLINED}, file)
    _compare({ANSWERABLE: RIGHT, UNANSWERABLE: DECLINED}, file)
    with pytest.raises(pytest.fail.Exception) as failed:
        _compare({ANSWERABLE: SHOWN, UNANSWERABLE: DECLINED}, file)
    assert "right -> shown: How deep is it?" in str(failed.value)
    assert "| samples | 0 (1) | 1 | 0 | 1 | 1 | 2 |" in str(failed.value)


def test_a_gain_fails_too_so_that_the_floor_is_raised_with_it(tmp_path: Path) -> None:
    file = tmp_path / "expected.jsonl"
    write_expected({ANSWERABLE: SHOWN, UNANSWERABLE: WRONG}, file)
    with pytest.raises(pytest.fail.Exception, match="wrong -> declined: Who owns it"):
        _compare({ANSWERABLE: SHOWN, UNANSWERABLE: DECLINED}, file)


def test_writing_what_was_asked_leaves_the_other_sets(tmp_path: Path) -> None:
    file, other = tmp_path / "expected.jsonl", GateQuestion("tables", "Which is least?", ("L6",))
    write_expected({ANSWERABLE: RIGHT, other: SHOWN}, file)
    write_expected({ANSWERABLE: WRONG}, file)
    assert expected_of([ANSWERABLE, other], file) == {ANSWERABLE: WRONG, other: SHOWN}
