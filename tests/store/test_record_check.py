"""Changed rows are found in every database."""

from sqlalchemy import Engine, update

from core.app.record_check import RecordPart, changed_records
from core.documents.store.library import sql_library
from core.platform.sql.engine import writing
from core.platform.sql.schema import blocks, incidences
from tests.store.databases import TickingClock
from tests.store.samples import publish

INVENTED = {RecordPart.PASSAGES, RecordPart.MENTIONS}
"""Ids of the samples are not made of their texts."""


def test_rows_that_do_not_fit_together_are_counted(engine: Engine, clock: TickingClock) -> None:
    library = sql_library(engine, clock)
    base = library.bases.create("One")
    first = publish(library, base, "a.pdf", "BERT at Google", "attention")
    publish(library, base, "b.pdf", "Ada Lovelace in London")
    assert changed_records(engine).keys() == INVENTED
    with writing(engine) as connection:
        connection.execute(update(incidences).values(packed={"entities": []}))
        connection.execute(update(blocks).where(blocks.c.document_id == first.id).values(page=7))
    found = changed_records(engine)
    assert found.keys() == INVENTED | {RecordPart.INCIDENCES, RecordPart.SPANS}
    assert (found[RecordPart.INCIDENCES].total(), found[RecordPart.SPANS].total()) == (2, 2)
