"""Servers of models are found at their usual ports, over their own protocols; whatever else answers does no harm."""

import json
import socket
from collections.abc import Iterator

import pytest

from core.models.chat import local_servers
from core.models.chat.local_servers import LONGEST_NAME, MAX_BYTES, MOST_MODELS, look_around
from core.models.providers import LOCAL_SERVERS, LocalServer, LookedAt, Presence
from tests.loopback.local_model_servers import ListingServer, OllamaServer, at, tagged
from tests.loopback.openai_server import MODEL, OpenAiServer


@pytest.fixture(autouse=True)
def _time_to_answer(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_servers, "SECONDS", 30.0)
    monkeypatch.setattr(local_servers, "SIZE_SECONDS", 30.0)


def listed(*names: object) -> bytes:
    return json.dumps({"object": "list", "data": [{"id": name, "object": "model"} for name in names]}).encode()


def seen(server: OpenAiServer) -> LookedAt:
    (looked,) = look_around([at(server)])
    return looked


def test_the_usual_ports_of_four_servers_are_looked_at() -> None:
    assert [(server.name, server.port) for server in LOCAL_SERVERS] == [
        ("Ollama", 11434),
        ("LM Studio", 1234),
        ("llama.cpp", 8080),
        ("vLLM", 8000),
    ]
    assert {server.base_url.rsplit(":", 1)[0] for server in LOCAL_SERVERS} == {"http://127.0.0.1"}


def test_ollama_lists_its_models_and_those_that_only_embed_are_left_out() -> None:
    models = [
        tagged("nomic-embed-text:latest", capabilities=["embedding"]),
        tagged("bge-embed:latest"),
        tagged("qwen3:8b", capabilities=["completion", "tools"]),
    ]
    with OllamaServer(models) as server:
        (looked,) = look_around([at(server, "Ollama", "/api/tags")])
        asked = [(request.method, request.path) for request in server.requests]
        credentials = [request.headers.get("authorization") for request in server.requests]
    assert looked.presence is Presence.MODELS
    assert looked.models == ("qwen3:8b", "bge-embed:latest")
    assert asked == [("GET", "/api/tags")]
    assert credentials == [None]


def test_others_list_theirs_as_openai_does() -> None:
    with OpenAiServer() as server:
        assert (seen(server).presence, seen(server).models) == (Presence.MODELS, (MODEL,))


@pytest.fixture
def free_port() -> Iterator[int]:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        yield taken.getsockname()[1]


def test_who_answers_and_who_does_not_is_told_of_each(free_port: int) -> None:
    with OpenAiServer() as server, OpenAiServer(key="sk-1") as locked:
        looked = look_around([LocalServer("Ollama", free_port, "/api/tags"), at(server), at(locked)])
    assert [item.presence for item in looked] == [Presence.NOBODY, Presence.MODELS, Presence.KEY]


def test_a_server_that_keeps_one_waiting_is_given_up(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(local_servers, "SECONDS", 0.3)
    with ListingServer(listed("m"), pause_seconds=30) as server:
        assert seen(server).presence is Presence.SLOW


@pytest.mark.parametrize(
    ("body", "status"),
    [
        (b"<html>It works!</html>", 200),
        (b"[]", 200),
        (b'{"data": "none"}', 200),
        (b"[" * 100_000, 200),
        (b"\xff\xfe", 200),
        (b'{"data": [], "pad": "' + b"x" * MAX_BYTES + b'"}', 200),
        (b"", 302),
        (b"{}", 404),
        (b"{}", 500),
    ],
)
def test_whatever_else_answers_is_something_else(body: bytes, status: int) -> None:
    with ListingServer(body, status) as server:
        assert seen(server) == LookedAt(at(server), Presence.OTHER)


def test_names_that_cannot_be_shown_are_left_out_and_the_list_ends() -> None:
    hostile = [None, 7, "", "  ", "a\x1b[31mb", "x" * (LONGEST_NAME + 1), "good", "good", {"id": "x"}]
    with ListingServer(listed(*hostile)) as server:
        assert seen(server).models == ("good",)
    with ListingServer(listed(*(f"model-{n}" for n in range(MOST_MODELS + 50)))) as server:
        assert len(seen(server).models) == MOST_MODELS
    with ListingServer(listed()) as server:
        assert seen(server).presence is Presence.NO_MODELS
