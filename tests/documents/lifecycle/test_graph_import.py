"""A graph from files is imported whole or not at all."""

import json
from pathlib import Path

import pytest
from sqlalchemy import Connection, func, select

from core.app.services import Services
from core.platform.settings.settings import load_settings
from core.platform.sql.schema import mentions
from core.runs.events import AnswerReady
from core.runs.model import AnswerOutcome, RunRequest

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


def _answer(services: Services, base_id: str, question: str) -> tuple[str, str]:
    """The outcome and the text."""
    run_id = services.worker.start(RunRequest(question, base_id))
    *_, last = [event for _, event in services.worker.follow(run_id) if isinstance(event, AnswerReady)]
    return services.runs.get(run_id).outcome, last.text


def test_the_names_of_a_type_are_listed_from_what_was_imported_and_the_lack_of_any_is_said(
    data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("core.models.embedding.encoder.sentence_encoder.is_installed", lambda: False)  # slow to load
    people = NODES.replace(b"LOCATION", b"PERSON").replace(b"Harbour", b"Master")
    with Services(load_settings()) as services:
        base, none = services.library.bases.create("Ports").id, services.library.bases.create("Masters").id
        services.lifecycle.graph_import.take(base, NODES.replace(b"LOCATION", b"ORGANIZATION"), b"[]")
        services.lifecycle.graph_import.take(none, people, b"[]")
        outcome, answer = _answer(services, base, "Which organizations are mentioned?")
        assert outcome == AnswerOutcome.ANSWERED
        assert answer.startswith("Your 3 documents name 9 organizations")
        assert all(f"- Harbour {number}, mentioned once [" in answer for number in range(9))
        outcome, answer = _answer(services, none, "Which organizations are mentioned?")
        assert outcome == AnswerOutcome.NOT_FOUND
        assert answer.startswith("Your 3 documents name no organizations that the graph knows.")
        assert "Master 1" not in answer
        outcome, answer = _answer(services, none, "文档中提到了哪些机构？")
        assert answer.startswith("据图谱所知，您的 3 个文档提到的机构有 0 个。")
        _, answer = _answer(services, none, "Which organizations are mentioned in 1.pdf?")
        assert answer.startswith("“1.pdf” names no organizations that the graph knows.")
