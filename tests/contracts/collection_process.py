"""A process that reads or writes a collection, because damaged files may end it: `... FOLDER STEP`; prints JSON."""

import json
import sys
from pathlib import Path

from core.models.embedding.hashed import HashedEmbedder
from core.platform.errors import ServiceError
from core.search.index.chroma_index import ChromaIndex
from core.search.ports import IndexEntry, MadeVectors
from tests.contracts.test_collection_states import MeaningfulEmbedder
from tests.fakes.indexes import FakeVectorStore

COUNT = 2_100
ENTRIES = [IndexEntry(f"c{n}", f"d{n}", "", "", f"word{n} text{n * 7}") for n in range(COUNT)]
READERS = {"by the graph": HashedEmbedder, "in a file": MeaningfulEmbedder}
Answers = dict[str, float]


def index_of(folder: Path, embedder: HashedEmbedder) -> ChromaIndex:
    """The index, with a store that knows of all entries."""
    store = FakeVectorStore()
    store.keep("chunks", embedder.name, [MadeVectors(entry, b"", False) for entry in ENTRIES])
    return ChromaIndex(folder, embedder, store)


def answers(index: ChromaIndex) -> Answers | str:
    """Scores of what is found, after the entries are counted, as before every first search; or the error."""
    few = [f"d{n}" for n in range(0, COUNT, COUNT // 5)]
    try:
        found: Answers = {"entries": index.count("base", "chunks")}
        for entry in ENTRIES[:: COUNT // 14]:
            for name, documents in (("all", ()), ("few", few), ("one", [entry.document_id])):
                hits = index.search("base", "chunks", entry.text, 1, documents)
                found |= {f"{entry.text} in {name}: {id}": score for id, score in hits}
    except ServiceError as error:
        return str(error)
    return found


def differing(index: ChromaIndex) -> int | str:
    """How many entries differ from their texts, or the error."""
    try:
        return len(index.differing("base", "chunks", ENTRIES))
    except ServiceError as error:
        return str(error)


def main(folder: Path, step: str) -> None:
    index = index_of(folder, MeaningfulEmbedder())
    if step == "rebuild":
        index.delete_base("base")
        index.upsert("base", "chunks", ENTRIES)
    found = {name: index_of(folder, make()) for name, make in READERS.items()}
    ask = differing if step == "compare" else answers
    json.dump({name: ask(index) for name, index in found.items()}, sys.stdout)


if __name__ == "__main__":
    main(Path(sys.argv[1]), sys.argv[2])
