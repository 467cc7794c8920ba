"""What is polled is sent again only when it has changed."""

import pytest
from starlette.testclient import TestClient

from core.app.services import Services
from core.documents.model import Document, KnowledgeBase
from core.people.api_keys import KeyScope
from tests.interfaces.http.conftest import Client

POLLED = (
    "/api/v1/bases",
    "/api/v1/bases/{base}/documents",
    "/api/v1/documents/{document}",
    "/api/v1/bases/{base}/graph",
    "/api/v1/bases/{base}/graph/entities",
    "/api/v1/bases/{base}/graph/edits",
    "/api/v1/runs",
    "/api/v1/threads",
    "/api/v1/memories",
    "/api/v1/question-lists",
)


@pytest.mark.parametrize("path", POLLED)
def test_an_unchanged_list_is_not_sent_again(
    admin: TestClient, base: KnowledgeBase, document: Document, path: str
) -> None:
    place = path.format(base=base.id, document=document.id)
    first = admin.get(place)
    tag = first.headers["ETag"]
    for known in (tag, tag.removeprefix("W/"), f'"other", {tag}', "*"):
        again = admin.get(place, headers={"If-None-Match": known})
        assert (again.status_code, again.content, again.headers["ETag"]) == (304, b"", tag)
    other = admin.get(place, headers={"If-None-Match": 'W/"other"'})
    assert (other.status_code, other.json()) == (200, first.json())
    documented = admin.get("/api/v1/openapi.json").json()["paths"]
    named = path.replace("{base}", "{base_id}").replace("{document}", "{document_id}")
    assert "304" in documented[named]["get"]["responses"]


def test_a_changed_list_has_another_tag(admin: TestClient) -> None:
    tag = admin.get("/api/v1/memories").headers["ETag"]
    admin.post("/api/v1/memories", json={"text": "The reader works in the harbour."})
    changed = admin.get("/api/v1/memories", headers={"If-None-Match": tag})
    assert changed.status_code == 200
    assert changed.headers["ETag"] != tag


def test_a_tag_opens_nothing_and_refusals_and_streams_have_none(
    admin: TestClient, client_of: Client, base: KnowledgeBase, services: Services
) -> None:
    place = f"/api/v1/bases/{base.id}"
    tag = admin.get(place).headers["ETag"]
    stranger = client_of(KeyScope.READ)
    stranger.headers.pop("Authorization")
    assert stranger.get(place, headers={"If-None-Match": tag}).status_code == 401
    missing = admin.get("/api/v1/bases/nowhere", headers={"If-None-Match": "*"})
    assert (missing.status_code, missing.headers.get("ETag")) == (404, None)
    assert "ETag" not in admin.get("/api/v1/metrics").headers
    run = admin.post("/api/v1/ask", json={"question": "What did Google describe?", "base": base.id}).json()["run_id"]
    events = admin.get(f"/api/v1/runs/{run}/events", headers={"Accept": "text/event-stream", "If-None-Match": "*"})
    assert (events.status_code, events.headers.get("ETag")) == (200, None)
    assert "RunFinished" in events.text
