"""Where people sign in: what a request, an open stream and a page left open get once its person has signed out."""

import asyncio
import re
import threading
from collections.abc import Callable, Iterator
from types import SimpleNamespace

import pytest
from starlette.applications import Starlette
from starlette.middleware import Middleware
from starlette.responses import StreamingResponse
from starlette.routing import Mount, Route
from starlette.testclient import TestClient

from core.interfaces.http import admission
from core.platform.errors import ForbiddenError
from core.platform.identity import Person, acting
from core.platform.texts import text
from pages.components.documents.routes import page_image_url
from pages.components.shell import downloads, identity
from pages.components.shell.language import t, use_language
from pages.components.shell.routes import ROUTES
from tests.fakes.services import FakeServices

ADA = Person("ada", "Ada")
VERBS = ("GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS")
STREAMLITS = ("/media/x.pdf", "/_stcore/upload_file/x/y")
"""Routes of Streamlit's own that give out or take what people keep."""
OPEN = re.compile(r"/(graph-view/assets/|style/|\w+/_stcore/|api$)")
"""The same for everybody: scripts and style sheets of ours, the list of operations, and answers without contents."""


class Session:
    """One sign-in, as the cookie and the database would tell of it."""

    def __init__(self) -> None:
        self.person: Person | None = ADA
        self.noted: list[tuple[str, str, str]] = []

    def note(self, action: str, target: str = "") -> None:
        person = acting()
        self.noted.append((person.id if person else "", action, target))


@pytest.fixture
def session(opened: FakeServices, monkeypatch: pytest.MonkeyPatch) -> Session:
    made = Session()
    monkeypatch.setattr(opened.storage.access, "audit", made, raising=False)
    monkeypatch.setattr(admission, "CHECK_SECONDS", 0.0)
    for module in (identity, downloads):
        monkeypatch.setattr(module, "sign_in_configured", lambda: True)
        monkeypatch.setattr(module, "person_signed_in", lambda claims: made.person)
    monkeypatch.setattr("streamlit.user", SimpleNamespace(to_dict=dict))
    return made


@pytest.fixture
def client(opened: FakeServices, session: Session) -> Iterator[TestClient]:
    async def told() -> object:
        for number in range(100):
            if number == 3:
                session.person = None
            yield f"{number} "
            await asyncio.sleep(0)

    async def live(request: object) -> StreamingResponse:
        return StreamingResponse(told())  # type: ignore[arg-type]

    routes = [Route("/runs/endless/live/en", live), *ROUTES]
    with TestClient(Starlette(routes=routes, middleware=[Middleware(identity.SignedIn)])) as made:
        yield made


def test_no_route_gives_anything_to_who_has_signed_out(client: TestClient, session: Session) -> None:
    address = page_image_url("d1", 1, 480)
    assert client.get(address).status_code == 200
    session.person = None
    paths = [re.sub(r"\{[^}]*\}", "1", route.path) for route in ROUTES if isinstance(route, Route)]
    closed = [path for path in (*paths, *STREAMLITS, address) if not OPEN.match(path) and path != "/mcp"]
    assert len(closed) >= 7
    assert {(path, client.request(verb, path).status_code) for path in closed for verb in VERBS} == {
        (path, 401) for path in closed
    }
    keyed = {route.path for route in ROUTES if isinstance(route, Mount)} | {"/mcp"}
    assert keyed == {"/api", "/agent", "/v1", "/mcp"}, "a new way in needs a key or a sign-in"


def test_an_open_stream_ends_with_the_sign_in(client: TestClient) -> None:
    answer = client.get("/runs/endless/live/en")
    assert answer.status_code == 200
    assert answer.text.split() == ["0", "1", "2"]


def test_a_file_is_made_for_who_asked_and_not_after_they_signed_out(session: Session) -> None:
    """Streamlit makes it in a thread that knows nothing of the page."""
    made = downloads.made_on_click(lambda: f"of {acting()}", "graph.exported", "base")
    assert _elsewhere(made) == f"of {ADA}"
    assert session.noted == [("ada", "graph.exported", "base")]
    session.person = None
    with pytest.raises(ForbiddenError):
        made()
    assert len(session.noted) == 1


@pytest.mark.parametrize("signs_in", [True, False])
def test_a_file_is_made_in_the_language_of_the_page(
    session: Session, monkeypatch: pytest.MonkeyPatch, signs_in: bool
) -> None:
    monkeypatch.setattr(downloads, "sign_in_configured", lambda: signs_in)
    with use_language("zh-hans"):
        made = downloads.made_on_click(lambda: t("chat.turn.sources"), "chats.exported")
    assert _elsewhere(made) == text("chat.turn.sources", "zh-hans")


def _elsewhere(work: Callable[[], str]) -> str:
    found: list[str] = []
    thread = threading.Thread(target=lambda: found.append(work()))
    thread.start()
    thread.join()
    return found[0]
