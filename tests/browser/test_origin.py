"""The running server: a page of another port cannot open the WebSocket that every session runs over."""

import http.client
from urllib.parse import urlsplit

import pytest
from websockets.exceptions import InvalidStatus
from websockets.sync.client import connect
from websockets.typing import Origin, Subprotocol

pytestmark = [pytest.mark.browser, pytest.mark.timeout(600)]


def test_the_websocket_opens_for_the_apps_own_pages_alone(app_url: str) -> None:
    address = f"{app_url.replace('http', 'ws', 1)}/_stcore/stream"
    with connect(address, origin=Origin(app_url), subprotocols=[Subprotocol("streamlit")], open_timeout=60):
        pass
    for origin in ("http://localhost:3000", "http://evil.example", app_url.replace("http", "https", 1)):
        with pytest.raises(InvalidStatus) as refused:
            connect(address, origin=Origin(origin), subprotocols=[Subprotocol("streamlit")], open_timeout=60)
        assert refused.value.response.status_code == 403


def test_a_foreign_name_and_the_metrics_are_refused_by_the_server(app_url: str) -> None:
    parts = urlsplit(app_url)
    for path, host, status in (
        ("/", parts.netloc, 200),
        ("/", "evil.example", 403),
        ("/_stcore/metrics", parts.netloc, 403),
        ("/_stcore/health", parts.netloc, 200),
    ):
        connection = http.client.HTTPConnection(parts.hostname or "", parts.port)
        connection.request("GET", path, headers={"Host": host})
        assert connection.getresponse().status == status, path
        connection.close()
