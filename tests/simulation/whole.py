"""What must agree within a data folder, whatever was done with it: files, indexes, counts, answers and what they cite,
the graph and its edits, and what a document was read as.
"""

import json
from collections.abc import Container, Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256

from sqlalchemy import distinct, func, select

from core.app.record_check import changed_records
from core.app.services import Services
from core.documents.lifecycle.graph_import import MEDIA_TYPE as GRAPH
from core.documents.model import Document, DocumentStatus
from core.graph.edits import EditKind
from core.graph.naming import entity_id
from core.platform.sql.conversation_tables import runs
from core.platform.sql.engine import reading
from core.platform.sql.schema import chunks, documents, entry_vectors, mentions, summaries
from core.runs.model import RunStatus
from core.search.ports import LEVELS
from tests.canonical_dump import canonical_dump
from tests.store.test_counts import counted, kept

NET, PLACE, READER = ("KelpNet", "TECHNOLOGY"), ("Marlow Sound", "LOCATION"), ("Lena Vogt", "PERSON")
THINGS = (NET, PLACE, READER)
PATTERNS = {NET[0]: "PRODUCT", PLACE[0]: PLACE[1], READER[0]: READER[1], r"\w+ gauge": "PRODUCT"}
"""Kind of name by pattern."""
"""Name and type of the entities that every document has."""
EDITS = {
    "rename": (EditKind.ALIAS, (NET,)),
    "retype": (EditKind.RETYPE, (PLACE,)),
    "relate": (EditKind.STATE, (READER, PLACE)),
    "merge": (EditKind.MERGE, (READER,)),
    "strike": (EditKind.DELETE, ()),
}
"""What an action of this name edits; the last two are about the gauge of a document."""
MOST_EDITS = 1000
_ROWS = {"chunks": chunks, "summaries": summaries}
_READINGS: dict[tuple[int, bool, bool], tuple[Document, list[str]]] = {}
"""The dump of a document that is alone, by the length of its name, and whether it was imported and amended."""


def gauge(name: str) -> tuple[str, str]:
    """Of a document, which is the only one to mention it."""
    return f"{name} gauge", "TECHNOLOGY"


