"""People on an installation of several processes: Postgres, and files in one store that all of them share."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from starlette.testclient import TestClient

from core.app.services import Services
from core.interfaces.http.app import make_app
from core.models.embedding.encoder import sentence_encoder
from core.people.api_keys import KeyScope
from core.platform.clock import utc_now
from core.platform.errors import ForbiddenError
from core.platform.identity import Person, Role, acting_as
from core.platform.settings.settings import load_settings
from tests.loopback.object_store import ObjectStoreServer
from tests.processes.installation import environment_of
from tests.store.databases import empty_postgres
from tests.store.samples import publish

ADA, BOB = Person("ada", "Ada"), Person("bob", "Bob")
SECRET = b"Zanzibar was reached by Google in 2018."
API = "/api/v1"


@pytest.fixture(params=["folder", "object store"])
def apps(
    request: pytest.FixtureRequest, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[tuple[Services, Services]]:
    (tmp_path / "shared").mkdir()
    monkeypatch.setattr(sentence_encoder, "is_installed", lambda: False)
    with ObjectStoreServer() as store:
        settings = environment_of(empty_postgres("people_and_files"), "http://127.0.0.1:1", store.url, 30)
        if request.param == "folder":
            settings["FILES_URL"] = f"file://{tmp_path}/shared"
        for name, value in settings.items():
            monkeypatch.setenv(name, value)
        one, other = (Services(load_settings(tmp_path / name), shared=True) for name in ("app-1", "app-2"))
        with one, other:
            yield one, other


def client_of(app: Services, secret: str) -> TestClient:
    headers = {"Authorization": f"Bearer {secret}"}
    return TestClient(make_app(lambda: app), "http://localhost", headers=headers, raise_server_exceptions=False)


def stored(app: Services) -> dict[str, bytes | None]:
    blobs = app.storage.blobs
    assert blobs
    return {name: blobs.get(name) for place in ("files/", "trash/", "versions/") for name in blobs.names(place)}


def test_files_exports_and_keys_are_apart_on_every_process(apps: tuple[Services, Services]) -> None:
    one, other = apps
    keys = {}
    for person in (ADA, BOB):
        one.storage.access.people.enter(person, utc_now())
        with acting_as(person):
            keys[person] = one.storage.access.api_keys.make("key", KeyScope.ADMIN)
    ada, bob = client_of(one, keys[ADA][1]), client_of(other, keys[BOB][1])
    base = ada.post(f"{API}/bases", json={"name": "Reports"}).json()["id"]
    file = {"file": ("secret.md", SECRET)}
    hers = ada.post(f"{API}/bases/{base}/documents", files=file).json()["id"]
    with acting_as(ADA):
        publish(one.library, one.library.bases.get(base), "graph.pdf", SECRET.decode())
    closed = (
        f"documents/{hers}/file",
        f"documents/{hers}",
        f"bases/{base}/graph/files/nodes",
        f"bases/{base}/documents/deleted",
    )
    assert {bob.get(f"{API}/{path}").status_code for path in closed} == {404}
    own = bob.post(f"{API}/bases", json={"name": "Reports"}).json()["id"]
    his = bob.post(f"{API}/bases/{own}/documents", files=file).json()
    assert his["is_new"], "the same bytes of somebody else are not told of"
    with acting_as(BOB):
        removal, document = other.lifecycle.removal, other.library.documents.get(his["id"])
        removal.archive(document)
        other.library.documents.delete(document.id)
        removal.forget([document.id])  # for good, but for the file, which is hers as well
    before = stored(one)
    assert SECRET in before.values()
    with acting_as(ADA):
        one.storage.access.shares.share(base, BOB.id, Role.READER)
    assert bob.get(f"{API}/documents/{hers}/file").content == SECRET
    assert b"Google" in bob.get(f"{API}/bases/{base}/graph/files/nodes").content
    assert bob.delete(f"{API}/documents/{hers}").status_code == 403
    assert bob.post(f"{API}/bases/{base}/documents", files={"file": ("x.md", b"x")}).status_code == 403
    with acting_as(BOB), pytest.raises(ForbiddenError):
        other.lifecycle.reparse.begin(hers, "")
    assert stored(one) == before
    with acting_as(ADA):
        one.storage.access.shares.withdraw(base, BOB.id)
        assert bob.get(f"{API}/documents/{hers}/file").status_code == 404
        one.storage.access.api_keys.revoke(keys[ADA][0].id)
    assert client_of(other, keys[ADA][1]).get(f"{API}/bases").status_code == 401
