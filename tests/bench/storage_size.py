"""`python -m tests.bench storage_size`, or `python -m tests.bench.storage_size DOCUMENTS`: a large base in the stores.

Documents of ten generated passages are published one after the other, as the ingestion does it, but without reading
any file and with hashed vectors. A thousand of them; a hundred thousand are a million passages.
"""

import statistics
import sys
import time
from collections.abc import Callable, Iterator
from functools import partial
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from core.adapters.embedding.hashed import HashedEmbedder
from core.bootstrap.services import Services
from core.domain.documents import Chunk, Span
from core.domain.ids import content_id, entity_id
from core.domain.knowledge import Entity, Mention
from core.ports.publishing import Publication
from core.ports.search import IndexEntry
from core.resident_memory import resident_megabytes
from core.settings.settings import Settings
from tests.bench.generated_graph import name_of

DOCUMENTS = 1_000
PASSAGES = 10
"""Of a document."""
WORDS = 30
"""Of a passage, of a vocabulary in which few words are frequent."""
VOCABULARY = 30_000
REPEATED = 12
TOGETHER = 200
"""Documents whose words and vectors are indexed at once."""


def main(data: Path, number: int = DOCUMENTS) -> None:
    del data
    with TemporaryDirectory() as folder:
        settings = Settings().model_copy(update={"data": Path(folder), "database_url": "", "chroma_url": ""})
        with Services(settings) as services:
            services.models.parts["embedder"] = (settings, HashedEmbedder())
            base_id = services.library.bases.create("Large").id
            _say(f"{number:,} documents, {number * PASSAGES:,} passages\n\n")
            _say("| | milliseconds of processor |\n|---|---|\n")
            ids: list[str] = []
            for name, milliseconds in (*_filled(services, base_id, number, ids), *_used(services, base_id, ids)):
                _say(f"| {name} | {milliseconds:,.1f} |\n")
            size = sum(each.stat().st_size for each in Path(folder).rglob("*") if each.is_file())
            _say(f"| resident, MB | {resident_megabytes():,.0f} |\n| on disk, MB | {size / 1e6:,.0f} |\n")


def _filled(services: Services, base_id: str, number: int, ids: list[str]) -> Iterator[tuple[str, float]]:
    """Publishes them; what the first and the last tenth took."""
    chance, published, indexed, vectors = np.random.default_rng(7), list[float](), 0.0, 0.0
    waiting: list[IndexEntry] = []
    for at in range(number):
        made = _document(services, base_id, at, number, chance)
        published.append(_taken(partial(services.library.publications.publish, made)))
        ids.append(made.document_id)
        waiting += [IndexEntry(chunk.id, made.document_id, made.title, "", chunk.text) for chunk in made.chunks]
        if len(waiting) >= TOGETHER * PASSAGES or at == number - 1:
            indexed += _taken(partial(services.search.lexical_index.upsert, base_id, "chunks", waiting))
            vectors += _taken(partial(services.search.chunk_index.upsert, base_id, "chunks", waiting))
            waiting.clear()
    tenth = max(1, number // 10)
    yield "publication of a document, first tenth", statistics.median(published[:tenth])
    yield "publication of a document, last tenth", statistics.median(published[-tenth:])
    yield "words of a document", indexed / number
    yield "vectors of a document, hashing included", vectors / number


def _document(services: Services, base_id: str, at: int, number: int, chance: np.random.Generator) -> Publication:
    name = f"Report {at}.md"
    digest = sha256(name.encode()).hexdigest()
    id = services.library.documents.add(base_id, name, digest, 1, "text/markdown")[0].id
    people = [Entity(entity_id(base_id, it, "PERSON"), base_id, it, "PERSON") for it in _names(number, chance)]
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
    return Publication(id, name, "en", "bench", PASSAGES, (), (), tuple(chunks), (), tuple(people), tuple(mentions))


def _names(number: int, chance: np.random.Generator) -> list[str]:
    """Of the entities of a document: half as many in all as there are documents."""
    drawn = dict.fromkeys(int(each) for each in chance.integers(0, max(6, number // 2), 6))
    return [name_of(each) for each in drawn]


def _used(services: Services, base_id: str, ids: list[str]) -> Iterator[tuple[str, float]]:
    search, graph, documents = services.search, services.storage.graph, services.library.documents
    query = f"{name_of(1)} reported w77 w1234"
    yield "search by words", _median(lambda: search.lexical_index.search(base_id, "chunks", query, 10))
    yield "search by vectors", _median(lambda: search.chunk_index.search(base_id, "chunks", query, 10))
    yield "search by both, names and ranking", _median(lambda: search.retriever.chunks(base_id, query, 10))
    yield "first fifty of the list of documents", _median(lambda: documents.find(base_id, limit=50))
    yield "numbers of the graph", _median(lambda: graph.stats(base_id))
    (known, *_) = graph.search(base_id, name_of(1), 1)
    yield "an entity by name", _median(lambda: graph.search(base_id, name_of(1), 10))
    yield "its neighbourhood, drawn", _median(lambda: graph.view(base_id, [known.id], 1, 60))
    yield "the graph at large, drawn", _median(lambda: graph.view(base_id, [], 1, 150))
    yield "deletion of a document", _median(lambda: services.lifecycle.remove_document(ids.pop()))
    yield "deletion of the base", _taken(lambda: services.lifecycle.base_removal.remove(base_id))


def _median(call: Callable[[], object]) -> float:
    """The first call, which loads what is kept, is left out."""
    return statistics.median([_taken(call) for _ in range(REPEATED)][1:])


def _taken(call: Callable[[], object]) -> float:
    began = time.process_time()
    call()
    return 1000 * (time.process_time() - began)


def _say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


if __name__ == "__main__":
    main(Path(), int(sys.argv[1]) if len(sys.argv) > 1 else DOCUMENTS)
