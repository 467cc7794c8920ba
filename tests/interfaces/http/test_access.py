"""Deny by default: no route answers without a key in force, none does more than the key's scope allows."""

import logging
import re

import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from core.app.services import Services
from core.documents.model import Document, KnowledgeBase
from core.interfaces.http.access import OPEN_PATHS, RateLimit
from core.models.redact import redact
from core.people.api_keys import KeyScope
from tests.interfaces.http.conftest import Client

READING_POSTS = {
    "/api/v1/ask",
    "/api/v1/bases/{base_id}/retrieve",
    "/v1/responses",
    "/v1/chat/completions",
    "/v1/embeddings",
}
"""They change nothing that a reader of the app would see."""
ADMINISTERING = {
    ("POST", "/api/v1/bases"),
    ("PATCH", "/api/v1/bases/{base_id}"),
    ("DELETE", "/api/v1/bases/{base_id}"),
    ("POST", "/api/v1/bases/{base_id}/restore"),
    ("GET", "/api/v1/metrics"),
}
VERBS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE")


def paths(app: FastAPI) -> list[str]:
    return sorted({*app.openapi()["paths"], *OPEN_PATHS})


def operations(app: FastAPI) -> list[tuple[str, str]]:
    return [(verb.upper(), path) for path, verbs in app.openapi()["paths"].items() for verb in verbs]


def filled(path: str) -> str:
    return re.sub(r"\{page\}", "1", re.sub(r"\{(?!page)[\w:]+\}", "x", path))


@pytest.fixture
def stranger(app: FastAPI) -> TestClient:
    return TestClient(app, "http://localhost", raise_server_exceptions=False)


def test_nothing_but_the_open_paths_answers_without_a_key_whatever_the_verb(app: FastAPI, stranger: TestClient) -> None:
    tried = [
        (verb, path)
        for path in [*paths(app), "/api", "/api/v1/nowhere", "/agent", "/v1", "/v1/responses", "/mcp"]
        for verb in VERBS
    ]
    assert len(tried) > 300
    answered = {path for verb, path in tried if stranger.request(verb, filled(path)).status_code != 401}
    assert answered == OPEN_PATHS


def test_a_revoked_key_is_refused_everywhere_at_once(app: FastAPI, services: Services, stranger: TestClient) -> None:
    made, secret = services.storage.access.api_keys.make("short-lived", KeyScope.ADMIN)
    stranger.headers["Authorization"] = f"Bearer {secret}"
    assert stranger.get("/api/v1/bases").status_code == 200
    services.storage.access.api_keys.revoke(made.id)
    refused = {
        stranger.request(verb, filled(path)).status_code for verb, path in operations(app) if path not in OPEN_PATHS
    }
    assert refused == {401}


@pytest.mark.parametrize(
    "given",
    [
        "",
        "Bearer",
        "Bearer ",
        "Basic {secret}",
        "{secret}",
        "Bearer {secret}x",
        "Bearer gtk_",
        "Bearer \u00e9",
        "x" * 9_000,
    ],
)
def test_only_a_whole_key_in_the_right_header_counts(
    given: str, secrets: dict[KeyScope, str], stranger: TestClient
) -> None:
    header = given.format(secret=secrets[KeyScope.ADMIN]).encode()
    assert stranger.get("/api/v1/bases", headers={b"Authorization": header}).status_code == 401
    assert stranger.get(f"/api/v1/bases?key={secrets[KeyScope.ADMIN]}").status_code == 401


def test_two_keys_at_once_are_refused(secrets: dict[KeyScope, str], stranger: TestClient) -> None:
    twice = [("Authorization", f"Bearer {secrets[KeyScope.ADMIN]}")] * 2
    assert stranger.get("/api/v1/bases", headers=twice).status_code == 401


def test_a_key_of_scope_read_changes_nothing(app: FastAPI, client_of: Client, document: Document) -> None:
    reader = client_of(KeyScope.READ)
    changing = [(verb, path) for verb, path in operations(app) if verb != "GET" and path not in READING_POSTS]
    assert len(changing) > 20
    allowed = {
        (verb, path) for verb, path in changing if reader.request(verb, filled(path), json={}).status_code != 403
    }
    assert allowed == set()
    assert reader.get(f"/api/v1/documents/{document.id}").status_code == 200


def test_a_key_of_scope_write_leaves_bases_and_metrics_alone(
    app: FastAPI, client_of: Client, base: KnowledgeBase, document: Document
) -> None:
    writer = client_of(KeyScope.WRITE)
    refused = {
        (verb, path) for verb, path in operations(app) if writer.request(verb, filled(path), json={}).status_code == 403
    }
    assert refused == ADMINISTERING
    assert writer.get(f"/api/v1/bases/{base.id}").status_code == 200


