"""What a run is told of the conversation before it."""

from core.runs.execution.recording import LAST_CHARACTERS, TURN_CHARACTERS, Recording
from core.runs.model import RunRequest, Turn
from tests.fakes.runs import FakeRunLog, FakeThreads


def test_the_last_turn_is_read_further_than_those_before_it() -> None:
    log = FakeRunLog()
    recording = Recording(log, FakeThreads(), lambda _: "", "p")
    long = "a" * (LAST_CHARACTERS + 1)
    request = RunRequest("q", "b", history=(Turn("user", long), Turn("assistant", long)))
    assert [len(turn.text) for turn in recording.said(request, "")] == [TURN_CHARACTERS, LAST_CHARACTERS]
    assert recording.said(RunRequest("q", "b", history=()), "") == ()
