"""What every WebSearch does, over Tavily's wire."""

import time
from typing import Any

import pytest

from core.platform.errors import ConfigurationError, InputError, RetryableServiceError, ServiceError
from core.platform.http.guarded_client import stoppable
from core.search.ports import WebResult, WebSearch
from core.search.tavily_search import SEARCH_SECONDS, TavilySearch
from tests.loopback.answers import Page, SlowHeaders
from tests.loopback.tavily_server import Redirect, Refusal, Results, SearchAnswer, TavilyServer

KEY = "tvly-dev-0123456789abcdef"


def item(number: int, **changes: Any) -> dict[str, Any]:
    url = f"https://example.org/{number}"
    return {"title": f"T{number}", "url": url, "content": f"c{number}", "score": 0.9, "raw_content": None, **changes}


def searched(answer: SearchAnswer, query: str = "dam", limit: int = 3, seconds: float = 5.0) -> list[WebResult]:
    with TavilyServer([answer]) as server:
        search: WebSearch = TavilySearch(KEY, server.url, seconds)
        return list(search.search(query, limit))


def test_results_have_title_address_text_and_score() -> None:
    found = searched(Results([item(1), item(2, score=None)]))
    assert found == [
        WebResult("T1", "https://example.org/1", "c1", 0.9),
        WebResult("T2", "https://example.org/2", "c2", None),
    ]


def test_nothing_found_is_an_empty_list() -> None:
    assert searched(Results([])) == []


def test_the_query_goes_out_with_the_key_and_nothing_else() -> None:
    with TavilyServer([Results([item(1)])]) as server:
        TavilySearch(f" {KEY} ", server.url + "/").search("  what is\na dam? ", 3)
    (request,) = server.requests
    assert request.body == {"query": "what is a dam?", "max_results": 3}
    assert request.headers["authorization"] == f"Bearer {KEY}"
    assert "x-tavily-access-mode" not in request.headers


def test_results_are_bounded_and_each_address_comes_once() -> None:
    found = searched(
        Results([item(1, title="t" * 999, content="c" * 99_999), item(1), *map(item, range(2, 40))]), limit=50
    )
    assert len(found) == 10
    assert len(found[0].title) == 300
    assert len(found[0].text) == 4000
    assert len(searched(Results(list(map(item, range(9)))), limit=-1)) == 1


@pytest.mark.parametrize(
    "odd",
    [
        None,
        "text",
        {},
        item(1, url="javascript:alert(1)"),
        item(1, url="https://user:pass@example.org/"),
        item(1, url="http://[bad"),
        item(1, url=5),
        item(1, url="https://"),
    ],
)
def test_results_that_no_one_can_open_are_left_out(odd: object) -> None:
    assert [result.title for result in searched(Results([odd, item(2)]))] == ["T2"]


@pytest.mark.parametrize(
    ("given", "score"), [(2, 1.0), (-1, 0.0), (float("nan"), None), (True, None), ("1", None), (10**400, 1.0)]
)
def test_odd_scores_are_bounded(given: object, score: float | None) -> None:
    assert searched(Results([item(1, score=given)]))[0].score == score


def test_odd_characters_do_not_survive() -> None:
    (found,) = searched(Results([item(1, title="a\x00b\u202ec", content="\ud800x", url="https://example.org/1\n")]))
    assert (found.title, found.text) == ("a b c", "\ufffdx")


@pytest.mark.parametrize(
    ("answer", "key", "kind"),
    [
        (Refusal(401), "web_search.key_refused", ServiceError),
        (Refusal(400), "web_search.refused", ServiceError),
        (Refusal(403), "web_search.plan", ServiceError),
        (Refusal(432), "web_search.plan", ServiceError),
        (Refusal(433), "web_search.plan", ServiceError),
        (Refusal(429), "web_search.quota", RetryableServiceError),
        (Refusal(500), "web_search.unavailable", RetryableServiceError),
        (Refusal(204), "web_search.malformed", ServiceError),
        (Redirect("https://elsewhere.example/search"), "web_search.malformed", ServiceError),
        (Page(), "web_search.malformed", ServiceError),
        (Page(502), "web_search.unavailable", RetryableServiceError),
        (Results(body=[1]), "web_search.malformed", ServiceError),
        (Results(body="no"), "web_search.malformed", ServiceError),
        (Results(body={"results": {"a": 1}}), "web_search.malformed", ServiceError),
        (Results(body={"results": None}), "web_search.malformed", ServiceError),
    ],
)
def test_every_failure_is_a_sentence(answer: SearchAnswer, key: str, kind: type[ServiceError]) -> None:
    with pytest.raises(kind) as caught:
        searched(answer)
    assert caught.value.key == key
    assert caught.value.sentence("zh-hans")


def test_a_service_that_trickles_ends_in_time() -> None:
    started = time.monotonic()
    with pytest.raises(RetryableServiceError) as caught:
        searched(SlowHeaders(), seconds=0.4)
    assert caught.value.key == "web_search.timeout"
    assert time.monotonic() - started < SEARCH_SECONDS - 1


def test_a_stop_ends_a_search_that_waits() -> None:
    started = time.monotonic()
    with stoppable(lambda: time.monotonic() - started > 0.2), pytest.raises(ServiceError):
        searched(SlowHeaders(), seconds=30)
    assert time.monotonic() - started < 20


def test_no_connection_is_a_sentence() -> None:
    with pytest.raises(RetryableServiceError) as caught:
        TavilySearch(KEY, "http://127.0.0.1:9").search("dam", 3)
    assert caught.value.key == "web_search.unreachable"


@pytest.mark.parametrize("query", ["", " \n\t", "\x00"])
def test_an_empty_query_does_not_leave(query: str) -> None:
    with TavilyServer([]) as server, pytest.raises(InputError):
        TavilySearch(KEY, server.url).search(query, 3)
    assert server.requests == []


def test_a_long_query_is_cut() -> None:
    with TavilyServer([Results([])]) as server:
        TavilySearch(KEY, server.url).search("水库" * 1000, 3)
    assert len(server.requests[0].body["query"]) == 400


@pytest.mark.parametrize("key", ["", "  ", "\n"])
def test_without_a_key_nothing_leaves(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", KEY)
    with TavilyServer([]) as server, pytest.raises(ConfigurationError) as caught:
        TavilySearch(key, server.url).search("dam", 3)
    assert caught.value.key == "web_search.no_key"
    assert server.requests == []


@pytest.mark.parametrize("address", ["ftp://example.org", "example.org", "http://", "https://key@example.org"])
def test_an_address_that_cannot_work_is_refused(address: str) -> None:
    with pytest.raises(ConfigurationError) as caught:
        TavilySearch(KEY, address)
    assert caught.value.key == "web_search.address_unusable"


def test_the_key_is_in_no_error_and_no_log(caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    with pytest.raises(ServiceError) as caught:
        searched(Refusal(401, f"Unknown key {KEY}"))
    assert KEY not in caplog.text + str(caught.value) + str(caught.value.__cause__)
