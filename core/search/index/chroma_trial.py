"""`python -m core.search.index.chroma_trial FOLDER`: reads every vector that Chroma keeps in the folder.

Chroma follows sizes and links in its files unchecked, so other bytes in them may end the process that reads them.
"""

import sys
from typing import Any

import chromadb
from chromadb.config import Settings

from core.search.index.chroma_index import BATCH

_QUERIES = 100
"""Searches a batch, which follow links between vectors."""


def main(folder: str) -> None:
    client = chromadb.PersistentClient(path=folder, settings=Settings(anonymized_telemetry=False))
    for collection in client.list_collections():
        for start in range(0, collection.count(), BATCH):
            found: Any = collection.get(limit=BATCH, offset=start, include=["embeddings"])
            collection.query(query_embeddings=found["embeddings"][:_QUERIES], n_results=1, include=[])


if __name__ == "__main__":
    main(sys.argv[1])
