"""A requests session that sends through the guarded client, for SDKs built on requests."""

import io
from typing import Any

import httpx2
import requests
from requests.adapters import BaseAdapter

from core.platform.http.guarded_client import open_client


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
