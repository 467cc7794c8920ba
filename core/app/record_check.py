"""Checks rows that nothing can make anew against what else is kept of them: a text is stored more than once, and
events that are packed together carry a checksum.

A flipped byte in an edit of the graph or in an event that is not packed, or one that only changes the case of a
letter, remains unnoticed. A version that folds letters otherwise would find more titles and memories changed.
"""

from enum import StrEnum

from sqlalchemy import ColumnElement, Connection, Engine, and_, func, or_, select

from core.platform.identity import SYSTEM, acting_as
from core.platform.sql.columns import normalized
from core.platform.sql.engine import reading
from core.platform.sql.schema import memories, messages, run_events, runs, threads
from core.runs.store.event_codec import events_in

_ROWS = 1_000


class RecordPart(StrEnum):
    MESSAGES = "messages"
    TITLES = "titles"
    MEMORIES = "memories"
    EVENTS = "events"


def changed_records(engine: Engine) -> dict[RecordPart, int]:
    """Number of changed rows by kind; kinds without any are left out."""
    with acting_as(SYSTEM), reading(engine) as connection:
        counts = {
            RecordPart.MESSAGES: _messages(connection),
            RecordPart.TITLES: _texts(connection, threads.c.title, threads.c.title_norm),
            RecordPart.MEMORIES: _texts(connection, memories.c.text, memories.c.text_norm),
            RecordPart.EVENTS: _events(connection),
        }
    return {part: count for part, count in counts.items() if count}


def _messages(connection: Connection) -> int:
    """Questions and answers, which their runs have as well."""
    asked = and_(messages.c.role == "user", messages.c.text != runs.c.question)
    answered = and_(messages.c.role == "assistant", messages.c.text != runs.c.answer)
    joined = messages.join(runs, runs.c.id == messages.c.run_id)
    return connection.execute(select(func.count()).select_from(joined).where(or_(asked, answered))).scalar_one()


def _texts(connection: Connection, text: ColumnElement[str], norm: ColumnElement[str]) -> int:
    """norm: what is searched of the text; empty where an earlier version left it out."""
    rows = connection.execution_options(yield_per=_ROWS).execute(select(text, norm).where(norm != ""))
    return sum(normalized(kept) != searched for kept, searched in rows)


def _events(connection: Connection) -> int:
    wanted = select(run_events.c.type, run_events.c.payload, run_events.c.packed).where(
        run_events.c.packed.is_not(None)
    )
    return sum(not events_in(*row) for row in connection.execution_options(yield_per=_ROWS).execute(wanted))
