"""The routes and headers of the server: nothing is given out without a token, nothing may load from elsewhere."""

import asyncio
import json
import re
import threading
from collections.abc import Iterator
from dataclasses import replace

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import ASGIApp

from core.runs.events import AnswerDelta, AnswerReady, NodeStarted, RunFinished
from core.runs.history.view import RunView, StepView
from core.runs.model import RunRequest, RunStatus, Usage
from pages.components.chat import workflow_choices
from pages.components.documents.routes import figure_url, form_url, page_image, page_image_url, quote_url
from pages.components.run import live_route
from pages.components.run.live_route import Follower, live_address
from pages.components.run.turn_html import forms_part
from pages.components.shell.language import use_language
from pages.components.shell.routes import ROUTES, LateApi
from pages.components.shell.security import SecurityHeaders, content_security_policy, security_headers
from pages.components.shell.style import SHEETS, address_of, stylesheet
from pages.components.shell.tokens import is_issued, token_of
from tests.fakes.services import FakeServices
from tests.pages.marlow import BASE, document


async def strict(request: object) -> PlainTextResponse:
    return PlainTextResponse("x", headers={"Content-Security-Policy": "default-src 'none'"})


@pytest.fixture
def client(opened: FakeServices) -> Iterator[TestClient]:
    app = Starlette(
        routes=[*ROUTES, Route("/strict", strict)],
        middleware=[Middleware(SecurityHeaders, headers=security_headers())],
    )
    with TestClient(app) as made:
        yield made


def test_a_page_image_is_served_to_who_has_its_address(opened: FakeServices, client: TestClient) -> None:
    answer = client.get(page_image_url("d1", 1, 480))
    assert answer.status_code == 200
    assert answer.headers["content-type"] == "image/png"
    assert opened.lifecycle.page_images.drawn == [("d1", 1, 480)]
    again = client.get(page_image_url("d1", 1, 480), headers={"If-None-Match": answer.headers["etag"]})
    assert (again.status_code, again.content) == (304, b"")


def test_a_figure_is_served_to_who_has_its_address(opened: FakeServices, client: TestClient) -> None:
    assert client.get(figure_url("d1", 1, (-10, 0, 300, 90))).status_code == 200
    assert opened.lifecycle.page_images.drawn == [("d1", 1, 310)]


