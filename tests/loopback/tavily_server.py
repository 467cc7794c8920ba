"""A Tavily double: POST /search with the real requests, results and errors."""

from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from typing import Any

from tests.loopback.answers import Page, SlowHeaders
from tests.loopback.server import Loopback, Recorded, Wire


@dataclass(frozen=True, slots=True)
class Results:
    """Search results, each {title, url, content, score}; or any body at all."""

    results: Any = field(default_factory=list)
    body: Any = None


@dataclass(frozen=True, slots=True)
class Refusal:
    """An error in the service's form: 400, 401, 403, 429, 432, 433, 500."""

    status: int
    message: str = "No."


@dataclass(frozen=True, slots=True)
class Redirect:
    location: str


SearchAnswer = Results | Refusal | Redirect | Page | SlowHeaders

FAILURES: dict[str, tuple[SearchAnswer, str]] = {
    "400": (Refusal(400), "web_search.refused"),
    "401": (Refusal(401), "web_search.key_refused"),
    "403": (Refusal(403), "web_search.plan"),
    "429": (Refusal(429), "web_search.quota"),
    "432": (Refusal(432), "web_search.plan"),
    "433": (Refusal(433), "web_search.plan"),
    "500": (Refusal(500), "web_search.unavailable"),
    "html": (Page(), "web_search.malformed"),
    "another shape": (Results(body={"results": 7}), "web_search.malformed"),
    "elsewhere": (Redirect("http://127.0.0.1:9/"), "web_search.malformed"),
    "slow": (SlowHeaders(), "web_search.timeout"),
    "no results": (Results(), "run.reason.web_nothing"),
}
"""Every way of bringing nothing, with the key of what is said of it."""


class TavilyServer(Loopback):
    """Answers come from a function of the request's body, or are used up in order (then status 500)."""

    def __init__(self, script: Iterable[SearchAnswer] | Callable[[dict[str, Any]], SearchAnswer]) -> None:
        super().__init__()
        left = [] if callable(script) else list(script)
        self._script = script if callable(script) else lambda _: left.pop(0) if left else Refusal(500)

    def answer(self, request: Recorded, wire: Wire) -> None:
        if request.path != "/search":
            wire.send_json(404, {"detail": "Not Found"})
            return
        answer = self._script(request.body)
        match answer:
            case Results():
                wire.send_json(200, _body(request.body, answer) if answer.body is None else answer.body)
            case Refusal():
                wire.send_json(answer.status, {"detail": {"error": answer.message}})
            case Redirect():
                wire.send(302, b"", "text/plain", {"Location": answer.location})
            case Page():
                wire.send(answer.status, answer.html.encode(), "text/html")
            case SlowHeaders():
                wire.raw(b"HTTP/1.1 200 OK\r\nX-Slow: ")
                while True:
                    wire.pause(answer.pause_seconds)
                    wire.raw(b"z")


def _body(request: dict[str, Any], answer: Results) -> dict[str, Any]:
    return {
        "query": request.get("query"),
        "follow_up_questions": None,
        "answer": None,
        "images": [],
        "results": answer.results,
        "response_time": 0.01,
        "request_id": "loopback",
    }
