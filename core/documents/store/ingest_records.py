"""How far documents have come, in SQL."""

from collections.abc import Collection, Iterable, Mapping
from dataclasses import replace

from sqlalchemy import Connection, Engine, bindparam, delete, insert, select, update

from core.documents.model import Effort, Stage, StageProgress
from core.documents.ports.publishing import WorkDone
from core.documents.store.documents import SqlDocuments, change_document
from core.documents.store.rows import from_effort, from_progress, to_progress
from core.platform.errors import NotFoundError
from core.platform.sql.compiled_statements import insert_all
from core.platform.sql.engine import ASKED, all_rows, batches, reading, rows_of, writing
from core.platform.sql.schema import documents, stages

_STAGE_ORDER = list(Stage)
_LOCKED = (
    select(documents.c.id).where(documents.c.id.in_(ASKED)).order_by(documents.c.id).with_for_update(key_share=True)
)
_ENDED = select(stages.c.document_id).where(
    stages.c.document_id.in_(ASKED), stages.c.stage == _STAGE_ORDER[-1].value, stages.c.status == "done"
)
_CHANGE = update(stages).where(stages.c.document_id == bindparam("document"), stages.c.stage == bindparam("at"))
_ADD = insert(stages)
_CHANGE_DOCUMENT = update(documents).where(documents.c.id == bindparam("document"))


def note_work(connection: Connection, done: Mapping[str, WorkDone]) -> None:
    """Records stages and effort by document, within the transaction that publishes them."""
    rows = {(id, each.stage): from_progress(id, each) for id, own in done.items() for each in own.stages}
    for stage in {stage for _, stage in rows}:
        again = [id for id, known in rows if known is stage]
        connection.execute(delete(stages).where(stages.c.stage == stage.value, stages.c.document_id.in_(again)))
    insert_all(connection, stages, list(rows.values()))
    if spent := [{"document": id, "spent": from_effort(own.spent)} for id, own in done.items() if own.spent]:
        connection.execute(_CHANGE_DOCUMENT, spent)


def _record(connection: Connection, document_id: str, progress: Iterable[StageProgress]) -> None:
    for row in (from_progress(document_id, each) for each in progress):
        same = {"document": document_id, "at": row["stage"]}
        if not connection.execute(_CHANGE, row | same).rowcount:
            connection.execute(_ADD, row)


class SqlIngestRecords:
    def __init__(self, engine: Engine) -> None:
        self.engine = engine

    def record_stage(self, document_id: str, *progress: StageProgress) -> None:
        with writing(self.engine, durable=False) as connection:
            has_ended = _locked(connection, [document_id]).get(document_id)
            if has_ended is None:
                raise NotFoundError("error.document_missing")
            _record(connection, document_id, [each for each in progress if each.status == "done" or not has_ended])

    def record_running(self, progress: Mapping[str, StageProgress]) -> None:
        with writing(self.engine, durable=False) as connection:
            for document_id, has_ended in _locked(connection, progress).items():
                if not has_ended:
                    _record(connection, document_id, [progress[document_id]])

    def stages(self, document_id: str) -> list[StageProgress]:
        """In pipeline order."""
        found = [
            to_progress(row) for row in all_rows(self.engine, select(stages).where(stages.c.document_id == document_id))
        ]
        return sorted(found, key=lambda progress: _STAGE_ORDER.index(progress.stage))

    def record_estimate(self, document_id: str, estimate: Effort, paused: bool = False) -> None:
        with writing(self.engine, durable=False) as connection:
            change_document(connection, document_id, estimate=from_effort(estimate), paused=paused)

    def record_estimates(self, estimates: Mapping[str, Effort]) -> None:
        with writing(self.engine, durable=False) as connection:
            for document_id in _locked(connection, estimates):
                change_document(connection, document_id, estimate=from_effort(estimates[document_id]))

    def resume(self, document_id: str) -> None:
        agreed = replace(SqlDocuments(self.engine).get(document_id).estimate or Effort(), agreed=True)
        self.record_estimate(document_id, agreed)

    def fail(self, document_id: str, key: str, params: Mapping[str, str]) -> None:
        """Nothing happens when the document was deleted or read to its end meanwhile."""
        with writing(self.engine, durable=False) as connection:
            if _locked(connection, [document_id]).get(document_id) is False:
                change_document(connection, document_id, error_key=key, error_params=sorted(params.items()))

    def unwanted(self, document_ids: Collection[str]) -> frozenset[str]:
        statement = select(documents.c.id).where(documents.c.id.in_(ASKED), documents.c.cancelled.is_(False))
        with reading(self.engine) as connection:
            return frozenset(document_ids) - {id for (id,) in rows_of(connection, statement, document_ids)}

    def restart(self, document_id: str) -> None:
        """Raises NotFoundError."""
        with writing(self.engine, durable=False) as connection:
            change_document(connection, document_id, error_key="", error_params=[], cancelled=False, paused=False)
            connection.execute(delete(stages).where(stages.c.document_id == document_id))

    def cancel(self, document_id: str) -> None:
        """Raises NotFoundError."""
        with writing(self.engine, durable=False) as connection:
            change_document(connection, document_id, cancelled=True)


def _locked(connection: Connection, document_ids: Collection[str]) -> dict[str, bool]:
    """Whether each of the documents that still exist was read to its end.

    Their rows are locked before that is asked: another process may publish them while this one sleeps.
    """
    has_ended: dict[str, bool] = {}
    for batch in batches(sorted(document_ids)):
        has_ended |= dict.fromkeys(connection.execute(_LOCKED, {"asked": batch}).scalars(), False)
        has_ended |= dict.fromkeys(connection.execute(_ENDED, {"asked": batch}).scalars(), True)
    return has_ended
