"""The official conformance suite of MCP, where it is installed, over this app's own endpoint and its guards.

`npm install @modelcontextprotocol/conformance@0.2.0-alpha.12 node@22` in a folder that MCP_CONFORMANCE names; earlier
ones do not know this revision. Node may be anywhere.
"""

import os
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest
import uvicorn
from starlette.types import ASGIApp, Receive, Scope, Send

from core.app.services import Services
from core.documents.model import Document
from core.interfaces.http.access import KeyGuard
from core.interfaces.http.app import make_app
from core.interfaces.http.mcp.server import McpEndpoint
from core.people.api_keys import KeyScope
from pages.components.shell.security import OriginGuard

REVISION = "2026-07-28"
FOLDER = Path(os.environ.get("MCP_CONFORMANCE", "/nowhere"))
SUITE = FOLDER / "node_modules/@modelcontextprotocol/conformance/dist/index.js"
OWN = (
    "tools-list",
    "resources-list",
    "prompts-list",
    "completion-complete",
    "caching",
    "sep-2164-resource-not-found",
    "dns-rebinding-protection",
    "server-sse-multiple-streams",
    "http-header-validation",
)
"""Scenarios that need nothing of their own, and so run against the tools of this app as well."""
pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(
        not SUITE.is_file(), reason="MCP CONFORMANCE NOT CHECKED: MCP_CONFORMANCE names no folder with the suite"
    ),
]


def _with_key(app: ASGIApp, secret: str) -> ASGIApp:
    """The suite sends none."""

    async def keyed(scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http":
            scope = {**scope, "headers": [*scope["headers"], (b"authorization", f"Bearer {secret}".encode())]}
        await app(scope, receive, send)

    return keyed


def _served(app: ASGIApp) -> Iterator[str]:
    running = uvicorn.Server(uvicorn.Config(app, "127.0.0.1", 0, log_level="warning"))
    thread = threading.Thread(target=running.run)
    thread.start()
    until = time.monotonic() + 30
    while not running.started and time.monotonic() < until:
        time.sleep(0.01)
    yield f"http://127.0.0.1:{running.servers[0].sockets[0].getsockname()[1]}/mcp"
    running.should_exit = True
    thread.join(30)


@pytest.fixture(scope="module")
def own_address(services: Services, document: Document, secrets: dict[KeyScope, str]) -> Iterator[str]:
    app = make_app(lambda: services)
    yield from _served(_with_key(OriginGuard(app), secrets[KeyScope.ADMIN]))


@pytest.fixture(scope="module")
def whole_address(services: Services, secrets: dict[KeyScope, str]) -> Iterator[str]:
    """The endpoint and the guards of this app, around a server with all that the suite asks for."""
    from tests.interfaces.http.conformance_server import server

    endpoint = McpEndpoint(server._lowlevel_server)
    guarded = KeyGuard(endpoint, services=lambda: services)
    yield from _served(_with_key(OriginGuard(guarded), secrets[KeyScope.ADMIN]))


def _run(*arguments: str) -> None:
    node = FOLDER / "node_modules/node/bin/node"
    command = [str(node) if node.is_file() else "node", str(SUITE), "server", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300, check=False)
    failed = [line for line in done.stdout.splitlines() if line.startswith("✗")]
    assert done.returncode == 0, "\n".join(failed) or done.stdout[-3_000:] + done.stderr[-1_000:]


@pytest.mark.timeout(400)
def test_the_endpoint_conforms_without_an_expected_failure(whole_address: str, tmp_path: Path) -> None:
    _run("--url", whole_address, "--requirements", REVISION, "-o", str(tmp_path))


@pytest.mark.timeout(400)
@pytest.mark.parametrize("scenario", OWN)
def test_the_tools_of_this_app_conform(own_address: str, scenario: str, tmp_path: Path) -> None:
    _run("--url", own_address, "--scenario", scenario, "--spec-version", REVISION, "-o", str(tmp_path))