@pytest.mark.parametrize(("verb", "path"), [("GET", "/api/v1/bases"), ("POST", "/mcp")])
def test_too_many_requests_are_told_when_to_come_again(
    services: Services, stranger: TestClient, monkeypatch: pytest.MonkeyPatch, verb: str, path: str
) -> None:
    strict = services.settings.model_copy(update={"api_requests_per_minute": 3})
    monkeypatch.setattr(services.configuration, "settings", strict)
    secret = services.storage.access.api_keys.make("hasty", KeyScope.READ)[1]
    stranger.headers["Authorization"] = f"Bearer {secret}"
    ping = {"jsonrpc": "2.0", "id": 1, "method": "ping"}
    accepted = {"Accept": "application/json, text/event-stream"}
    answers = [stranger.request(verb, path, json=ping, headers=accepted) for _ in range(5)]
    assert [answer.status_code for answer in answers] == [200, 200, 200, 429, 429]
    assert int(answers[-1].headers["Retry-After"]) >= 1
    assert answers[-1].json()["type"] == "urn:graphtalk:api.problem.busy"


def test_requests_become_free_again_evenly() -> None:
    now = [0.0]
    limit = RateLimit(lambda: now[0])
    assert [limit.wait("a", 2) for _ in range(3)] == [0, 0, 30]
    assert limit.wait("b", 2) == 0
    now[0] = 29.0
    assert limit.wait("a", 2) == 1
    now[0] = 30.0
    assert limit.wait("a", 2) == 0


def test_no_key_is_stored_logged_or_left_in_a_run(
    services: Services,
    client_of: Client,
    secrets: dict[KeyScope, str],
    document: Document,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level(logging.DEBUG)
    secret = secrets[KeyScope.WRITE]
    writer = client_of(KeyScope.WRITE)
    answer = writer.post("/api/v1/ask", json={"question": "What did Google describe?", "base": "Papers"})
    problem = writer.post("/api/v1/bases", json={"name": "x"})
    assert answer.status_code == 200
    stored = b"".join(path.read_bytes() for path in services.settings.data.rglob("*") if path.is_file())
    assert b"What did Google describe?" in stored
    for text in (stored.decode("utf-8", "replace"), caplog.text, answer.text, problem.text):
        assert secret not in text
    assert secret not in redact(f"the key {secret} leaked")


def test_an_unexpected_failure_tells_neither_its_text_nor_its_place(
    admin: TestClient, services: Services, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken() -> None:
        raise RuntimeError("a secret detail")

    monkeypatch.setattr(services.library.bases, "all", broken)
    refused = admin.get("/api/v1/bases")
    assert refused.status_code == 500
    assert "secret detail" not in refused.text
    assert refused.json()["type"] == "urn:graphtalk:api.problem.unexpected"


SEEN_BY_ASKING = ("/api/v1/bases", "/api/v1/documents/{document_id}", "/v1/models", "/api/v1/health", "/api/v1/ready")
PERSONAL = ("/api/v1/threads", "/api/v1/runs", "/api/v1/memories", "/api/v1/question-lists", "/api/v1/evaluations")


def test_a_key_of_scope_ask_sees_documents_and_nothing_of_what_people_said(
    app: FastAPI, client_of: Client, base: KnowledgeBase, document: Document
) -> None:
    asker = client_of(KeyScope.ASK)
    answered = {
        (verb, path) for verb, path in operations(app) if asker.request(verb, filled(path), json={}).status_code != 403
    }
    assert {path for verb, path in answered if verb != "GET"} == READING_POSTS
    assert not [path for _, path in answered if path.startswith(PERSONAL) or path.endswith("/deleted")]
    assert {path for _, path in answered}.issuperset(SEEN_BY_ASKING)
    assert asker.get(f"/api/v1/bases/{base.id}/documents").json()[0]["id"] == document.id
    asked = asker.post("/api/v1/ask", json={"question": "What did Google describe?", "base": base.id})
    assert "BERT" in asked.json()["answer"]
    assert asker.get(f"/api/v1/runs/{asked.json()['run_id']}").status_code == 403


def test_what_a_key_opens_is_kept_by_no_cache_on_the_way(
    admin: TestClient, stranger: TestClient, document: Document
) -> None:
    answers = [
        admin.get(f"/api/v1/documents/{document.id}"),
        admin.get(f"/api/v1/documents/{document.id}/file"),
        admin.get(f"/api/v1/bases/{document.base_id}/graph/export?format=graphml"),
        admin.get("/api/v1/documents/none"),
        admin.get("/api/v1/metrics"),
        admin.get("/v1/models"),
        admin.post("/v1/embeddings", json={}),
        stranger.get("/api/v1/documents"),
    ]
    assert {answer.headers.get("cache-control", "").split(",")[0] for answer in answers} == {"private"}
