"""A graph from files is imported whole or not at all."""

import json
from pathlib import Path

import pytest
from sqlalchemy import Connection, func, select

from core.app.services import Services
from core.platform.settings.settings import load_settings
from core.platform.sql.schema import mentions

NODES = json.dumps(
    [
        {
            "id": f"n{number}",
            "name": f"Harbour {number}",
            "type": "LOCATION",
            "source_doc": f"{number % 3}.pdf",
            "page": 0,
        }
        for number in range(9)
    ]
).encode()


def _state(services: Services, base_id: str) -> tuple[list[str], int]:
    documents = services.library.documents.of_base(base_id)
    return [f"{document.name} {document.status}" for document in documents], services.graph.stats(base_id).entities


def test_an_import_that_is_interrupted_leaves_nothing_and_is_repeated(
    data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    written: list[int] = []

    def dying(connection: Connection, *_: object) -> None:
        written.append(connection.execute(select(func.count()).select_from(mentions)).scalar_one())
        raise KeyboardInterrupt

    with Services(load_settings()) as services:
        base = services.library.bases.create("Ports")
        with monkeypatch.context() as patch:
            patch.setattr("core.documents.store.publishing.note_changes", dying)
            with pytest.raises(KeyboardInterrupt):
                services.lifecycle.graph_import.take(base.id, NODES, b"[]")
        assert written == [9]
        assert _state(services, base.id) == ([], 0)
        taken = services.lifecycle.graph_import.take(base.id, NODES, b"[]")
        assert (taken.nodes, taken.documents) == (9, 3)
        once = _state(services, base.id)
        assert once == ([f"{number}.pdf ready" for number in range(3)], 9)
        services.lifecycle.graph_import.take(base.id, NODES, b"[]")
        assert _state(services, base.id) == once
        assert services.search.lexical_index.count(base.id, "chunks") == 3