def test_images_that_wait_for_their_turn_hold_up_nothing_else(
    opened: FakeServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    go_on = threading.Event()

    def painted(*_: object) -> bytes:
        go_on.wait(30)
        return b"image"

    monkeypatch.setattr(opened.lifecycle.page_images, "png", painted)
    path, _, query = page_image_url("d1", 1).partition("?")
    asked = {"type": "http", "path": path, "headers": [], "path_params": {"document_id": "d1", "page": 1}}

    async def many() -> set[int]:
        request = Request({**asked, "query_string": query.encode()})
        waiting = [asyncio.create_task(page_image(request)) for _ in range(40)]  # more than asyncio has threads
        try:
            await asyncio.sleep(0.2)
            await asyncio.wait_for(asyncio.to_thread(int), 10)
        finally:
            go_on.set()
        return {response.status_code for response in await asyncio.gather(*waiting)}

    assert asyncio.run(many()) == {200}


def test_the_interface_for_programs_is_loaded_with_the_first_request(monkeypatch: pytest.MonkeyPatch) -> None:
    loaded: list[ASGIApp] = []

    def load() -> ASGIApp:
        loaded.append(PlainTextResponse("x"))
        return loaded[-1]

    monkeypatch.setattr("pages.components.shell.routes._app", load)
    with TestClient(Starlette(routes=[Route("/api", LateApi())])) as client:
        assert [client.get("/api").text for _ in range(2)] == ["x", "x"]
    assert len(loaded) == 1


@pytest.mark.parametrize("name", SHEETS)
def test_a_style_sheet_is_kept_by_browsers_until_it_is_another(client: TestClient, name: str) -> None:
    answer = client.get(address_of(name))
    assert answer.text == stylesheet(name)
    assert answer.headers["content-type"].startswith("text/css")
    assert "immutable" in answer.headers["cache-control"]
    of_another_version = client.get(f"/style/0123456789abcdef/{name}")
    assert (of_another_version.text, of_another_version.headers["cache-control"]) == (stylesheet(name), "no-store")


@pytest.mark.parametrize("name", ["style.py", "..%2Fframe.py", "secrets.css"])
def test_nothing_but_the_style_sheets_is_served_beside_them(client: TestClient, name: str) -> None:
    assert client.get(f"/style/0123456789abcdef/{name}").status_code == 404


@pytest.mark.parametrize("address", ["/graph/_stcore/health", "/memory/_stcore/host-config"])
def test_below_a_page_there_is_neither_a_server_nor_an_error(client: TestClient, address: str) -> None:
    assert client.get(address, follow_redirects=False).status_code == 300


@pytest.mark.parametrize(
    ("address", "signed"),
    [
        ("/files/page/d1/0.png?w=480", ""),
        ("/files/page/d1/0.png?w=480&token=", ""),
        ("/files/page/d1/0.png?w=480&token=0000", ""),
        ("/files/page/d1/0.png?w=480&token=é", ""),
        ("/files/page/d2/0.png?w=480", "/files/page/d1/0.png"),
        ("/files/page/d1/0.png?w=99999", "/files/page/d1/0.png"),
        ("/files/page/d1/0.png?w=4e2", "/files/page/d1/0.png"),
        ("/files/page/d1/7.png?w=480", "/files/page/d1/7.png"),
        ("/files/page/d1/-1.png?w=480", "/files/page/d1/-1.png"),
        ("/files/page/d1/x.png?w=480", "/files/page/d1/x.png"),
        ("/files/figure/d1/0/1,2,3,4.png", ""),
        ("/files/figure/d1/0/1,2,3,4.png", "/files/figure/d1/0/1,2,3,5.png"),
        ("/files/figure/d1/7/1,2,3,4.png", "/files/figure/d1/7/1,2,3,4.png"),
        ("/files/page/..%2F..%2Fetc/0.png?w=480", "/files/page/../../etc/0.png"),
    ],
)
def test_every_other_address_is_not_found(opened: FakeServices, client: TestClient, address: str, signed: str) -> None:
    token = f"&token={token_of(signed)}" if signed else ""
    assert client.get(address + token).status_code == 404
    assert opened.lifecycle.page_images.drawn == []


def test_tokens_belong_to_one_path_and_one_process() -> None:
    assert is_issued(asked_for("/a", token_of("/a")))
    assert not is_issued(asked_for("/b", token_of("/a")))
    assert not is_issued(asked_for("/a", token_of("/a").upper()))


def asked_for(path: str, token: str) -> Request:
    return Request({"type": "http", "path": path, "headers": [], "query_string": f"token={token}".encode()})


def test_the_places_of_a_quote_are_told_to_who_has_its_address(opened: FakeServices, client: TestClient) -> None:
    address = quote_url("d1", 0, "every buoy", [(0, 0, 300, 90)])
    assert client.get(address).status_code == 200
    assert client.get(address.replace("every", "another")).status_code == 404


def test_a_run_is_followed_from_its_beginning_to_its_end(opened: FakeServices, client: TestClient) -> None:
    opened.library.documents.kept["d-handbook.pdf"] = document()
    run_id = opened.worker.start(RunRequest("Why <b>?", BASE.id))
    ended = RunFinished("answered", 2.0, Usage())
    opened.worker.end(run_id, [NodeStarted("plan", 1), AnswerReady("Because.", ()), ended])
    with use_language("zh-hans"):
        address = live_address(run_id)
    answer = client.get(address)
    assert answer.headers["content-type"].startswith("text/event-stream")
    changes = [json.loads(line[6:]) for line in answer.text.splitlines() if line.startswith('data: {"')]
    turn = dict(changes[0]["turn"])
    assert turn["question"] == '<h2 class="gt-question">Why &lt;b&gt;?</h2>'
    assert "Because." in turn["answer"]
    assert "规划" in dict(changes[0]["run"])["step-1"]
    assert answer.text.rstrip().endswith("event: end\ndata: {}")


def test_the_stream_of_a_run_needs_its_token(opened: FakeServices, client: TestClient) -> None:
    run_id = opened.worker.start(RunRequest("Why?", BASE.id))
    assert client.get(f"/runs/{run_id}/live/en").status_code == 404
    assert client.get(f"/runs/{run_id}/live/en?token={token_of('/runs/other/live/en')}").status_code == 404
    assert client.get(f"/runs/{run_id}/live/xx?token={token_of(f'/runs/{run_id}/live/xx')}").status_code == 404


def test_a_stream_ends_by_itself_so_that_the_server_can_stop(
    opened: FakeServices, client: TestClient, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_route, "CONNECTION_SECONDS", 1.0)
    run_id = opened.worker.start(RunRequest("Why?", BASE.id))
    text = client.get(live_address(run_id)).text
    assert "So far" in text
    assert "event: end" not in text


def test_only_what_changed_is_sent_again(opened: FakeServices) -> None:
    run_id = opened.worker.start(RunRequest("Why?", BASE.id))
    follower = Follower(run_id, "en")
    first, ended = follower.poll()
    assert {"question", "answer"} <= {name for name, _ in first["turn"]}
    assert not ended
    assert follower.poll() == ({}, False)
    opened.runs.append(run_id, [AnswerDelta(" and more")])
    second, _ = follower.poll()
    assert [name for name, _ in second["turn"]] == ["answer"]
    assert "run" not in second


def under_way(opened: FakeServices, answer: str) -> str:
    """A run of this process that has written so much."""
    run_id = opened.worker.start(RunRequest("Why?", BASE.id))
    opened.worker.views[run_id] = RunView("Why?", "adaptive", answer=answer)
    return run_id


def test_a_run_of_this_process_is_shown_ahead_of_its_log(opened: FakeServices) -> None:
    run_id = under_way(opened, "First")
    follower = Follower(run_id, "en")
    assert follower.more() is None, "the page has nothing yet"
    assert "First" in dict(follower.poll()[0]["turn"])["answer"]
    assert follower.more() == {}
    opened.worker.views[run_id] = replace(opened.worker.views[run_id], answer="First words")
    changes = follower.more()
    assert changes is not None
    assert list(changes) == ["turn"]
    assert [name for name, _ in changes["turn"]] == ["answer"]
    assert "First words" in changes["turn"][0][1]
    opened.worker.views[run_id] = replace(opened.worker.views[run_id], steps=(StepView("guard", 1),))
    assert follower.more() is None, "a step is more than words"


def test_how_a_run_of_this_process_ended_is_told_by_the_log(opened: FakeServices) -> None:
    run_id = under_way(opened, "First words")
    follower = Follower(run_id, "en")
    follower.poll()
    opened.worker.end(run_id, [AnswerReady("The whole answer.", ()), RunFinished("answered", 2.0, Usage())])
    ended = replace(opened.worker.views[run_id], status=RunStatus.DONE)
    opened.worker.views[run_id] = ended
    assert follower.more() is None
    changes, over = follower.poll()
    assert over
    assert "The whole answer." in dict(changes["turn"])["answer"]


def test_news_of_a_run_are_sent_without_waiting_for_the_next_look(
    opened: FakeServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live_route, "POLL_SECONDS", 60.0)
    run_id = under_way(opened, "First")

    async def two_messages() -> list[str]:
        stream = live_route.messages(Follower(run_id, "en"))
        received = [await anext(stream), await anext(stream)]

        def say_more() -> None:
            opened.worker.views[run_id] = replace(opened.worker.views[run_id], answer="First words")
            opened.worker.listeners[run_id]()

        timer = threading.Timer(0.1, say_more)
        timer.start()
        received.append(await anext(stream))
        timer.join()
        await stream.aclose()
        return received

    assert "First words" in asyncio.run(asyncio.wait_for(two_messages(), 30))[-1]
    assert opened.worker.listeners == {}


def test_a_run_that_is_over_is_followed_until_its_picture_can_be_drawn(
    opened: FakeServices, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_id = opened.worker.start(RunRequest("Why?", BASE.id))
    opened.worker.end(run_id, [RunFinished("answered", 2.0, Usage())])
    monkeypatch.setattr(workflow_choices, "_READY", threading.Event())
    follower = Follower(run_id, "en")
    first, ended = follower.poll()
    assert dict(first["run"])["drawing"] == ""
    assert not ended
    workflow_choices.prepare_pictures()
    second, ended = follower.poll()
    assert "<svg" in dict(second["run"])["drawing"]
    assert ended


def test_a_stream_ends_when_the_process_of_the_run_is_gone(opened: FakeServices) -> None:
    run_id = opened.worker.start(RunRequest("Why?", BASE.id), owner="gone")
    opened.worker.dead.add("gone")
    changes, ended = Follower(run_id, "en").poll()
    assert ended
    assert "stopped while this answer" in dict(changes["turn"])["end"]


def test_every_answer_carries_the_security_headers(client: TestClient) -> None:
    headers = client.get("/nowhere").headers
    assert headers["x-content-type-options"] == "nosniff"
    assert headers["referrer-policy"] == "no-referrer"
    assert "frame-ancestors 'self'" in headers["content-security-policy"]


def test_a_route_may_be_stricter_than_the_rest(client: TestClient) -> None:
    assert client.get("/strict").headers["content-security-policy"] == "default-src 'none'"


def test_the_policy_names_no_other_origin_and_allows_inline_scripts_by_hash_only() -> None:
    policy = content_security_policy("<script>a = 1</script><script type=module src=x></script><script>b</script>")
    scripts = next(part for part in policy.split("; ") if part.startswith("script-src"))
    assert len(re.findall(r"'sha256-[A-Za-z0-9+/=]+'", scripts)) == 2
    assert "unsafe" not in scripts
    assert not re.search(r"https?:|\*", policy)


def test_the_policy_knows_the_inline_scripts_of_the_installed_streamlit() -> None:
    assert "'sha256-" in security_headers()["Content-Security-Policy"]


class TestForms:
    def offered(self, opened: FakeServices, form: bool = True) -> str:
        stored = opened.storage.files.save(b"<script>alert(1)</script>", "leave.html")
        opened.library.documents.kept["d9"] = replace(
            document("d9"), name='le"ave\r\n请假.html', sha256=stored.sha256, form=form
        )
        return form_url("d9")

    def test_a_form_is_saved_as_it_was_uploaded_and_never_shown(self, opened: FakeServices, client: TestClient) -> None:
        answer = client.get(self.offered(opened))
        assert answer.content == b"<script>alert(1)</script>"
        assert answer.headers["content-type"] == "application/octet-stream"
        assert answer.headers["content-disposition"] == (
            "attachment; filename*=UTF-8''le%22ave%0D%0A%E8%AF%B7%E5%81%87.html"
        )
        assert opened.storage.access.audit.noted == [("document.downloaded", "d9")]

    def test_only_forms_are_given_out(self, opened: FakeServices, client: TestClient) -> None:
        assert client.get(self.offered(opened, form=False)).status_code == 404
        assert client.get(form_url("nothing")).status_code == 404

    def test_an_address_needs_its_token(self, opened: FakeServices, client: TestClient) -> None:
        address = self.offered(opened)
        assert client.get(address.split("?")[0]).status_code == 404

    def test_an_answer_offers_its_forms_as_buttons(self) -> None:
        html = forms_part((("d9", "<b>leave</b>.html"),))
        assert "/files/form/d9?token=" in html
        assert "&lt;b&gt;leave" in html
        assert forms_part(()) == ""
