"""The page for people at /api: complete, self-contained, harmless, with examples that fit."""

import json
import re
import shlex
from html import unescape

import jsonschema
import pytest
from fastapi import FastAPI
from starlette.testclient import TestClient

from core.interfaces.http.app import make_app
from core.interfaces.http.mcp.tools import program_tools
from core.interfaces.http.reference.operations import Operation, operations
from core.people.api_keys import KeyScope

VERBS = {"get", "post", "put", "patch", "delete"}


@pytest.fixture(scope="module")
def bare() -> FastAPI:
    """Without services: the page tells nothing of what is stored."""

    def none_needed() -> None:
        raise AssertionError("the page needs no services")

    return make_app(none_needed)  # type: ignore[arg-type]


@pytest.fixture
def reader(bare: FastAPI) -> TestClient:
    return TestClient(bare, "http://localhost:8501")


def listed(app: FastAPI) -> list[Operation]:
    return operations(app.openapi())


def test_every_operation_and_tool_stands_there_with_what_it_takes_and_needs(bare: FastAPI, reader: TestClient) -> None:
    page = unescape(reader.get("/api").text)
    for path, verbs in bare.openapi()["paths"].items():
        for verb in VERBS & verbs.keys():
            assert f'<b class="{verb}">{verb.upper()}</b> <code>{path}</code>' in page
    for tool in program_tools():
        assert f'id="tool-{tool.name}"' in page
        assert all(f"<code>{name}</code>" in page for name in tool.schema().get("properties", {}))
    for operation in listed(bare):
        assert operation.example.replace("{origin}", "http://localhost:8501") in page
        assert all(f"<code>{parameter.name}</code>" in page for parameter in operation.parameters)


def test_scopes_are_those_that_routes_ask_for(bare: FastAPI) -> None:
    scopes = {(it.method, it.path): it.scope for it in listed(bare)}
    assert scopes["GET", "/api/v1/health"] is None
    assert scopes["POST", "/api/v1/ask"] is KeyScope.ASK
    assert scopes["GET", "/api/v1/memories"] is KeyScope.READ
    assert scopes["POST", "/agent/chat"] is KeyScope.WRITE
    assert scopes["DELETE", "/api/v1/bases/{base_id}"] is KeyScope.ADMIN
    assert [path for (_, path), scope in scopes.items() if scope is None] == ["/api/v1/health", "/api/v1/ready"]


def test_the_page_loads_nothing_runs_nothing_and_escapes_what_it_shows(reader: TestClient) -> None:
    answer = reader.get("/api", headers={"Host": 'x"><script>alert(1)</script>'})
    assert answer.status_code == 200
    assert "<script" not in answer.text
    assert not re.search(
        r"""(src|srcset|action)=|@import|url\(|href="(?!\#|\?lang=|/api/v1/openapi\.json)""", answer.text
    )
    policy = answer.headers["Content-Security-Policy"]
    assert policy.startswith("default-src 'none'; style-src 'sha256-")


@pytest.mark.parametrize(
    ("accepted", "address", "words"),
    [
        ("de-DE,en;q=0.5", "/api", "GraphTalk for programs"),
        ("zh-CN,zh;q=0.9", "/api", "请求正文"),
        ("zh-TW", "/api/", "請求正文"),
        ("zh-CN", "/api?lang=en", "Each program needs a key"),
    ],
)
def test_the_page_is_in_the_readers_language(reader: TestClient, accepted: str, address: str, words: str) -> None:
    assert words in reader.get(address, headers={"Accept-Language": accepted}).text


def test_examples_fit_the_document(bare: FastAPI) -> None:
    document = bare.openapi()
    tried = 0
    for it in listed(bare):
        command = shlex.split(it.example.replace("{origin}", "http://localhost:8501"))
        assert command[0] == "curl"
        assert command[-1].startswith(f"http://localhost:8501{it.path.split('{')[0]}")
        assert "{" not in command[-1]
        if "--json" in command:
            schema = document["paths"][it.path][it.method.lower()]["requestBody"]["content"]["application/json"][
                "schema"
            ]
            given = json.loads(command[command.index("--json") + 1])
            jsonschema.validate(given, {**schema, "components": document["components"]})
            tried += 1
    assert tried > 12


def test_an_example_that_is_followed_is_answered(admin: TestClient) -> None:
    page = unescape(admin.get("/api").text)
    command = shlex.split(next(line for line in re.findall(r"<pre[^>]*>(curl [^<]+)</pre>", page) if "/v1/ask" in line))
    answer = admin.post(command[-1], json=json.loads(command[command.index("--json") + 1]) | {"base": "Papers"})
    assert answer.status_code == 200
