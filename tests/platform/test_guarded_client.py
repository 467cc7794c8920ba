"""The guarded client over TLS, through a proxy, and at its limits."""

import gzip
import math
import shutil
import ssl
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest

from core.platform.errors import ConfigurationError
from core.platform.http import guarded_client as guarded_http
from core.platform.http.guarded_client import MAX_BYTES, READ_BYTES, _Limit, open_client, stoppable, throttle_reads
from tests.loopback.server import Loopback, Recorded, Wire


class Echo(Loopback):
    """Says which path was asked for; some paths are late or trouble."""

    def answer(self, request: Recorded, wire: Wire) -> None:
        if request.path.endswith("/drip"):
            wire.begin_events()
            while True:
                wire.chunk(b"x")
                wire.pause(0.02)
        elif request.path.endswith("/flood"):
            wire.begin_events()
            while True:
                wire.chunk(b"x" * 1_000_000)
        elif request.path.endswith("/late"):
            wire.pause(0.5)
            wire.send(200, b"here", "text/plain")
        elif request.path.endswith("/bomb"):
            wire.send(200, gzip.compress(bytes(100_000_000)), "text/plain", {"Content-Encoding": "gzip"})
        elif request.path.endswith("/away"):
            wire.send(302, b"", "text/plain", {"Location": "/home"})
        else:
            wire.send(200, request.path.encode(), "text/plain")

    def encrypt(self, certificate: Path, key: Path) -> None:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        context.load_cert_chain(certificate, key)
        self._http.socket = context.wrap_socket(self._http.socket, server_side=True)


@pytest.fixture
def server() -> Iterator[Echo]:
    with Echo() as echo:
        yield echo


@pytest.fixture
def encrypted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The https address of a server with a certificate of its own, which the client is made to trust."""
    openssl = shutil.which("openssl")
    if not openssl:
        pytest.skip("openssl makes the certificate of this test")
    certificate, key = tmp_path / "certificate.pem", tmp_path / "key.pem"
    subject = ["-subj", "/CN=localhost", "-addext", "subjectAltName=IP:127.0.0.1"]
    command = [openssl, "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", *subject]
    subprocess.run([*command, "-keyout", str(key), "-out", str(certificate)], check=True, capture_output=True)
    trusting = ssl.create_default_context(cafile=str(certificate))
    monkeypatch.setattr(guarded_http, "tls", lambda: trusting)
    echo = Echo()
    echo.encrypt(certificate, key)
    with echo:
        yield echo.url.replace("http://", "https://")


def test_requests_go_over_tls_and_share_a_connection(encrypted: str) -> None:
    client = open_client(encrypted)
    assert [client.get(f"{encrypted}/{number}").text for number in range(3)] == ["/0", "/1", "/2"]
    client.close()


def test_a_drip_over_tls_ends_in_time_and_longer_waits_than_a_slice_are_fine(encrypted: str) -> None:
    client = open_client(encrypted)
    client.get(encrypted)  # making the connection is not part of the drip's time
    started = time.monotonic()
    with pytest.raises(httpx2.ReadTimeout):
        client.get(f"{encrypted}/drip", timeout=0.5)
    assert 0.4 < time.monotonic() - started < 20
    assert client.get(f"{encrypted}/late").text == "here"
    client.close()


def test_a_certificate_that_no_one_vouches_for_is_refused(encrypted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(guarded_http, "tls", ssl.create_default_context)
    with pytest.raises(httpx2.ConnectError, match="certificate verify failed"):
        open_client(encrypted).get(encrypted)


def test_a_body_in_drops_is_read_in_sips(server: Echo, monkeypatch: pytest.MonkeyPatch) -> None:
    received: list[bytes] = []
    read = guarded_http._Stream._read

    def counted(stream: guarded_http._Stream, max_bytes: int, timeout: float | None) -> bytes:
        received.append(read(stream, max_bytes, timeout))
        return received[-1]

    monkeypatch.setattr(guarded_http._Stream, "_read", counted)
    with open_client(server.url).stream("GET", f"{server.url}/drip", timeout=30) as response:
        throttle_reads(response, 0.2)
        drops = response.iter_bytes()
        body = b"".join(next(drops) for _ in range(30))
    assert body == b"x" * 30
    assert len(received) < 15


def test_where_a_whole_gulp_waited_more_is_read_at_once() -> None:
    limit, started = _Limit(math.inf, lambda: False, pause_seconds=60), time.monotonic()
    limit.took(READ_BYTES)
    limit.rest()
    assert time.monotonic() - started < 30


def test_redirects_are_not_followed(server: Echo) -> None:
    assert open_client(server.url).get(f"{server.url}/away").status_code == 302
    assert len(server.requests) == 1


def test_an_endless_answer_is_cut_at_its_limit(server: Echo) -> None:
    with pytest.raises(httpx2.ReadError, match=str(MAX_BYTES)):
        open_client(server.url).get(f"{server.url}/flood", timeout=30)


def test_a_compressed_answer_is_not_asked_for_and_not_unpacked(server: Echo) -> None:
    with pytest.raises(httpx2.ReadError, match="compressed"):
        open_client(server.url).get(f"{server.url}/bomb", timeout=30)
    (asked,) = server.requests
    assert asked.headers["accept-encoding"] == "identity"


def test_a_stop_ends_a_wait(server: Echo) -> None:
    started = time.monotonic()
    with stoppable(lambda: time.monotonic() - started > 0.3), pytest.raises(httpx2.ReadError, match="stopped"):
        open_client(server.url).get(f"{server.url}/drip", timeout=30)
    assert time.monotonic() - started < 20


def test_the_environments_proxy_is_used_and_never_for_this_machine(
    server: Echo, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", server.url)
    monkeypatch.setenv("no_proxy", "direct.example")
    assert open_client("http://model.example").get("http://model.example/v1").text == "http://model.example/v1"
    assert open_client(server.url).get(f"{server.url}/v1").text == "/v1"


def test_a_proxy_of_another_kind_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("all_proxy", "socks5://127.0.0.1:1080")
    with pytest.raises(ConfigurationError) as caught:
        open_client("https://model.example")
    assert caught.value.key == "llm.proxy_unsupported"
