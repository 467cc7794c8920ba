"""What does not fit is refused in words, and never silently without effect."""

import json
import re
from collections.abc import Iterator
from typing import Any

import pytest
from starlette.testclient import TestClient

from core.documents.model import KnowledgeBase


def test_a_moment_is_no_number(admin: TestClient) -> None:
    assert (
        admin.get("/api/v1/runs", params={"before": "2026-11-26T12:00:00Z", "since": "2026-11-01"}).status_code == 200
    )
    assert admin.get("/api/v1/runs", params={"before": "1764158400"}).status_code == 422


@pytest.mark.parametrize(
    ("method", "path"),
    [
        ("GET", "/api/v1/bases?q=x"),
        ("GET", "/api/v1/runs?worfklow=adaptive"),
        ("GET", "/api/v1/bases/{base}/graph/entities?q=BERT"),
        ("GET", "/api/v1/bases/{base}/documents?statsu=ready"),
        ("POST", "/api/v1/ask?base=x"),
        ("GET", "/v1/models?q=x"),
        ("GET", "/api/v1/health?x=1"),
    ],
)
def test_unknown_parameters_of_the_address_are_refused(
    admin: TestClient, base: KnowledgeBase, method: str, path: str
) -> None:
    refused = admin.request(method, path.format(base=base.id), json={"question": "x"} if method == "POST" else None)
    assert refused.status_code == 422
    assert path.split("?")[1].split("=")[0] in refused.text


def test_known_parameters_are_taken_alone_and_in_groups(admin: TestClient, base: KnowledgeBase) -> None:
    assert admin.get(f"/api/v1/bases/{base.id}/graph/entities", params={"query": "B", "limit": 3}).status_code == 200
    assert admin.get("/api/v1/runs", params={"workflow": "adaptive", "limit": 3}).status_code == 200
    listed = admin.get(f"/api/v1/bases/{base.id}/documents", params={"status": ["ready", "failed"], "skip": 0})
    assert listed.status_code == 200


@pytest.mark.parametrize("path", ["/api/v1/ask", "/v1/chat/completions", "/v1/embeddings"])
def test_a_body_that_is_no_json_is_a_bad_request(admin: TestClient, path: str) -> None:
    refused = admin.post(path, content=b'{"question": ', headers={"Content-Type": "application/json"})
    assert refused.status_code == 400
    assert "JSON" in refused.text


def test_a_base_is_named_by_id_or_name_wherever_one_is_meant(admin: TestClient, base: KnowledgeBase) -> None:
    for named in (base.id, base.name):
        place = f"/api/v1/bases/{named}"
        assert admin.get(place).json()["id"] == base.id
        assert admin.get(f"{place}/documents").json()[0]["base_id"] == base.id
        assert admin.post(f"{place}/retrieve", json={"query": "BERT"}).json()["passages"]
        assert admin.get("/api/v1/runs", params={"base": named}).status_code == 200
        made = admin.post("/api/v1/memories", json={"text": f"Tables are liked in {named}.", "base": named}).json()
        assert made["base_id"] == base.id
        said = admin.get(f"{place}/graph/statements", params={"pattern": "? -unsaid-> ?"})
        assert (said.status_code, said.json()) == (200, [])
        assert admin.get(f"{place}/graph/statements", params={"pattern": "BERT"}).status_code == 422
        way = admin.get(f"{place}/graph/path", params={"source": "bert", "target": "Google"}).json()["entities"]
        assert way[0]["name"] == "BERT"
    assert admin.get("/api/v1/bases/Nowhere/documents").status_code == 404
    assert admin.get("/api/v1/runs", params={"base": "Nowhere"}).status_code == 404


@pytest.mark.parametrize(
    ("method", "path", "body"),
    [
        ("POST", "/api/v1/ask", {"question": "x", "web": "no"}),
        ("POST", "/api/v1/memories", {"text": "Tables are liked.", "importance": "7"}),
        ("POST", "/api/v1/bases/{base}/retrieve", {"query": "x", "limit": "3"}),
        ("PATCH", "/api/v1/documents/x", {"form": "0"}),
        ("PATCH", "/api/v1/threads/x", {"pinned": 1}),
        ("PATCH", "/api/v1/memories/x", {"pinned": "yes"}),
    ],
)
def test_a_value_of_another_type_is_refused_and_not_guessed(
    admin: TestClient, base: KnowledgeBase, method: str, path: str, body: dict[str, object]
) -> None:
    refused = admin.request(method, path.format(base=base.id), json=body)
    assert refused.status_code == 422
    assert str(list(body)[-1]) in refused.json()["detail"]


LISTS = (
    "bases",
    "bases/deleted",
    "bases/{base}/documents",
    "bases/{base}/documents/deleted",
    "threads",
    "runs",
    "memories",
    "question-lists",
)


@pytest.mark.parametrize("path", LISTS)
def test_every_list_is_an_array_that_can_be_read_in_parts(admin: TestClient, base: KnowledgeBase, path: str) -> None:
    for number in range(3):
        admin.post("/api/v1/memories", json={"text": f"Chart {number} is liked."})
    place = f"/api/v1/{path.format(base=base.id)}"
    whole = admin.get(place)
    assert whole.headers["X-Total-Count"] == str(len(whole.json()))
    parts = [admin.get(place, params={"limit": 1, "skip": skip}) for skip in range(len(whole.json()) + 1)]
    assert [entry for part in parts for entry in part.json()] == whole.json()
    assert {part.headers["X-Total-Count"] for part in parts} == {whole.headers["X-Total-Count"]}


