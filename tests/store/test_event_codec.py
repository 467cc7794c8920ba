"""Events of other versions do not break the log."""

import json
import logging
import zlib
from base64 import b64encode
from hashlib import sha256
from pathlib import Path

import pytest
from sqlalchemy import Engine, insert, select

from core.platform.sql.conversation_tables import run_events
from core.platform.sql.engine import reading, writing
from core.runs.events import AnswerDelta, Event, NodeFinished, NodeStarted, RunFinished
from core.runs.model import RunRequest, Usage
from core.runs.store import event_codec
from core.runs.store.event_codec import decode, encode, encode_all, events_in
from core.runs.store.run_log import SqlRunLog
from core.runs.store.threads import SqlThreads


def test_an_event_of_a_newer_version_is_skipped_and_the_others_are_read(engine: Engine) -> None:
    log = SqlRunLog(engine)
    run = log.start(RunRequest("?", ""), SqlThreads(engine).create("T", "", "").id, "e")
    log.append(run.id, [AnswerDelta("a")])
    with writing(engine) as connection:
        row = {"run_id": run.id, "seq": 2, "type": "FromTheFuture", "payload": {"x": 1}}
        connection.execute(insert(run_events).values(**row))
    assert log.append(run.id, [AnswerDelta("b")]) == 3
    assert log.events(run.id, 0) == [(1, AnswerDelta("a")), (3, AnswerDelta("b"))]


def test_what_is_written_at_once_is_one_row_and_is_read_from_any_number_on(engine: Engine) -> None:
    log = SqlRunLog(engine)
    run = log.start(RunRequest("?", ""), SqlThreads(engine).create("T", "", "").id, "e")
    events: list[Event] = [NodeStarted("plan", 1), NodeFinished("plan", 1, 0.25, "chunks", details=(("kind", "who"),))]
    events += [AnswerDelta("潮汐 " * 300), AnswerDelta("end")]
    assert log.append(run.id, events[:1]) == 1
    assert log.append(run.id, events[1:]) == 4
    with reading(engine) as connection:
        rows = connection.execute(select(run_events).order_by(run_events.c.seq)).mappings().all()
    assert [(row["seq"], row["type"]) for row in rows] == [(1, "NodeStarted"), (4, "Several")]
    assert len(rows[1]["packed"]) < 230
    for after in range(5):
        assert log.events(run.id, after) == list(enumerate(events, start=1))[after:]


def test_a_run_that_has_ended_is_one_row_and_is_read_from_any_number_on(engine: Engine) -> None:
    log = SqlRunLog(engine)
    run = log.start(RunRequest("?", ""), SqlThreads(engine).create("T", "", "").id, "e")
    events: list[Event] = [NodeStarted("plan", 1), AnswerDelta("潮汐 " * 300), RunFinished("answered", 0.5, Usage())]
    with writing(engine) as connection:
        future = {"run_id": run.id, "seq": 1, "type": "FromTheFuture", "payload": {"x": 1}}
        connection.execute(insert(run_events).values(**future))
    for number, event in enumerate(events, start=2):
        assert log.append(run.id, [event]) == number
    assert _rows(engine) == [(4, "Several")]
    for after in range(5):
        assert log.events(run.id, after) == list(enumerate(events, start=2))[max(after - 1, 0) :]


def test_the_rows_of_a_run_with_a_damaged_one_stay_as_they_are(engine: Engine) -> None:
    log = SqlRunLog(engine)
    run = log.start(RunRequest("?", ""), SqlThreads(engine).create("T", "", "").id, "e")
    with writing(engine) as connection:
        row = {"run_id": run.id, "seq": 2, "type": "Several", "payload": "bm8="}
        connection.execute(insert(run_events).values(**row))
    log.append(run.id, [RunFinished("answered", 0.5, Usage())])
    assert _rows(engine) == [(2, "Several"), (3, "RunFinished")]


