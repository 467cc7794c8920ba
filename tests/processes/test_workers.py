"""Several workers with data folders of their own, on one Postgres, one Chroma server and one object store.

One is killed while it works, and so is Chroma, and all connections to Postgres break: the others finish, and what
comes out is what an undisturbed desk makes of the documents.
"""

from collections.abc import Iterator, Mapping
from contextlib import suppress
from pathlib import Path

import pytest
from sqlalchemy import delete, text

from core.app.ingestion_process import stage_deps
from core.app.services import Services
from core.documents.model import KnowledgeBase, Stage
from core.documents.pipeline.artefacts import QUICK_BYTES
from core.documents.pipeline.pipeline import Pipeline
from core.interfaces.cli.main import main
from core.platform.errors import ConfigurationError
from core.platform.settings.preferences import TERMS_FILE
from core.platform.settings.settings import load_settings
from core.platform.sql.engine import reading, writing
from core.platform.sql.installation_tables import process_leases
from tests.canonical_dump import canonical_dump
from tests.loopback.object_store import ObjectStoreServer
from tests.processes.installation import (
    KEY,
    Installation,
    all_ended,
    chroma_server,
    environment_of,
    own_postgres,
    suspended,
    texts,
    wait_for,
)
from tests.store.databases import empty_postgres

_FILES = {name: data + b"\n" * QUICK_BYTES for name, data in texts(6).items()}
"""Padded, because shorter ones would be read together and be ready at the same moment."""


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Installation]:
    (tmp_path / "vectors").mkdir()
    with ObjectStoreServer() as store, chroma_server(tmp_path / "vectors") as chroma:
        environment = environment_of(own_postgres(), chroma.url, store.url, lease_seconds=6)
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        made = Installation(tmp_path, environment, chroma=chroma)
        try:
            yield made
        finally:
            made.stop()


def undisturbed(folder: Path, monkeypatch: pytest.MonkeyPatch, files: Mapping[str, bytes]) -> str:
    """What one desk makes of the documents."""
    with monkeypatch.context() as desk:
        for name in ("DATABASE_URL", "CHROMA_URL", "FILES_URL"):
            desk.delenv(name)
        with Services(load_settings(folder)) as services:
            base = services.library.bases.create("Reports")
            pipeline = Pipeline(stage_deps(services), folder / "work")
            for document in added(services, base, files):
                assert pipeline.run(document)
            return canonical_dump(services.storage.engine, base.id)


def added(services: Services, base: KnowledgeBase, files: Mapping[str, bytes]) -> list[str]:
    return [services.lifecycle.intake.add(base.id, name, data)[0].id for name, data in files.items()]


def break_connections(services: Services) -> None:
    """Those of every process to its database, as when Postgres is restarted."""
    others = "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
    with reading(services.storage.engine) as connection:
        connection.execute(text(f"{others} WHERE datname = current_database() AND pid <> pg_backend_pid()"))


