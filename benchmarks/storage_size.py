"""`python -m benchmarks.storage_size [DOCUMENTS] [--folder KEPT] [--without-vectors] [--delete]`: a large base.

Documents of ten generated passages are published as the ingestion does it, but without reading any file and with
hashed vectors; a hundred thousand are a million passages. What is used of them is measured at every size on the way.
A kept folder is filled further by the next call, so that a long trial can be interrupted; --delete deletes the base
in the end.
"""

import statistics
import time
from argparse import ArgumentParser
from collections.abc import Callable, Iterator
from contextlib import ExitStack
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from benchmarks.generated_graph import name_of
from benchmarks.output import say
from core.app.services import Services
from core.documents.model import Chunk, DocumentOrder, Span
from core.documents.ports.publishing import NewDocument, Publication
from core.graph.model import Entity, Mention
from core.graph.naming import entity_id
from core.models.embedding.hashed import HashedEmbedder
from core.platform.ids import content_id, document_id
from core.platform.processes.process_tuning import resident_megabytes
from core.platform.settings.settings import Settings
from core.search.ports import IndexEntry

DOCUMENTS = 1_000
SIZES = (300, 1_000, 3_000, 10_000, 30_000, 100_000)
"""Documents at which the base is used and measured."""
PASSAGES = 10
"""Of a document."""
WORDS = 30
"""Of a passage, of a vocabulary in which few words are frequent."""
VOCABULARY = 30_000
REPEATED = 12
ALONE = 12
"""Documents before each size that are published one by one and timed; the others come in groups."""
TOGETHER = 200
"""Documents whose rows, words and vectors are written at once."""


def main(data: Path, number: int = DOCUMENTS) -> None:
    del data
    with TemporaryDirectory() as folder:
        _measured(Path(folder), number, with_vectors=True, delete=True)


def _measured(folder: Path, number: int, with_vectors: bool, delete: bool) -> None:
    settings = Settings().model_copy(update={"data": folder, "database_url": "", "chroma_url": ""})
    with Services(settings) as services:
        services.models.parts["embedder"] = (settings, HashedEmbedder())
        base = services.library.bases.named("Large") or services.library.bases.create("Large")
        sizes = sorted({number, *(size for size in SIZES if size < number)})
        for size in sizes:
            there = sum(services.library.documents.counts(base.id).values())
            if there > size:
                continue
            say(f"\n{size:,} documents, {size * PASSAGES:,} passages\n\n| | milliseconds of processor |\n|---|---|\n")
            parts = [_filled(services, base.id, there, size), _used(services, base.id)]
            if with_vectors:
                parts[1:1] = [_with_vectors(services, base.id), _searched_by_vectors(services, base.id)]
            for part in parts:
                _tell(part)
            used = sum(each.stat().st_size for each in folder.rglob("*") if each.is_file())
            say(f"| resident, MB | {resident_megabytes():,.0f} |\n| on disk, MB | {used / 1e6:,.0f} |\n")
        if delete:
            _tell(_deleted(services, base.id))


def _filled(services: Services, base_id: str, there: int, size: int) -> Iterator[tuple[str, float]]:
    """Documents up to the size, named by their number: the same whether or not the trial was interrupted."""
    publications, words = services.library.publications, services.search.lexical_index
    alone = max(there, size - ALONE)
    at, grouped, indexed, published = there, 0.0, 0.0, list[float]()
    while at < size:
        group = [_document(base_id, each) for each in range(at, min(at + TOGETHER, alone) if at < alone else size)]
        if at < alone:
            grouped += _taken(partial(publications.publish_new, group))
        else:
            for new, made in group:
                services.library.documents.add(base_id, new.name, new.sha256, new.size, new.media_type)
                published.append(_taken(partial(publications.publish, made)))
        entries = [
            IndexEntry(chunk.id, made.document_id, made.title, "", chunk.text)
            for _, made in group
            for chunk in made.chunks
        ]
        indexed += _taken(partial(words.upsert, base_id, "chunks", entries))
        at += len(group)
    if published:
        yield "publication of a document", statistics.median(published)
    if alone > there:
        yield "publication of a document among others", grouped / (alone - there)
        yield "words of a document", indexed / (size - there)


