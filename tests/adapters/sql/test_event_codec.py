"""Events of other versions do not break the log."""

import logging

import pytest
from sqlalchemy import Engine, insert

from core.adapters.sql.engine import writing
from core.adapters.sql.event_codec import decode, encode
from core.adapters.sql.run_log import SqlRunLog
from core.adapters.sql.schema import run_events
from core.adapters.sql.threads import SqlThreads
from core.domain.events import AnswerDelta, NodeStarted
from core.domain.runs import RunRequest


def test_an_event_of_a_newer_version_is_skipped_and_the_others_are_read(engine: Engine) -> None:
    log = SqlRunLog(engine)
    run = log.start(RunRequest("?", ""), SqlThreads(engine).create("T", "", "").id, "e")
    log.append(run.id, [AnswerDelta("a")])
    with writing(engine) as connection:
        row = {"run_id": run.id, "seq": 2, "type": "FromTheFuture", "payload": {"x": 1}}
        connection.execute(insert(run_events).values(**row))
    assert log.append(run.id, [AnswerDelta("b")]) == 3
    assert log.events(run.id, 0) == [(1, AnswerDelta("a")), (3, AnswerDelta("b"))]


def test_a_field_more_is_ignored_and_a_field_less_skips_the_event(caplog: pytest.LogCaptureFixture) -> None:
    name, payload = encode(NodeStarted("plan", 1))
    assert decode(name, payload | {"new": True}) == NodeStarted("plan", 1)
    with caplog.at_level(logging.WARNING):
        assert decode(name, {"node": "plan"}) is None
    assert "NodeStarted" in caplog.text