@pytest.mark.parametrize("path", ["entities", "edits", "entities/BERT/mentions"])
def test_lists_of_the_graph_can_be_skipped_through(admin: TestClient, base: KnowledgeBase, path: str) -> None:
    place = f"/api/v1/bases/{base.id}/graph"
    for name in ("Bert", "BERT"):
        (found,) = [it for it in admin.get(f"{place}/entities").json() if it["name"].upper() == "BERT"]
        admin.post(f"{place}/edits", json={"edits": [{"kind": "rename", "entity": found["id"], "name": name}]})
    whole = admin.get(f"{place}/{path}").json()
    assert len(whole) > 1
    assert admin.get(f"{place}/{path}", params={"skip": 1, "limit": 1}).json() == whole[1:2]


def documented(admin: TestClient) -> list[tuple[str, dict[str, Any]]]:
    made = admin.get("/api/v1/openapi.json").json()
    return [(path, operation) for path, methods in made["paths"].items() for operation in methods.values()]


def test_problems_are_documented_as_what_is_sent(admin: TestClient) -> None:
    for path, operation in documented(admin):
        for status, answer in operation["responses"].items():
            kinds = {*answer.get("content", {})}
            if status.startswith("4"):
                assert kinds == ({"application/json"} if path.startswith("/v1/") else {"application/problem+json"})
    assert admin.get("/api/v1/runs/x").headers["Content-Type"] == "application/problem+json"
    assert admin.post("/agent/chat", json={}).headers["Content-Type"] == "application/problem+json"
    assert admin.post("/v1/chat/completions", json={}).headers["Content-Type"] == "application/json"


def test_names_in_the_document_say_which_way_a_shape_goes(admin: TestClient) -> None:
    for path, operation in documented(admin):
        taken, given = str(operation.get("requestBody")), str(operation["responses"])
        assert not re.search(r"/\w+Out'", taken), path
        assert not re.search(r"/\w+In'", given), path


SURROGATE = "\ud800"
"""Half of a character, which JSON can escape and UTF-8 cannot encode."""
JSON = {"Content-Type": "application/json"}
Schema = dict[str, Any]


def alternatives(schema: Schema, shapes: dict[str, Schema]) -> list[Schema]:
    """The schema itself, or what it lets one choose from."""
    schema = shapes[schema["$ref"].rsplit("/", 1)[1]] if "$ref" in schema else schema
    options = [*schema.get("anyOf", ()), *schema.get("oneOf", ())]
    return [each for option in options for each in alternatives(option, shapes)] or [schema]


def fitting(schema: Schema, shapes: dict[str, Schema], known: dict[str, str]) -> Any:
    """A value that fits; of an object the required fields."""
    chosen = alternatives(schema, shapes)[0]
    for given in (*schema.get("examples", ()), *chosen.get("enum", ())):
        return given
    match chosen.get("type"):
        case "object":
            fields = {name: chosen["properties"][name] for name in chosen.get("required", ())}
            return {name: known.get(name) or fitting(field, shapes, known) for name, field in fields.items()}
        case "array":
            return [fitting(chosen["items"], shapes, known)]
        case "integer" | "number":
            return 1
    return chosen.get("const", "x")


def with_surrogates(schema: Schema, shapes: dict[str, Schema], known: dict[str, str]) -> Iterator[Any]:
    """Values that fit but for a lone surrogate, as one text or as the name of one field."""
    for chosen in alternatives(schema, shapes):
        match chosen.get("type", "string"):
            case "object":
                fits = fitting(chosen, shapes, known)
                yield {**fits, SURROGATE: 1}
                for name, field in chosen.get("properties", {}).items():
                    yield from ({**fits, name: value} for value in with_surrogates(field, shapes, known))
            case "array":
                yield from ([value] for value in with_surrogates(chosen["items"], shapes, known))
            case "string":
                yield SURROGATE
                yield f"Text {SURROGATE}"


def test_a_lone_surrogate_in_any_body_is_refused_or_made_whole(admin: TestClient, base: KnowledgeBase) -> None:
    run = admin.post("/api/v1/ask", json={"question": "Who described BERT?"}).json()
    memory = admin.post("/api/v1/memories", json={"text": "Tables are liked."}).json()
    (document,) = admin.get(f"/api/v1/bases/{base.id}/documents").json()
    ids = {"base_id": base.id, "document_id": document["id"], "memory_id": memory["id"]}
    ids |= {"run_id": run["run_id"], "thread_id": run["thread_id"]}
    (entity,) = admin.get(f"/api/v1/bases/{base.id}/graph/entities", params={"query": "BERT"}).json()
    known = {"base_id": base.id, "entity": entity["id"]}
    made, statuses = admin.get("/api/v1/openapi.json").json(), set[int]()
    for path, methods in made["paths"].items():
        for method, operation in methods.items():
            schema = operation.get("requestBody", {}).get("content", {}).get("application/json", {}).get("schema", {})
            for body in with_surrogates(schema, made["components"]["schemas"], known) if schema else ():
                answer = admin.request(method, path.format(**ids), content=json.dumps(body), headers=JSON)
                assert answer.status_code < 500, (path, body)
                answer.json()
                statuses.add(answer.status_code)
    assert statuses >= {200, 400, 422}


@pytest.mark.parametrize("name", ["ask", "search"])
def test_a_lone_surrogate_in_a_call_of_mcp_is_refused(admin: TestClient, name: str) -> None:
    call = {"name": name, "arguments": {"question": SURROGATE, SURROGATE: SURROGATE}}
    body = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    kinds = "application/json, text/event-stream"
    answer = admin.post("/mcp", content=json.dumps(body), headers=JSON | {"Accept": kinds})
    assert (answer.status_code, answer.json()["error"]["code"]) == (400, -32700)