def _document(base_id: str, at: int) -> tuple[NewDocument, Publication]:
    name, chance = f"Report {at}.md", np.random.default_rng([7, at])
    digest = sha256(name.encode()).hexdigest()
    new = NewDocument(base_id, name, digest, 1, "text/markdown")
    id = document_id(base_id, digest)
    people = [Entity(entity_id(base_id, it, "PERSON"), base_id, it, "PERSON") for it in _names(at, chance)]
    chunks, mentions = [], []
    for index in range(PASSAGES):
        person = people[index % len(people)]
        words = " ".join(f"w{word}" for word in np.minimum(chance.zipf(1.3, WORDS), VOCABULARY))
        text = f"{person.name} reported on part {index} of {name}: {words}."
        chunk_id = content_id(id, str(index))
        chunks.append(Chunk(chunk_id, id, index, text, (), (Span(0, len(text), index, index, None),)))
        for each in (person, people[(index + 1) % len(people)]):
            mention_id = content_id(chunk_id, each.id)
            mentions.append(Mention(mention_id, each.id, id, chunk_id, index, 0, len(person.name), person.name, 0.9))
    return new, Publication(
        id, name, "en", "bench", PASSAGES, (), (), tuple(chunks), (), tuple(people), tuple(mentions)
    )


def _names(at: int, chance: np.random.Generator) -> list[str]:
    """Of the entities of a document: about half as many in all as there are documents so far."""
    drawn = dict.fromkeys(int(each) for each in chance.integers(0, max(6, at // 2), 6))
    return [name_of(each) for each in drawn]


def _with_vectors(services: Services, base_id: str) -> Iterator[tuple[str, float]]:
    """As the ingestion makes them in the background: of whatever lacks them."""
    index = services.search.chunk_index
    took, entries = 0.0, 0
    while True:
        began = time.process_time()
        level, waiting = index.pending(base_id, TOGETHER * PASSAGES)
        if not waiting:
            break
        index.upsert(base_id, level, waiting)
        took, entries = took + 1000 * (time.process_time() - began), entries + len(waiting)
    if entries:
        yield "vectors of a document, hashing included", took * PASSAGES / entries


def _searched_by_vectors(services: Services, base_id: str) -> Iterator[tuple[str, float]]:
    search, query = services.search, _query()
    yield "search by vectors", _median(lambda: search.chunk_index.search(base_id, "chunks", query, 10))
    yield "search by both, names and ranking", _median(lambda: search.retriever.chunks(base_id, query, 10))


def _query() -> str:
    return f"{name_of(1)} reported w77 w1234"


def _used(services: Services, base_id: str) -> Iterator[tuple[str, float]]:
    search, graph, documents = services.search, services.storage.graph, services.library.documents
    yield "search by words", _median(lambda: search.lexical_index.search(base_id, "chunks", _query(), 10))
    yield "first fifty of the list of documents", _median(lambda: documents.find(base_id, limit=50))
    yield "numbers of the graph", _median(lambda: graph.stats(base_id))
    (known, *_) = graph.search(base_id, name_of(1), 1)
    yield "an entity by name", _median(lambda: graph.search(base_id, name_of(1), 10))
    yield "its neighbourhood, drawn", _median(lambda: graph.view(base_id, [known.id], 1, 60))
    yield "the graph at large, drawn", _median(lambda: graph.view(base_id, [], 1, 150))
    gone = [each.id for each in documents.find(base_id, order=DocumentOrder.NEWEST, limit=REPEATED)]
    yield "deletion of a document", _median(lambda: services.lifecycle.remove_document(gone.pop()))


def _deleted(services: Services, base_id: str) -> Iterator[tuple[str, float]]:
    began = time.monotonic()
    yield "deletion of the base", _taken(lambda: services.lifecycle.base_removal.remove(base_id))
    yield "deletion of the base, by the clock", 1000 * (time.monotonic() - began)


def _median(call: Callable[[], object]) -> float:
    """The first call, which loads what is kept, is left out."""
    return statistics.median([_taken(call) for _ in range(REPEATED)][1:])


def _taken(call: Callable[[], object]) -> float:
    began = time.process_time()
    call()
    return 1000 * (time.process_time() - began)


def _tell(rows: Iterator[tuple[str, float]]) -> None:
    for name, milliseconds in rows:
        say(f"| {name} | {milliseconds:,.1f} |\n")


def _asked() -> None:
    parser = ArgumentParser()
    parser.add_argument("documents", type=int, nargs="?", default=DOCUMENTS)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--without-vectors", action="store_true")
    parser.add_argument("--delete", action="store_true")
    wanted = parser.parse_args()
    with ExitStack() as stack:
        folder = wanted.folder or Path(stack.enter_context(TemporaryDirectory()))
        _measured(folder, wanted.documents, not wanted.without_vectors, wanted.delete)


if __name__ == "__main__":
    _asked()
