"""Two apps that share a database, behind a real nginx with the file of deploy/: one is stopped, one is killed.

The model is a double that answers slowly, so that questions are under way whenever something happens.
"""

import asyncio
import signal
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace

import httpx2
import pytest

from benchmarks.page_client import Visitor
from core.people.api_keys import KeyScope
from core.runs.model import RunStatus
from tests.loopback.openai_server import OpenAiServer
from tests.processes.installation import (
    Installation,
    all_ended,
    chroma_server,
    environment_of,
    free_port,
    own_postgres,
    suspended,
    wait_for,
)
from tests.processes.proxy import nginx
from tests.processes.slow_model import Slowly
from tests.store.samples import publish

QUESTION = {"question": "How high is the tide at Gannet?"}


@pytest.fixture
def model_answers() -> Slowly:
    return Slowly()


@pytest.fixture
def installation(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model_answers: Slowly) -> Iterator[Installation]:
    for name in ("vectors", "files"):
        (tmp_path / name).mkdir()
    with chroma_server(tmp_path / "vectors") as chroma, OpenAiServer(model_answers) as model:
        environment = environment_of(own_postgres(), chroma.url, "", lease_seconds=6)
        environment |= {"FILES_URL": f"file://{tmp_path}/files", "LLM_BASE_URL": model.base_url, "LLM_MODEL": "slow"}
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        made = Installation(tmp_path, environment)
        try:
            yield made
        finally:
            made.stop()


class Asked(threading.Thread):
    """A question to one app, followed as server-sent events."""

    def __init__(self, address: str, headers: dict[str, str]) -> None:
        super().__init__(daemon=True)
        self._address, self._headers = address, headers
        self.run_id, self.events, self.status = "", list[str](), 0
        self.begun = threading.Event()
        self.start()

    def run(self) -> None:
        headers = {**self._headers, "Accept": "text/event-stream"}
        try:
            with httpx2.stream(
                "POST", f"{self._address}/api/v1/ask", json=QUESTION, headers=headers, timeout=60
            ) as got:
                self.run_id, self.status = got.headers.get("X-Run-Id", ""), got.status_code
                for line in got.iter_lines():
                    if line.startswith("event: "):
                        self.events.append(line.removeprefix("event: "))
                    if "AnswerDelta" in line:
                        self.begun.set()
        except httpx2.HTTPError:
            return


@pytest.mark.slow
@pytest.mark.timeout(300)
def test_no_question_is_lost_and_pages_come_from_another_app(
    installation: Installation, tmp_path: Path, model_answers: Slowly
) -> None:
    ports = free_port(), free_port()
    with installation.services("here") as here, nginx(tmp_path, ports) as front:
        base = here.library.bases.create("Tides")
        publish(here.library, base, "gannet.md", "The tide at Gannet is 4.2 metres high.")
        headers = {"Authorization": f"Bearer {here.storage.access.api_keys.make('for tests', KeyScope.ADMIN)[1]}"}
        for port in ports:
            installation.start_app(port)
        wait_for(lambda: all(installation.serves(port) for port in ports))
        first, second = (f"http://127.0.0.1:{port}" for port in ports)
        outside = f"http://localhost:{front}"

        with httpx2.Client(base_url=outside) as browser:
            cookie = browser.get("/").headers["set-cookie"].partition(";")[0]
        asyncio.run(opened(front, cookie))
        home = homes(tmp_path)
        assert len(home) == 1, "the page and its session come from one app"
        for _ in range(3):
            asyncio.run(opened(front, cookie))
        assert homes(tmp_path) == home
        for number in range(64):
            httpx2.get(f"{outside}/api/v1/health?{number}")
        assert len(homes(tmp_path)) == 2, "programs are spread over both"
        sent = {"file": ("long.md", b"# Long\n\n" + b"Some words. " * 200_000, "text/markdown")}
        stored = httpx2.post(f"{outside}/api/v1/bases/{base.id}/documents", files=sent, headers=headers, timeout=60)
        assert stored.status_code == 202

        asked = Asked(first, headers)
        assert asked.begun.wait(60)
        began = time.monotonic()
        assert httpx2.post(f"{second}/api/v1/runs/{asked.run_id}/stop", headers=headers).status_code == 200
        asked.join(30)
        assert asked.events[-2:] == ["RunStopped", "answer"]
        assert time.monotonic() - began < 2 + SLACK
        assert here.runs.get(asked.run_id).status is RunStatus.STOPPED

        model_answers.pause_seconds = 0.08
        lost = Asked(first, headers)
        assert lost.begun.wait(60)
        installation.kill_app(ports[0])
        seen = asyncio.run(opened(front, cookie))
        assert seen < 10 + SLACK, "whoever had a session with it gets pages of the other one"
        wait_for(lambda: here.runs.get(lost.run_id).status is not RunStatus.RUNNING)
        answered = here.runs.get(lost.run_id)
        assert (answered.status, answered.process != here.runs.get(asked.run_id).process) == (RunStatus.DONE, True)
        assert "4.2 metres" in answered.answer

        model_answers.pause_seconds = 0.25
        last = Asked(second, headers)
        assert last.begun.wait(60)
        installation.apps[ports[1]].send_signal(signal.SIGTERM)
        refused = Asked(second, headers)
        refused.join(30)
        assert refused.status == 503
        assert httpx2.get(f"{second}/api/v1/ready").json()["questions"] is False
        assert installation.apps[ports[1]].wait(60) in (0, -signal.SIGTERM)
        last.join(10)
        assert last.events[-2:] == ["RunFinished", "answer"], "what was under way is answered and told to its end"
        assert here.runs.get(last.run_id).status is RunStatus.DONE
        assert here.runs.running() == []


@pytest.mark.slow
@pytest.mark.timeout(200)
def test_a_question_goes_on_when_the_machine_was_asleep_meanwhile(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, model_answers: Slowly
) -> None:
    port = free_port()
    with OpenAiServer(model_answers) as model:
        environment = {"LLM_BASE_URL": model.base_url, "LLM_MODEL": "slow"}
        for name, value in environment.items():
            monkeypatch.setenv(name, value)
        desk = Installation(tmp_path, environment)
        with desk.services(f"app-{port}") as here:
            base = here.library.bases.create("Tides")
            here.lifecycle.intake.add(base.id, "gannet.md", b"The tide at Gannet is 4.2 metres high.")
            key = here.storage.access.api_keys.make("for tests", KeyScope.ADMIN)[1]
            desk.start_app(port)
            try:
                wait_for(lambda: desk.serves(port) and all_ended(here, base.id))
                asked = Asked(f"http://127.0.0.1:{port}", {"Authorization": f"Bearer {key}"})
                assert asked.begun.wait(60)
                with suspended(desk.apps[port]):
                    time.sleep(6)
                    assert here.runs.get(asked.run_id).status is RunStatus.RUNNING, "it is not taken for dead"
                asked.join(60)
                assert asked.events[-2:] == ["RunFinished", "answer"]
                assert "4.2 metres" in here.runs.get(asked.run_id).answer
            finally:
                desk.stop()


SLACK = 8.0
"""Seconds for a machine that does other things besides."""


async def opened(port: int, cookie: str) -> float:
    """Seconds until the chat page was drawn for a browser with the cookie."""
    async with Visitor(SimpleNamespace(port=port), {"Cookie": cookie}) as visitor:  # type: ignore[arg-type]
        return await visitor.open("")


def homes(folder: Path) -> set[str]:
    """The apps that nginx has sent requests to so far."""
    return {line.split()[0] for line in (folder / "sent.log").read_text("utf-8").splitlines() if line.strip()}