@dataclass(frozen=True, slots=True)
class Whole:
    services: Services
    base_id: str

    def flaws(self) -> Iterator[str]:
        """After all documents were read and have vectors."""
        ready = [each for each in self._documents() if each.status is DocumentStatus.READY]
        for each in ready:
            path = self.services.storage.files.path(each.sha256)
            if each.media_type != GRAPH and not (
                path.is_file() and sha256(path.read_bytes()).hexdigest() == each.sha256
            ):
                yield f"the file of {each.name} is not whole"
        for part, number in changed_records(self.services.storage.engine).items():
            yield f"{number} {part} have changed"
        self.services.search.checked(self.base_id)
        yield from self._not_in_words()
        yield from self._miscounted()
        yield from self._unopened({each.id for each in ready})
        yield from self._misread(ready)
        if ready:
            yield from self._misdrawn({each.name.removesuffix(".txt") for each in ready})

    def left_in_indexes(self) -> int | None:
        """Entries of what is gone, which searches leave out; None where a level may have no index."""
        search, left = self.services.search, 0
        for level in LEVELS:
            if not (ids := self._ids(level)):
                return None
            with reading(self.services.storage.engine) as connection:
                made = select(func.count()).select_from(entry_vectors).where(entry_vectors.c.level == level)
                vectors = connection.execute(made).scalar_one()
            left += search.lexical_index.count(self.base_id, level) - len(ids)
            left += search.chunk_index.count(self.base_id, level) - vectors
        return left

    def amended(self) -> set[str]:
        """Names of documents with a passage that was changed."""
        wanted = select(documents.c.name).join(chunks).where(chunks.c.original.is_not(None))
        with reading(self.services.storage.engine) as connection:
            return {name.removesuffix(".txt") for name in connection.execute(wanted).scalars()}

    def learn(self, amended: bool) -> None:
        """What is made of the only document, to compare others with."""
        (document,) = self._documents()
        _READINGS[len(document.name), document.media_type == GRAPH, amended] = document, self._dump()

    def _documents(self) -> list[Document]:
        return self.services.library.documents.of_base(self.base_id)

    def _dump(self) -> list[str]:
        return canonical_dump(self.services.storage.engine, self.base_id).splitlines()

    def _ids(self, level: str) -> list[str]:
        return [
            each.chunk_id
            for batch in self.services.library.passages.index_entries(self.base_id, level)
            for each in batch
        ]

    def _not_in_words(self) -> Iterator[str]:
        for level in LEVELS:
            if ids := self._ids(level):
                found = self.services.search.lexical_index.documents_of(self.base_id, level, ids)
                if missing := len(ids) - len(found):
                    yield f"the words of {missing} {level} are missing"

    def _miscounted(self) -> Iterator[str]:
        if kept(self.services.storage.engine) != counted(self.services.storage.engine):
            yield "the mentions of entities are not counted right"
        of_this = documents.c.id
        passages = select(func.count()).where(chunks.c.document_id == of_this).scalar_subquery()
        named = select(func.count(distinct(mentions.c.entity_id))).where(mentions.c.document_id == of_this)
        wanted = select(documents.c.name, documents.c.chunks, passages, documents.c.entities, named.scalar_subquery())
        with reading(self.services.storage.engine) as connection:
            for name, *numbers in connection.execute(wanted.where(documents.c.ready_at.is_not(None))):
                if numbers[::2] != numbers[1::2]:
                    yield f"{name} counts {numbers[::2]} passages and entities, and has {numbers[1::2]}"

    def _unopened(self, ready: Container[str]) -> Iterator[str]:
        """Answers without a text, and those that cite what can no longer be shown."""
        answered = select(runs.c.id).where(runs.c.status == RunStatus.DONE)
        with reading(self.services.storage.engine) as connection:
            ids = connection.execute(answered).scalars().all()
        for run in map(self.services.runs.get, ids):
            cited = {each.chunk_id for each in run.citations if each.document_id in ready}
            if not run.answer or len(self.services.library.passages.get([*cited])) < len(cited):
                yield f"the answer to {run.question!r} cannot be shown whole"

    def _misread(self, ready: Sequence[Document]) -> Iterator[str]:
        """What differs from the sum of what was made of each document alone."""
        amended, wanted = self.amended(), []
        for each in ready:
            name = each.name.removesuffix(".txt")
            like, lines = _READINGS[len(each.name), each.media_type == GRAPH, name in amended]
            names = like.name.removesuffix(".txt"), name
            wanted += [line.replace(*names).replace(like.sha256, each.sha256) for line in lines]
        is_, should_be = _summed(self._dump()), _summed(wanted)
        yield from (f"{'too much' if line in is_ else 'missing'}: {line}" for line in sorted(is_ ^ should_be)[:3])

    def _misdrawn(self, names: set[str]) -> Iterator[str]:
        """Where the graph that is shown is not what the edits in force make of it."""
        log = [
            each.edit for each in reversed(self.services.graph_edits.log(self.base_id, MOST_EDITS)) if not each.undone
        ]
        texts = {kind: [edit.text for edit in log if edit.kind is kind] for kind in EditKind}
        gone = {edit.entities[-1].name for edit in log if edit.kind in (EditKind.MERGE, EditKind.DELETE)}
        shown = {each.id: each for each in self.services.graph.every(self.base_id)}
        net, place, reader = (entity_id(self.base_id, *each) for each in THINGS)
        gauges = {each.name for each in shown.values()} - {name for name, _ in THINGS}
        if gauges != {gauge(name)[0] for name in names} - gone:
            yield f"the graph shows {sorted(gauges)}"
        if {*shown[net].aliases} != {*texts[EditKind.ALIAS]}:
            yield f"{NET[0]} is also called {shown[net].aliases}"
        if shown[place].type != (texts[EditKind.RETYPE] or [PLACE[1]])[-1]:
            yield f"{PLACE[0]} is a {shown[place].type}"
        stated = self.services.graph.stated_relations(self.base_id)
        between = {each.relation for each in stated if (each.source_id, each.target_id) == (reader, place)}
        between.discard("at")  # of a gauge that was merged
        if between != {*texts[EditKind.STATE]}:
            yield f"{READER[0]} has relations {sorted(between)}"


def _summed(lines: Sequence[str]) -> set[str]:
    """Lines, with what several documents contribute to one entity in one.

    Stages without their numbers, which a short document that was interrupted may lose.
    """
    sums: dict[tuple[str, str], list[int]] = {}
    others = set()
    for line in lines:
        if not line.startswith(('["entities"', '["stages"')):
            others.add(line)
            continue
        table, fields = json.loads(line)
        if table == "stages":
            others.add(json.dumps([fields["document_id"], fields["stage"], fields["status"]]))
        else:
            total = sums.setdefault((fields["name"], fields["type"]), [0, 0])
            total[:] = total[0] + fields["mentions"], total[1] + fields["documents"]
    return others | {json.dumps([*entity, *numbers]) for entity, numbers in sums.items()}
