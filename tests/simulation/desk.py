"""What a process of the app does between its start and its end: actions, and a look at all that is there."""

import json
import time
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any, TypeVar
from uuid import uuid4

from sqlalchemy import delete, select

from core.app.backup import write_backup
from core.app.ingestion_process import stage_deps
from core.app.services import Services
from core.documents.extraction.builtin_extractor import BuiltinExtractor
from core.documents.model import Document, DocumentStatus, KnowledgeBase
from core.documents.pipeline.dispatch import Dispatcher
from core.documents.pipeline.pipeline import Pipeline
from core.documents.pipeline.stage_notes import StageNotes
from core.documents.pipeline.vector_builder import VectorBuilder
from core.graph.edits import EditedEntity, GraphEdit
from core.graph.naming import entity_id
from core.memory.model import Memory, MemoryKind, MemoryStatus
from core.platform.clock import utc_now
from core.platform.errors import NotFoundError
from core.platform.settings.settings import load_settings
from core.platform.sql.conversation_tables import runs, threads
from core.platform.sql.engine import reading, writing
from core.runs.model import RunRequest
from tests.fakes.ingestion import FakeEngines, FakeIngestEngine
from tests.fakes.parsing import FakeParser
from tests.fakes.taggers import FakeTagger
from tests.simulation.whole import EDITS, MOST_EDITS, PATTERNS, THINGS, Whole, gauge
from tests.store.postgres import wait_for_postgres

Thing = TypeVar("Thing")
BASE = "Papers"
SEARCHED = 5
OUTLASTED_SECONDS = 30.0
SOON = 5.0
"""Seconds."""


@dataclass(frozen=True, slots=True)
class Action:
    kind: str
    name: str = ""
    """What it is about; a name stands for one document, memory, question or edit all the time."""
    other: str = ""
    """A document that takes part in it."""


def text_of(name: str) -> str:
    """Of a document: a word that no other one has, and two names that all have."""
    return (
        f"Report {name}\n\nThe {name} gauge of KelpNet at Marlow Sound was read by Lena Vogt.\n\nIt was dry in {name}."
    )


class RunsAtOnce(FakeIngestEngine):
    """An engine that does everything in the thread that asks, and forgets it with the process."""

    def enqueue(self, *document_ids: str) -> None:
        for document_id in document_ids:
            self.runner.run(document_id)
        self.stands |= dict.fromkeys(document_ids, "ended")


class Visitor:
    """Does what several processes may do at a time."""

    def __init__(self, services: Services, base: KnowledgeBase) -> None:
        self.services = services
        self.base = base

    def add(self, name: str, replaces: str = "") -> None:
        self.services.lifecycle.intake.add(self.base.id, f"{name}.txt", text_of(name).encode(), replaces)

    def ask(self, name: str, is_stopped: bool = False) -> None:
        worker = self.services.worker
        run_id = worker.start(RunRequest(f"Who read the {name} gauge?", self.base.id))
        if is_stopped:
            worker.stop(run_id)
        list(worker.follow(run_id))

    def do(self, action: Action) -> None:
        given = filter(None, [action.name, action.other])
        if action.kind in EDITS:
            self.edit(action.kind, *given)
        else:
            getattr(self, action.kind)(*given)

    def edit(self, kind: str, name: str, other: str = "") -> None:
        """An edit of the graph that has the name as its text."""
        edited, things = EDITS[kind]
        named = (*things, gauge(other)) if other else things
        entities = tuple(EditedEntity(entity_id(self.base.id, *each), *each) for each in named)
        self.services.graph_edits.record(self.base.id, [GraphEdit(edited, entities, name)])

    def delete(self, name: str) -> None:
        self.services.lifecycle.remove_document(self._document(name).id)

    def remember(self, name: str) -> None:
        now = utc_now()
        memory = Memory(uuid4().hex, f"The {name} key is red.", MemoryKind.FACT, 5, 1.0, MemoryStatus.ACTIVE, now, now)
        self.services.memories.save(memory)

    def _documents(self) -> list[Document]:
        return self.services.library.documents.of_base(self.base.id)

    def _document(self, name: str) -> Document:
        return _only([each for each in self._documents() if _name_of(each) == name])


