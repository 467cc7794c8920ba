"""Only pages of the app itself, under a name of this server, reach its WebSocket and its routes."""

import asyncio
from collections.abc import Iterator

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route, WebSocketRoute
from starlette.testclient import TestClient
from starlette.websockets import WebSocket, WebSocketDisconnect
from streamlit import config

from pages.components.shell.security import OriginGuard, is_known_host

OWN = "http://localhost:8501"


async def answer(_: Request) -> PlainTextResponse:
    await asyncio.sleep(0)
    return PlainTextResponse("here")


async def stream(socket: WebSocket) -> None:
    await socket.accept()
    await socket.close()


@pytest.fixture
def client() -> Iterator[TestClient]:
    app = Starlette(
        routes=[
            Route("/_stcore/metrics", answer),
            Route("/file", answer, methods=["GET", "PUT", "POST", "DELETE"]),
            WebSocketRoute("/_stcore/stream", stream),
        ],
        middleware=[Middleware(OriginGuard)],
    )
    with TestClient(app, base_url=OWN) as made:
        yield made


FOREIGN = [
    "http://localhost:3000",
    "http://localhost",
    "https://localhost:8501",
    "http://127.0.0.1:8501",
    "http://evil.example",
    "http://localhost:8501.evil.example",
    "null",
    "",
]


@pytest.mark.parametrize("origin", FOREIGN)
def test_a_page_of_another_address_is_refused(client: TestClient, origin: str) -> None:
    for method in ("GET", "PUT", "POST", "DELETE")[origin == "null" :]:
        assert client.request(method, "/file", headers={"Origin": origin}).status_code == 403
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/_stcore/stream", headers={"Origin": origin}):
        pass


def test_a_sandboxed_page_may_load_but_change_nothing(client: TestClient) -> None:
    """The drawing of the graph is one; what it loads cannot be read by a page that is not meant to."""
    loaded = client.get("/file", headers={"Origin": "null"})
    assert (loaded.status_code, "access-control-allow-origin" in loaded.headers) == (200, False)


def test_the_apps_own_pages_and_programs_without_an_origin_are_served(client: TestClient) -> None:
    for headers in ({"Origin": OWN}, {}):
        assert client.put("/file", headers=headers).text == "here"
        with client.websocket_connect("/_stcore/stream", headers={"Host": "localhost:8501", **headers}):
            pass


@pytest.mark.parametrize("host", ["evil.example", "localhost.evil.example", "192.168.1.7:8501", "a@localhost", ""])
def test_a_foreign_name_of_the_server_is_refused(client: TestClient, host: str) -> None:
    assert client.get("/file", headers={"Host": host}).status_code == 403
    headers = {"Host": host, "Origin": f"http://{host}"}
    with pytest.raises(WebSocketDisconnect), client.websocket_connect("/_stcore/stream", headers=headers):
        pass


def test_a_proxy_is_allowed_by_its_name_and_its_address(client: TestClient, monkeypatch: pytest.MonkeyPatch) -> None:
    headers = {"Host": "talk.example", "Origin": "https://talk.example"}
    assert client.get("/file", headers=headers).status_code == 403
    options = {"server.allowedHosts": ["talk.example"], "server.corsAllowedOrigins": ["https://talk.example/"]}
    known = config.get_option
    monkeypatch.setattr("streamlit.get_option", lambda name: options.get(name, known(name)))
    assert client.get("/file", headers=headers).status_code == 200
    assert client.get("/file", headers={**headers, "Origin": "https://other.example"}).status_code == 403


@pytest.mark.parametrize(
    "path", ["/_stcore/metrics", "/_stcore/metrics/", "//_stcore//metrics", "/chat/_stcore/metrics"]
)
def test_the_metrics_are_closed(client: TestClient, path: str) -> None:
    assert client.get(f"{OWN}{path}").status_code == 403


def test_names_below_a_domain_can_be_allowed_together() -> None:
    assert is_known_host("a.example.com:80", ["*.example.com"])
    assert not is_known_host("example.com", ["*.example.com"])
    assert not is_known_host("aexample.com", ["*.example.com"])
    assert is_known_host("[::1]:8501", ["::1"])
    assert not is_known_host("localhost:99999", ["localhost"])
