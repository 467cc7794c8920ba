"""Access: every request needs a key, every route declares the scope that it needs.

Keys are read from the Authorization header only, because addresses end up in logs.
"""

import threading
import time
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextlib import nullcontext
from math import ceil
from typing import TYPE_CHECKING, Annotated

from fastapi import Depends, Request, Security
from fastapi.security import HTTPBearer
from starlette.concurrency import run_in_threadpool
from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from core.app.services import Services
from core.interfaces.http.admission import serve_while
from core.interfaces.http.problems import RefusedRequest, problem
from core.people.api_keys import ApiKey, KeyScope
from core.platform.errors import AppError
from core.platform.identity import SYSTEM, Person, acting_as

if TYPE_CHECKING:
    from starlette.requests import HTTPConnection

OPEN_PATHS = frozenset({"/api", "/api/", "/api/v1/health", "/api/v1/ready", "/api/v1/openapi.json"})
"""Paths without a key; their answers have no stored data."""
_KEY = "graphtalk.api_key"
_BEARER = HTTPBearer(auto_error=False, scheme_name="key", description="A key made on the Settings page under API.")
_MOST = 1_000
"""Number of buckets; the least recently used one is dropped."""


class KeyGuard:
    """ASGI middleware: requires a valid key for all paths but OPEN_PATHS."""

    def __init__(self, app: ASGIApp, services: Callable[[], Services]) -> None:
        self.app = app
        self._services = services
        self._limit = RateLimit()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self.app(scope, receive, send)
            return
        if scope["path"] in OPEN_PATHS:
            with acting_as(SYSTEM):
                await self.app(scope, receive, send)
            return
        send = _uncached(send)
        try:
            scope[_KEY], person = await run_in_threadpool(self._admitted, scope)
        except AppError as error:
            await problem(scope["path"], error)(scope, receive, send)
            return
        with acting_as(person) if person else nullcontext():
            await serve_while(lambda: _known(self._services(), scope) is not None, self.app, scope, receive, send)

    def _admitted(self, scope: Scope) -> tuple[ApiKey, Person | None]:
        """The key and its owner; the owner is None in a single-user installation.

        Raises RefusedRequest. Requests with invalid keys are limited by client address.
        """
        services = self._services()
        known = _known(services, scope)
        key, person = known or (None, None)
        client = scope.get("client")
        owner = (key.owner_id or key.id) if key else f"address {client[0] if client else ''}"
        limit = services.settings.api_requests_per_minute
        if seconds := self._limit.wait(owner, limit):
            refusal = RefusedRequest(429, "api.problem.busy", limit=limit, seconds=seconds)
            refusal.headers["Retry-After"] = str(seconds)
            raise refusal
        if key is None:
            refusal = RefusedRequest(401, "api.problem.unauthorized")
            refusal.headers["WWW-Authenticate"] = "Bearer"
            raise refusal
        return key, person


def _uncached(send: Send) -> Send:
    """Keeps responses out of caches, unless the route sets Cache-Control itself."""

    async def marked(message: Message) -> None:
        if message["type"] == "http.response.start":
            MutableHeaders(scope=message).setdefault("Cache-Control", "private, no-store")
        await send(message)

    return marked


def _known(services: Services, scope: Scope) -> tuple[ApiKey, Person | None] | None:
    """The valid key of a request and its owner; None without one."""
    key = services.storage.access.api_keys.known(_secret_of(Headers(scope=scope)))
    person = _person_of(services, key) if key else None
    if key is None or (person is None and (key.owner_id or services.storage.shared)):
        return None
    return key, person


def _person_of(services: Services, key: ApiKey) -> Person | None:
    """None for a key without an owner, and in a single-user installation."""
    return services.storage.access.people.get(key.owner_id) if key.owner_id and services.storage.shared else None


def key_of(connection: "HTTPConnection") -> ApiKey:
    """The key of a request that passed KeyGuard. Raises RefusedRequest otherwise."""
    key = connection.scope.get(_KEY)
    if not isinstance(key, ApiKey):
        raise RefusedRequest(401, "api.problem.unauthorized")
    return key


def require(key: ApiKey, needed: KeyScope) -> None:
    """Raises RefusedRequest."""
    if not key.scope.includes(needed):
        raise RefusedRequest(403, "api.problem.scope", needed=needed.value, scope=key.scope.value)


def _needs(needed: KeyScope) -> Callable[..., Awaitable[ApiKey]]:
    async def checked(request: Request, _: Annotated[object, Security(_BEARER)]) -> ApiKey:
        key = key_of(request)
        require(key, needed)
        return key

    return checked


def _services_of(request: Request) -> Services:
    found: Services = request.app.state.services()
    return found


def _secret_of(headers: Headers) -> str:
    """Empty without exactly one bearer token."""
    given = headers.getlist("authorization")
    kind, _, secret = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    return secret.strip() if kind.lower() == "bearer" else ""


ASK, READ, WRITE, ADMIN = (Security(_needs(scope), scopes=[scope.value]) for scope in KeyScope)
"""Scopes of routes, also documented in the OpenAPI document."""


Caller = Annotated[ApiKey, ASK]


ServicesDep = Annotated[Services, Depends(_services_of)]
"""The services of the app."""


class RateLimit:
    """A token bucket for each key, in this process; a full one allows the requests of a minute at once."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._lock = threading.Lock()
        self._buckets: OrderedDict[str, tuple[float, float]] = OrderedDict()
        """By owner: remaining requests, and the time of that count."""

    def wait(self, owner: str, per_minute: int) -> int:
        """Counts a request; 0 if it is allowed, otherwise the seconds until the next one is."""
        now = self._clock()
        with self._lock:
            left, since = self._buckets.pop(owner, (float(per_minute), now))
            left = min(per_minute, left + (now - since) * per_minute / 60)
            allowed = left >= 1
            self._buckets[owner] = (left - 1 if allowed else left, now)
            if len(self._buckets) > _MOST:
                self._buckets.popitem(last=False)
        return 0 if allowed else max(1, ceil((1 - left) * 60 / per_minute))
