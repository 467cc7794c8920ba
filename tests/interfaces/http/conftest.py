"""One app over real services with hashed vectors, for all tests of a module; keys of every scope."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
import uvicorn
from fastapi import FastAPI
from starlette.testclient import TestClient

from core.app.services import Services
from core.documents.model import Document, KnowledgeBase
from core.interfaces.http.app import make_app
from core.models.embedding.encoder import sentence_encoder
from core.people.api_keys import KeyScope
from core.platform.settings.settings import load_settings
from tests.store.samples import publish

TEXT = "BERT was described by Google in 2018. Ada Lovelace worked in London on the Analytical Engine."
PAGES = (TEXT, "The Transformer replaced recurrence by attention. BERT builds on the Transformer.")


@pytest.fixture(scope="module")
def services(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Services]:
    patch = pytest.MonkeyPatch()
    patch.setattr(sentence_encoder, "is_installed", lambda: False)
    folder: Path = tmp_path_factory.mktemp("api") / "data"
    patch.setenv("GRAPHTALK_DATA", str(folder))
    patch.setenv("API_REQUESTS_PER_MINUTE", "100000")
    with Services(load_settings(folder)) as opened:
        yield opened
    patch.undo()


@pytest.fixture(scope="module")
def base(services: Services) -> KnowledgeBase:
    return services.library.bases.create("Papers")


@pytest.fixture(scope="module")
def document(services: Services, base: KnowledgeBase) -> Document:
    made = publish(services.library, base, "models.pdf", *PAGES)
    services.search.rebuild(base.id)
    return made


@pytest.fixture(scope="module")
def app(services: Services) -> FastAPI:
    return make_app(lambda: services)


@pytest.fixture(scope="module")
def secrets(services: Services) -> dict[KeyScope, str]:
    return {scope: services.storage.access.api_keys.make(f"for {scope}", scope)[1] for scope in KeyScope}


Client = Callable[[KeyScope], TestClient]


@pytest.fixture(scope="module")
def client_of(app: FastAPI, secrets: dict[KeyScope, str]) -> Client:
    def made(scope: KeyScope) -> TestClient:
        headers = {"Authorization": f"Bearer {secrets[scope]}"}
        return TestClient(app, "http://localhost", headers=headers, raise_server_exceptions=False)

    return made


@pytest.fixture
def admin(client_of: Client, document: Document) -> TestClient:
    return client_of(KeyScope.ADMIN)


@pytest.fixture(scope="module")
def server(app: FastAPI, document: Document) -> Iterator[str]:
    """The address of the app behind a real server, for clients that bring a transport of their own."""
    running = uvicorn.Server(uvicorn.Config(app, "127.0.0.1", 0, log_level="warning", lifespan="on"))
    thread = threading.Thread(target=running.run)
    thread.start()
    until = time.monotonic() + 30
    while not running.started and time.monotonic() < until:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}"
    running.should_exit = True
    thread.join(30)
    assert not thread.is_alive()
