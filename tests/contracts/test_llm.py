"""What every Llm does, whichever engine is behind it."""

from collections.abc import Iterator

import pytest

from core.models.chat.llm import ChatLlm
from core.models.offline_llm import OfflineLlm
from core.models.ports import Llm
from core.platform.errors import BudgetError, CancelledError
from tests.loopback.openai_server import OpenAiServer
from tests.models.chat.examples import JUDGE, REQUEST, WRITE, Judgement, RecordingMeter, example_prompts, impatient

__all__ = ["example_prompts"]


@pytest.fixture(params=["built-in", "json_schema", "function", "json_object"])
def llm(request: pytest.FixtureRequest) -> Iterator[Llm]:
    if request.param == "built-in":
        yield OfflineLlm()
        return
    refuses = {"json_schema": [], "function": ["json_schema"], "json_object": ["json_schema", "tools"]}
    with OpenAiServer(refuses=refuses[request.param]) as server:
        model = ChatLlm(impatient(server.base_url))
        yield model
        model.close()


def test_run_gives_the_output_of_the_task(llm: Llm) -> None:
    meter = RecordingMeter()
    output = llm.run(JUDGE, REQUEST, meter)
    assert isinstance(output, Judgement)
    assert output.verdict
    assert meter.reasons == []


def test_stream_gives_text_in_pieces_that_cite_the_passages(llm: Llm) -> None:
    meter = RecordingMeter()
    pieces = list(llm.stream(WRITE, REQUEST, meter))
    assert len(pieces) > 1
    assert all(pieces)
    assert "".join(pieces).startswith("The board runs the reservoir.")
    assert "[1]" in "".join(pieces)
    assert meter.reasons == []


def test_calls_are_counted_by_a_model_and_not_by_the_rules(llm: Llm) -> None:
    meter = RecordingMeter()
    llm.run(JUDGE, REQUEST, meter)
    list(llm.stream(WRITE, REQUEST, meter))
    names = [] if llm.engine == "built-in" else ["example_judge", "example_write"]
    assert meter.started == names
    assert [task for task, *_ in meter.finished] == names


def test_a_stopped_question_does_not_run(llm: Llm) -> None:
    with pytest.raises(CancelledError):
        llm.run(JUDGE, REQUEST, RecordingMeter(stop_after_checks=0))


def test_a_stream_ends_when_the_user_stops(llm: Llm) -> None:
    meter = RecordingMeter()
    stream = llm.stream(WRITE, REQUEST, meter)
    next(stream)
    meter.stop_after_checks = 0
    with pytest.raises(CancelledError):
        list(stream)


def test_a_question_without_seconds_ends(llm: Llm) -> None:
    meter = RecordingMeter(seconds=0.0)
    with pytest.raises(BudgetError):
        llm.run(JUDGE, REQUEST, meter)
    with pytest.raises(BudgetError):
        list(llm.stream(WRITE, REQUEST, meter))
    assert meter.reasons == []


def test_the_engine_has_a_name(llm: Llm) -> None:
    assert llm.engine
