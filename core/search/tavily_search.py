"""Web search by Tavily. Without a key nothing is sent; the client by itself would search without one."""

import io
import logging
import math
import re
from typing import Any
from urllib.parse import urlsplit

import httpx2
import requests
from requests.adapters import BaseAdapter
from tavily import TavilyClient, errors  # type: ignore[import-untyped]  # it ships no types

from core.models.failures import EndpointError
from core.models.redact import redact
from core.platform.errors import ConfigurationError, InputError, RetryableServiceError, ServiceError
from core.platform.http.guarded_client import open_client
from core.platform.plain_text import storable
from core.search.ports import WebResult

log = logging.getLogger(__name__)
BASE_URL = "https://api.tavily.com"
SEARCH_SECONDS = 15.0
MOST_RESULTS = 10
LONGEST_QUERY = 400
"""In characters; the service accepts no more."""
LONGEST_TITLE, LONGEST_TEXT, LONGEST_URL = 300, 4000, 2000
_CONTROL = re.compile(r"[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028-\u202e\u2066-\u2069]")
_UNREADABLE = (ValueError, TypeError, AttributeError)
"""What the client raises on a response of unexpected shape."""
_FAILURES = (errors.InvalidAPIKeyError, errors.UsageLimitExceededError, errors.ForbiddenError, errors.BadRequestError)
_KEYS = {
    errors.InvalidAPIKeyError: "web_search.key_refused",
    errors.ForbiddenError: "web_search.plan",
    errors.BadRequestError: "web_search.refused",
}
_FIELDS = (("url", LONGEST_URL), ("title", LONGEST_TITLE), ("content", LONGEST_TEXT))


class TavilySearch:
    def __init__(self, api_key: str, base_url: str = "", seconds: float | None = None) -> None:
        """`seconds` is the wall-clock limit of a search. Raises ConfigurationError without a usable key or address."""
        self._key = api_key.strip()
        self._base_url = (base_url.strip() or BASE_URL).rstrip("/")
        self._seconds = seconds or SEARCH_SECONDS
        if not self._key:
            raise ConfigurationError("web_search.no_key")
        if not (self._key.isascii() and self._key.isprintable()):
            raise ConfigurationError("web_search.key_refused")
        if not _is_web(self._base_url):
            raise ConfigurationError("web_search.address_unusable")
        session = guarded_session(self._base_url)
        self._client = TavilyClient(api_key=self._key, api_base_url=self._base_url, session=session)

    def search(self, query: str, limit: int) -> list[WebResult]:
        """At most `limit` results (never more than MOST_RESULTS), in the service's order, each address once."""
        words = outgoing_query(query)
        limit = max(1, min(limit, MOST_RESULTS))
        answer = self._ask(words, limit)
        found = answer.get("results") if isinstance(answer, dict) else None
        if not isinstance(found, list):
            raise ServiceError("web_search.malformed")
        results: dict[str, WebResult] = {}
        for result in filter(None, map(_result, found)):
            results.setdefault(result.url, result)
        return list(results.values())[:limit]

    def _ask(self, query: str, limit: int) -> object:
        try:
            return self._client.search(query, max_results=limit, timeout=self._seconds)
        except (*_FAILURES, errors.TimeoutError, requests.RequestException, *_UNREADABLE) as error:
            problem = _problem(error)
            said = redact(f"{type(error).__name__}: {error}", [self._key])[:500]
        log.warning("%s: %s", problem.key, said)
        raise problem from EndpointError(said)


def outgoing_query(query: str) -> str:
    """The exact words sent for a query. Raises InputError if nothing is left."""
    words = " ".join(_clean(query, LONGEST_QUERY).split())
    if not words:
        raise InputError("web_search.no_query")
    return words


def _problem(error: Exception) -> ServiceError:
    if isinstance(error, errors.UsageLimitExceededError):
        return RetryableServiceError("web_search.quota")
    if isinstance(error, errors.TimeoutError):
        return RetryableServiceError("web_search.timeout")
    if isinstance(error, requests.HTTPError):
        return RetryableServiceError("web_search.unavailable")
    if isinstance(error, requests.JSONDecodeError | requests.TooManyRedirects):
        return ServiceError("web_search.malformed")
    if isinstance(error, requests.RequestException):
        return RetryableServiceError("web_search.unreachable")
    return ServiceError(_KEYS.get(type(error), "web_search.malformed"))


def _result(item: Any) -> WebResult | None:
    """A result with an openable address; None for anything else."""
    if not isinstance(item, dict):
        return None
    url, title, text = (_clean(item.get(name), longest) for name, longest in _FIELDS)
    if not _is_web(url := url.strip()):
        return None
    return WebResult(title.strip() or url, url, text.strip(), _score(item.get("score")))


def _clean(value: object, longest: int) -> str:
    """The text without control characters, lone surrogates and direction marks; empty if it is not text."""
    return storable(_CONTROL.sub(" ", value[:longest])) if isinstance(value, str) else ""


def _score(value: object) -> float | None:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    if isinstance(value, float) and math.isnan(value):
        return None
    return float(min(1, max(0, value)))


def _is_web(url: str) -> bool:
    """An http or https address without credentials or white space."""
    if any(character.isspace() for character in url):
        return False
    try:
        parts = urlsplit(url)
        return parts.scheme in ("http", "https") and bool(parts.hostname) and not parts.username
    except ValueError:
        return False


class _GuardedAdapter(BaseAdapter):
    def __init__(self, base_url: str) -> None:
        super().__init__()
        self._client = open_client(base_url)

    def send(
        self, request: requests.PreparedRequest, *_: Any, timeout: Any = None, **__: Any
    ) -> requests.Response:  # the session's other options concern urllib3
        """`timeout` is the wall-clock limit of the whole request, in seconds."""
        try:
            answer = self._client.request(
                request.method or "GET",
                request.url or "",
                content=request.body if isinstance(request.body, str | bytes) else None,
                headers={name: str(value) for name, value in request.headers.items()},
                timeout=timeout,
            )
        except httpx2.TimeoutException as error:
            raise requests.exceptions.ReadTimeout(str(error), request=request) from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise requests.exceptions.ConnectionError(str(error), request=request) from error
        return _response(request, answer)

    def close(self) -> None:
        self._client.close()


def guarded_session(base_url: str) -> requests.Session:
    """A session without redirects that adds no credentials from netrc or the environment."""
    session = requests.Session()
    session.trust_env = False
    session.max_redirects = 0
    for scheme in ("http://", "https://"):
        session.mount(scheme, _GuardedAdapter(base_url))
    return session


def _response(request: requests.PreparedRequest, answer: httpx2.Response) -> requests.Response:
    response = requests.Response()
    response.status_code = answer.status_code
    response.headers.update(answer.headers)
    response.raw = io.BytesIO(answer.content)
    response.url = request.url or ""
    response.request = request
    response.encoding = "utf-8"
    return response