def _rows(engine: Engine) -> list[tuple[int, str]]:
    with reading(engine) as connection:
        rows = connection.execute(select(run_events).order_by(run_events.c.seq)).mappings()
        return [(row["seq"], row["type"]) for row in rows]


def test_what_an_earlier_version_packed_into_text_is_read(engine: Engine) -> None:
    log = SqlRunLog(engine)
    run = log.start(RunRequest("?", ""), SqlThreads(engine).create("T", "", "").id, "e")
    events: list[Event] = [AnswerDelta("潮汐 "), NodeStarted("plan", 1)]
    packed = b64encode(zlib.compress(json.dumps([encode(event) for event in events]).encode())).decode()
    with writing(engine) as connection:
        connection.execute(insert(run_events).values(run_id=run.id, seq=2, type="Several", payload=packed))
    assert log.events(run.id, 0) == list(enumerate(events, start=1))
    assert log.append(run.id, [end := RunFinished("answered", 0.5, Usage())]) == 3
    assert log.events(run.id, 0) == list(enumerate([*events, end], start=1))


def test_a_damaged_row_is_left_out(engine: Engine, caplog: pytest.LogCaptureFixture) -> None:
    log = SqlRunLog(engine)
    run = log.start(RunRequest("?", ""), SqlThreads(engine).create("T", "", "").id, "e")
    with writing(engine) as connection:
        row = {"run_id": run.id, "seq": 2, "type": "Several", "payload": "bm8="}
        connection.execute(insert(run_events).values(**row))
    assert log.append(run.id, [AnswerDelta("b")]) == 3
    with caplog.at_level(logging.WARNING):
        assert log.events(run.id, 0) == [(3, AnswerDelta("b"))]
    assert "damaged" in caplog.text


def test_what_events_have_in_common_is_not_stored_with_each_run() -> None:
    visit: list[Event] = [NodeStarted("grade_evidence", 1), NodeFinished("grade_evidence", 1, 0.25, "retry")]
    found = NodeFinished("retrieve", 1, 0.25, "found", "run.reason.retrieved", (("route", "chunks"), ("count", "3")))
    events: list[Event] = [*visit, NodeStarted("retrieve", 1), found, AnswerDelta(sha256(b"").hexdigest() * 5)]
    row = encode_all(events)
    alone = zlib.compress(json.dumps([*map(encode, events)], separators=(",", ":")).encode(), 9)
    assert len(row["packed"]) < 0.6 * len(alone)
    assert [decode(*event) for event in events_in("Several", [], row["packed"])] == events


def test_a_row_that_was_cut_short_is_left_out(caplog: pytest.LogCaptureFixture) -> None:
    packed = encode_all([AnswerDelta(sha256(b"").hexdigest() * 9)])["packed"]
    with caplog.at_level(logging.WARNING):
        assert events_in("Several", [], packed[:-5]) == []
    assert "damaged" in caplog.text


def test_the_shapes_that_rows_were_packed_with_are_as_they_were() -> None:
    """Another file makes every stored run unreadable; a better one needs a name of its own beside it."""
    shapes = Path(event_codec.__file__).with_name("event_shapes.txt").read_bytes()
    assert sha256(shapes).hexdigest() == "d0588108e0148f62d2acb200def002a1c8c5c96c1510456b480ae0b46965609d"


def test_what_has_its_default_is_not_stored() -> None:
    assert encode(NodeFinished("plan", 1, 0.5, "")) == (
        "NodeFinished", {"node": "plan", "attempt": 1, "seconds": 0.5, "outcome": ""}
    )  # fmt: skip


def test_a_field_more_is_ignored_and_a_field_less_skips_the_event(caplog: pytest.LogCaptureFixture) -> None:
    name, payload = encode(NodeStarted("plan", 1))
    assert decode(name, payload | {"new": True}) == NodeStarted("plan", 1)
    with caplog.at_level(logging.WARNING):
        assert decode(name, {"node": "plan"}) is None
    assert "NodeStarted" in caplog.text
