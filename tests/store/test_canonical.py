"""The canonical dump: blind to order, time and ids, sharp for everything else."""

import json
from dataclasses import replace
from datetime import UTC, datetime

from sqlalchemy import Engine, select

from core.documents.model import KnowledgeBase, Stage, StageProgress
from core.documents.ports.library import Library
from core.documents.store.library import sql_library
from core.documents.store.rows import to_mention
from core.graph.network.incidences import pack
from core.platform.language.sentences import sentence_spans
from core.platform.sql.engine import reading
from core.platform.sql.schema import METADATA, chunks, incidences, mentions
from tests.canonical_dump import canonical_dump
from tests.store.databases import TickingClock
from tests.store.samples import add, publication

TEXTS = {"a.pdf": ["BERT at Google", "attention"], "b.pdf": ["Bert in London"], "c.pdf": ["bert"]}
NAMES = {"a.pdf": "BERT", "b.pdf": "Bert", "c.pdf": "bert"}


def ingest(library: Library, base: KnowledgeBase, name: str, texts: list[str]) -> None:
    document = add(library, base, name)
    library.ingest_records.record_stage(
        document.id, StageProgress(Stage.PARSE, "done", 2, 2, "pages", seconds=len(name) / 7)
    )
    names = {NAMES[name]: "TECHNOLOGY", "Google": "ORGANIZATION", "London": "LOCATION", "attention": "CONCEPT"}
    made = publication(document, base, texts, names, stated=[(NAMES[name], "Google", "MADE_BY")])
    library.publications.publish(made)


def test_order_repetition_times_and_ids_do_not_show(engine: Engine, clock: TickingClock) -> None:
    library = sql_library(engine, clock)
    one, two = library.bases.create("One"), library.bases.create("Two")
    for name in ("a.pdf", "b.pdf", "c.pdf"):
        ingest(library, one, name, TEXTS[name])
    later = sql_library(engine, lambda: datetime(2030, 1, 1, tzinfo=UTC))
    extra = add(later, two, "extra.pdf")
    later.publications.publish(publication(extra, two, ["Ada Lovelace and BERT"]))
    for name in ("c.pdf", "a.pdf", "b.pdf", "a.pdf"):
        ingest(later, two, name, TEXTS[name])
    later.documents.delete(extra.id)
    assert canonical_dump(engine, one.id) == canonical_dump(engine, two.id) != ""


def test_every_difference_shows(engine: Engine, clock: TickingClock) -> None:
    library = sql_library(engine, clock)
    base = library.bases.create("One")
    document = add(library, base, "a.pdf")
    made = publication(document, base, ["BERT at Google", "attention"], stated=[("BERT", "Google", "MADE_BY")])
    variants = [
        made,
        replace(made, title="other"),
        replace(made, blocks=made.blocks[:1]),
        replace(made, chunks=(replace(made.chunks[0], spans=()), made.chunks[1])),
        replace(made, chunks=(replace(made.chunks[0], enabled=False), made.chunks[1])),
        replace(made, summaries=()),
        replace(made, mentions=(replace(made.mentions[0], start=1), *made.mentions[1:])),
        replace(made, entities=(replace(made.entities[0], aliases=("new",)), *made.entities[1:])),
        replace(made, relations=()),
        replace(made, relations=(replace(made.relations[0], pages=((document.id, 1),)),)),
    ]
    dumps = []
    for variant in variants:
        library.publications.publish(variant)
        dumps.append(canonical_dump(engine, base.id))
    library.ingest_records.record_stage(document.id, StageProgress(Stage.PARSE, "running"))
    dumps.append(canonical_dump(engine, base.id))
    assert len(set(dumps)) == len(dumps)


def test_each_line_is_json_that_names_its_table(engine: Engine, clock: TickingClock) -> None:
    library = sql_library(engine, clock)
    base = library.bases.create("One")
    ingest(library, base, "a.pdf", TEXTS["a.pdf"])
    tables = {json.loads(line)[0] for line in canonical_dump(engine, base.id).splitlines()}
    told_elsewhere = {"knowledge_bases", "incidences", "memories", "threads", "runs", "run_events"}
    told_elsewhere |= {"graph_edits", "graph_events"}  # what people and documents changed, and when
    told_elsewhere |= {"feedback", "memory_changes", "memory_uses", "preferences"}
    told_elsewhere |= {"data_folder", "entry_vectors", "question_vectors"}  # of this machine; made from the rest
    told_elsewhere |= {"api_keys", "api_sessions"}  # of programs
    told_elsewhere |= {"process_leases", "submitted_documents", "index_changes", "shared_settings"}  # of processes
    told_elsewhere |= {"audit", "base_shares", "ended_sessions", "memberships", "people"}
    told_elsewhere |= {"question_lists", "evaluation_cases", "evaluations", "evaluation_results", "arena_votes"}
    assert tables == set(METADATA.tables) - told_elsewhere
    assert base.id not in canonical_dump(engine, base.id)


def test_the_packed_incidence_is_that_of_the_stored_mentions(engine: Engine, clock: TickingClock) -> None:
    library = sql_library(engine, clock)
    base = library.bases.create("One")
    for name, texts in TEXTS.items():
        ingest(library, base, name, texts)
    with reading(engine) as connection:
        stored: dict[str, object] = dict(connection.execute(select(incidences)).tuples().all())
        rows = connection.execute(select(mentions)).mappings().all()
        said = {id: list(sentence_spans(text)) for id, text in connection.execute(select(chunks.c.id, chunks.c.text))}
    for document_id, packed in stored.items():
        assert packed == pack((to_mention(row) for row in rows if row["document_id"] == document_id), said)
    assert len(stored) == 3
