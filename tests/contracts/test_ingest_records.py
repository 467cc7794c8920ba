"""What every record of ingestion does."""

from collections.abc import Callable
from dataclasses import replace

import pytest
from sqlalchemy import Engine

from core.documents.model import Effort, KnowledgeBase, Stage, StageProgress
from core.documents.ports.ingestion import IngestRecords
from core.documents.ports.library import Library
from core.documents.ports.publishing import WorkDone
from tests.contracts.libraries import base, graph, library
from tests.store.databases import clock, engine, migrated_file
from tests.store.interleaving import interleaved
from tests.store.samples import add, publication

__all__ = ["base", "clock", "engine", "graph", "library", "migrated_file"]

ENDED = tuple(StageProgress(stage, "done", 9, 9, "chunks") for stage in (Stage.EXTRACT, Stage.INDEX))
LATE = StageProgress(Stage.EXTRACT, "running", 3, 9, "chunks")


class TestProgress:
    def test_status_follows_from_what_happened(self, library: Library, base: KnowledgeBase) -> None:
        document = add(library, base, "a.pdf")
        statuses = [document.status]

        def look() -> None:
            statuses.append(library.documents.get(document.id).status)

        library.ingest_records.record_stage(document.id, StageProgress(Stage.PARSE, "running", 1, 9, "pages"))
        look()
        library.ingest_records.record_stage(document.id, StageProgress(Stage.PARSE, "failed", 2, 9, "pages"))
        library.ingest_records.fail(document.id, "error.unexpected", {"kind": "ValueError"})
        look()
        library.ingest_records.restart(document.id)
        look()
        library.ingest_records.cancel(document.id)
        look()
        library.ingest_records.restart(document.id)
        library.publications.publish(publication(document, base, ["BERT"]))
        look()
        assert [str(status) for status in statuses] == [
            "queued",
            "running",
            "failed",
            "queued",
            "cancelled",
            "ready",
        ]

    def test_a_failure_keeps_its_key_and_parameters_until_a_restart(
        self, library: Library, base: KnowledgeBase
    ) -> None:
        document = add(library, base, "a.pdf")
        library.ingest_records.fail(document.id, "error.unexpected", {"kind": "X", "a": "1"})
        failed = library.documents.get(document.id)
        assert (failed.error_key, failed.error_params) == ("error.unexpected", (("a", "1"), ("kind", "X")))
        library.ingest_records.restart(document.id)
        assert library.documents.get(document.id).error_key == ""
        assert library.ingest_records.stages(document.id) == []

    def test_several_are_recorded_at_once_and_the_deleted_left_out(self, library: Library, base: KnowledgeBase) -> None:
        kept, other, deleted = (add(library, base, name).id for name in ("a.txt", "b.txt", "c.txt"))
        library.documents.delete(deleted)
        records, estimate = library.ingest_records, Effort(0, 2)
        records.record_running({each: StageProgress(Stage.EXTRACT, "running") for each in (kept, other, deleted)})
        records.record_estimates(dict.fromkeys((kept, deleted), estimate))
        assert [str(library.documents.get(each).status) for each in (kept, other)] == ["running", "running"]
        assert library.documents.get(kept).estimate == estimate
        assert library.documents.get(other).estimate is None
        assert [row.stage for row in records.stages(kept)] == [Stage.EXTRACT]

    def test_what_was_read_to_its_end_is_no_longer_begun_until_a_restart(
        self, library: Library, base: KnowledgeBase
    ) -> None:
        document, records = add(library, base, "a.pdf").id, library.ingest_records
        records.record_stage(document, *ENDED)
        records.record_stage(document, LATE)
        records.record_stage(document, replace(LATE, stage=Stage.INDEX))
        records.record_running({document: LATE})
        records.fail(document, "error.unexpected", {})
        assert library.documents.get(document).error_key == ""
        assert records.stages(document) == [*ENDED]
        records.restart(document)
        records.record_stage(document, LATE)
        assert records.stages(document) == [LATE]

    @pytest.mark.parametrize(
        "report",
        [
            lambda records, id: records.record_stage(id, LATE),
            lambda records, id: records.record_running({id: LATE}),
            lambda records, id: records.fail(id, "error.unexpected", {}),
        ],
        ids=["stage", "running", "failure"],
    )
    def test_who_sleeps_between_two_statements_undoes_nothing_that_another_published(
        self, library: Library, base: KnowledgeBase, engine: Engine, report: Callable[[IngestRecords, str], None]
    ) -> None:
        document, records = add(library, base, "a.pdf"), library.ingest_records

        def publish() -> None:
            library.publications.publish(publication(document, base, ["BERT"]), done=WorkDone(stages=ENDED))

        interleaved(engine, lambda: report(records, document.id), "stage", publish)
        assert records.stages(document.id) == [*ENDED]
        assert library.documents.get(document.id).error_key == ""

    def test_the_cancelled_and_the_deleted_are_unwanted(self, library: Library, base: KnowledgeBase) -> None:
        kept, cancelled, deleted = (add(library, base, name).id for name in ("a.pdf", "b.pdf", "c.pdf"))
        library.ingest_records.cancel(cancelled)
        library.documents.delete(deleted)
        assert library.ingest_records.unwanted([kept, cancelled, deleted]) == {cancelled, deleted}
        assert library.ingest_records.unwanted([]) == frozenset()

    def test_stages_come_in_pipeline_order_with_their_newest_numbers(
        self, library: Library, base: KnowledgeBase
    ) -> None:
        document = add(library, base, "a.pdf")
        chunk = StageProgress(Stage.CHUNK, "running", 2, 5, "chunks", 0.5, "note")
        parse = StageProgress(Stage.PARSE, "done", 9, 9, "pages", 1.25)
        library.ingest_records.record_stage(document.id, chunk)
        library.ingest_records.record_stage(document.id, replace(parse, status="running", done=1))
        library.ingest_records.record_stage(document.id, parse)
        assert library.ingest_records.stages(document.id) == [parse, chunk]