def forget_workers(services: Services) -> None:
    """As if they had been taken for dead before, and had taken documents since."""
    with writing(services.storage.engine) as connection:
        connection.execute(delete(process_leases).where(process_leases.c.kind == "worker"))


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_the_work_of_a_killed_worker_is_done_by_another_and_seen_everywhere(
    installation: Installation, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    expected = undisturbed(tmp_path / "desk", monkeypatch, _FILES)
    with installation.services("app-1") as one, installation.services("app-2") as other:
        base = one.library.bases.create("Reports")
        assert one.ingestion.fault
        assert "graphtalk worker" in str(one.ingestion.fault)
        installation.start(1)
        added(one, base, _FILES)
        wait_for(lambda: any(each.ready_at for each in one.library.documents.of_base(base.id)))
        installation.kill(1)
        assert not all_ended(one, base.id)
        forget_workers(one)
        installation.start(2)
        assert installation.chroma
        installation.chroma.kill()
        break_connections(one)
        installation.chroma.start()
        wait_for(lambda: all_ended(other, base.id))
        wait_for(lambda: other.ingestion.fault is None)
        wait_for(lambda: canonical_dump(other.storage.engine, base.id) == expected)  # stages are noted a moment later
        wait_for(lambda: one.search.chunk_index.progress(base.id).is_complete)
        hits = [app.search.retriever.chunks(base.id, "Who founded station 3?", 5) for app in (one, other)]
        assert hits[0]
        assert [hit.chunk_id for hit in hits[0]] == [hit.chunk_id for hit in hits[1]]
        (document, *_) = other.library.documents.of_base(base.id)
        assert other.storage.files.path(document.sha256).read_bytes().startswith(b"# Report")
        other.lifecycle.remove_document(document.id)
        assert one.lifecycle.removal.restore(document.id).name == document.name
        assert one.search.words.lag() == {base.id: 2}
        one.search.words.catch_up(base.id, 30.0)
        assert one.search.words.lag() == {base.id: 0}


@pytest.mark.slow
@pytest.mark.timeout(400)
def test_a_worker_that_slept_for_longer_than_its_lease_changes_nothing_that_another_did(
    installation: Installation, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    installation.environment = {**installation.environment, "LEASE_SECONDS": "2"}
    files = {f"long-{number}.md": b"\n".join(texts(150 + number).values()) for number in range(2)}
    expected = undisturbed(tmp_path / "desk", monkeypatch, files)
    work = tmp_path / "machine-1" / "work"
    with installation.services("app") as app:
        base = app.library.bases.create("Reports")
        installation.start(1)
        added(app, base, files)
        wait_for(lambda: is_extracting(work))
        with suspended(installation.workers[1]):
            installation.start(2)
            wait_for(lambda: all_ended(app, base.id))
            wait_for(lambda: canonical_dump(app.storage.engine, base.id) == expected)
        assert installation.workers.pop(1).wait(60), "it has lost its lease and starts anew"
        assert canonical_dump(app.storage.engine, base.id) == expected
        assert app.library.bases.get(base.id).index_version == len(files), "each was published once"
        assert app.storage.blobs
        assert not app.storage.blobs.names("work/"), "results are kept that nobody needs"


def is_extracting(work: Path) -> bool:
    """Whether the worker with this folder looks for entities."""
    for note in work.glob("*.stage"):
        with suppress(FileNotFoundError):
            if note.read_text().startswith(Stage.EXTRACT):
                return True
    return False


def test_one_folder_becomes_an_installation_of_several_with_its_files_and_its_trash(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("DATABASE_URL", empty_postgres("taken"))
    with Services(load_settings(tmp_path / "desk")) as desk:
        base = desk.library.bases.create("Reports")
        kept, gone = (desk.lifecycle.intake.add(base.id, f"{name}.md", name.encode())[0] for name in ("kept", "gone"))
        desk.lifecycle.remove_document(gone.id)
        desk.configuration.keep({"LLM_MODEL": "large", TERMS_FILE: "project heron\n"})
    (tmp_path / "shared").mkdir()
    monkeypatch.setenv("SETTINGS_KEY", KEY)
    monkeypatch.setenv("FILES_URL", f"file://{tmp_path}/shared")
    monkeypatch.setenv("CHROMA_URL", "http://127.0.0.1:1")
    with pytest.raises(ConfigurationError, match="take-over"):
        Services(load_settings(tmp_path / "app"))
    assert main(["--data", str(tmp_path / "desk"), "take-over"]) == 0
    with Services(load_settings(tmp_path / "app")) as app:
        assert app.storage.files.path(kept.sha256).read_bytes() == b"kept"
        assert (app.settings.llm_model, app.settings.sensitive_terms) == ("large", ("project heron",))
        assert [each.document.id for each in app.lifecycle.removal.deleted(base.id)] == [gone.id]
        assert app.lifecycle.removal.restore(gone.id).name == "gone.md"
        assert app.storage.files.path(gone.sha256).read_bytes() == b"gone"
    assert not list((tmp_path / "shared" / "trash").glob("*"))


def test_an_installation_that_would_lose_work_is_refused_with_what_is_missing(
    data_folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("FILES_URL", f"file://{data_folder}/shared")
    for name, value in (("DATABASE_URL", ""), ("CHROMA_URL", "http://127.0.0.1:1")):
        monkeypatch.setenv(name, value)
        with pytest.raises(ConfigurationError, match="DATABASE_URL must be Postgres"):
            Services(load_settings())