class Desk(Visitor):
    def __init__(self, folder: Path, **indexes: object) -> None:
        """indexes: parts of the search that are used instead of real ones."""
        services = Services(load_settings(folder / "data"))
        services.search.parts |= {name: (services.settings, each) for name, each in indexes.items()}
        self.folder = folder
        library = services.library
        deleted = [kept.base for kept in services.lifecycle.base_removal.deleted()]
        base = library.bases.named(BASE) or next(iter(deleted), None) or library.bases.create(BASE)
        super().__init__(services, base)
        engines = FakeEngines(lambda _: FakeParser(), BuiltinExtractor(FakeTagger(PATTERNS)))
        made = replace(stage_deps(self.services), engines=engines)
        work = self.services.settings.data / "work"
        queue = self.services.ingestion.queue
        self.pipeline = Pipeline(made, work, queue.cancelling)
        engine = RunsAtOnce()
        engine.start(self.pipeline)
        self.dispatcher = Dispatcher(library.bases, library.documents, library.ingest_records, queue, engine, work)
        self._made, self._work = made, work
        self.whole = Whole(self.services, self.base.id)

    def start(self) -> None:
        """As app and ingestion process do."""
        StageNotes(self._work).settle()
        self.dispatcher.sweep()
        self.dispatcher.recover()
        self.read()
        self.services.tidy()
        for run_id in self.services.worker.recover():
            list(self.services.worker.follow(run_id))

    def replace(self, name: str, other: str) -> None:
        """Adds a document in the place of the other, and reads it."""
        self.read()
        self.add(name, self._document(other).id)
        self.read()

    def bring_in(self, name: str) -> None:
        """As part of a graph that was made elsewhere."""
        named = [(each, type, f"{name}.txt") for each, type in (*THINGS, gauge(name))]
        nodes = [dict(zip(("id", "name", "type", "source_doc"), (each[0], *each), strict=True)) for each in named]
        self.services.lifecycle.graph_import.take(self.base.id, json.dumps(nodes).encode(), b"[]")

    def read(self) -> None:
        while self.services.ingestion.queue.waiting():
            self.dispatcher.turn()
            if self.pipeline.fault:
                raise self.pipeline.fault

    def make_vectors(self) -> None:
        """By a new builder, because one looks at a base that it has done only every ten seconds."""
        builder = VectorBuilder(self._made.bases, self._made.documents, self._made.chunk_index)
        while builder.step():
            pass

    def amend(self, name: str) -> None:
        """Gives its passage one more sentence."""
        self.read()
        document = self._document(name)
        (chunk,) = self.services.library.passages.chunks(document.id)
        self.services.lifecycle.chunk_editor.rewrite(document.id, chunk.id, f"{chunk.text} It rained later.")

    def restore(self, name: str) -> None:
        removal = self.services.lifecycle.removal
        kept = _only([each for each in removal.deleted(self.base.id) if each.document.name == f"{name}.txt"])
        removal.restore(kept.document.id)

    def delete_base(self) -> None:
        self.services.lifecycle.base_removal.remove(self.base.id)

    def restore_base(self) -> None:
        self.services.lifecycle.base_removal.restore(self.base.id)

    def ask_and_stop(self, name: str) -> None:
        self.ask(name, is_stopped=True)

    def put_away(self, name: str) -> None:
        self.services.threads.put_away(_only(self._threads_of(name)))

    def take_back(self, name: str) -> None:
        self.services.threads.restore(_only(self._threads_of(name)))

    def unask(self, name: str) -> None:
        """As purge() does after days."""
        gone = _only(self._threads_of(name))
        with writing(self.services.storage.engine) as connection:
            connection.execute(delete(threads).where(threads.c.id == gone))

    def forget(self, name: str) -> None:
        memory = _only([each for each in self.services.memories.find() if f" {name} " in each.text])
        self.services.memories.delete(memory.id)

    def undo(self, name: str, undone: bool = True) -> None:
        log = self.services.graph_edits.log(self.base.id, MOST_EDITS)
        number = _only([each.number for each in log if each.edit.text == name])
        self.services.graph_edits.set_undone(self.base.id, [number], undone)

    def redo(self, name: str) -> None:
        self.undo(name, undone=False)

    def rebuild(self) -> None:
        self.services.search.rebuild(self.base.id)

    def outlast(self) -> None:
        """What happens by itself within a minute of the end of an outage."""
        wait_for_postgres(self.services.settings.sql_url)
        self.dispatcher.recover()
        self.read()
        until = time.monotonic() + OUTLASTED_SECONDS
        while self.services.runs.running() and time.monotonic() < until:
            time.sleep(0.02)

    def rebuild_lost(self) -> None:
        """What is to be done where a search says that its index is not whole."""
        if self._has_base():
            self.rebuild()

    def back_up(self) -> None:
        write_backup(self.services.settings, self.folder / "backup.zip")

    def look(self, names: Collection[str]) -> dict[str, Any]:
        """All that a person would see, after everything that was accepted has been done.

        names: what is searched for.
        """
        self.make_vectors()
        has_base = self._has_base()
        documents = self._documents() if has_base else []
        found = {name: self._found(name) for name in names} if has_base else {}
        edits = self.services.graph_edits.log(self.base.id, MOST_EDITS)
        return {
            "base": "there" if has_base else "trash" if self.services.lifecycle.base_removal.deleted() else "gone",
            "documents": sorted(map(_name_of, documents)),
            "amended": sorted(self.whole.amended()),
            "failed": sorted(_name_of(each) for each in documents if each.status is not DocumentStatus.READY),
            "trash": sorted(self._in_trash() if has_base else ()),
            "searched": sorted(names),
            "found": sorted(name for name, shown in found.items() if name in shown),
            "wrongly_found": sorted({*chain(*found.values())} - {*map(_name_of, documents)}),
            "memories": sorted(memory.text.split()[1] for memory in self.services.memories.find()),
            "questions": sorted(self._questions(is_away=False)),
            "away": sorted(self._questions(is_away=True)),
            "unfinished": self._unfinished(),
            "edits": sorted(each.edit.text for each in edits if not each.undone),
            "undone": sorted(each.edit.text for each in edits if each.undone),
            "vectors_missing": self._missing_vectors() if has_base else 0,
            "left_in_indexes": self.whole.left_in_indexes() if has_base else None,
            "flaws": [*self.whole.flaws()] if has_base else [],
        }

    def _unfinished(self) -> int:
        """Runs that do not end: the log of one follows a moment after its last event is shown."""
        until = time.monotonic() + SOON
        while (running := self.services.runs.running()) and time.monotonic() < until:
            time.sleep(0.01)
        return len(running)

    def close(self) -> None:
        self.services.close()

    def _has_base(self) -> bool:
        return self.services.library.bases.named(BASE) is not None

    def _in_trash(self) -> Iterator[str]:
        return (_name_of(each.document) for each in self.services.lifecycle.removal.deleted(self.base.id))

    def _found(self, name: str) -> set[str]:
        """Documents of which a search for the name shows a passage that has it."""
        hits = self.services.search.retriever.chunks(self.base.id, f"{name} gauge", SEARCHED)
        passages = self.services.library.passages.get([hit.chunk_id for hit in hits])
        if len(passages) < len(hits):
            return {"a passage of nothing"}
        return {each.document_name.removesuffix(".txt") for each in passages if name in each.chunk.text}

    def _questions(self, is_away: bool) -> Iterator[str]:
        return (question.split()[3] for question, _ in self._asked(is_away))

    def _threads_of(self, name: str) -> list[str]:
        return [id for away in (False, True) for question, id in self._asked(away) if f" {name} " in question]

    def _asked(self, is_away: bool) -> list[tuple[str, str]]:
        """Questions, each with the id of its conversation."""
        wanted = select(runs.c.question, runs.c.thread_id).join(threads)
        wanted = wanted.where(threads.c.deleted_at.is_not(None) if is_away else threads.c.deleted_at.is_(None))
        with reading(self.services.storage.engine) as connection:
            return list(connection.execute(wanted).tuples())

    def _missing_vectors(self) -> int:
        progress = self.services.search.vector_progress(self.base.id)
        return progress.total - progress.done


def _name_of(document: Document) -> str:
    return document.name.removesuffix(".txt")


def _only(found: Sequence[Thing]) -> Thing:
    """Raises NotFoundError as where somebody acts on what is no longer there, or never came to be."""
    if len(found) != 1:
        raise NotFoundError("storage.entity_gone", id=f"one of {len(found)}")
    return found[0]
