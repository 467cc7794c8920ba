"""Identity and role of the person, read from the cookie that Streamlit signs at sign-in, for pages and routes."""

import json
import re
import threading
import time
from collections.abc import Mapping
from datetime import UTC, datetime
from hashlib import sha256
from typing import TYPE_CHECKING, Any

import streamlit as st
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send
from streamlit.runtime.scriptrunner import get_script_run_ctx

from core.interfaces.http.admission import serve_while
from core.platform.identity import Person, Role, acting_as
from core.platform.ids import content_id
from pages.components.shell.language import t
from pages.components.shell.services import services
from pages.components.shell.sign_in import sign_in_configured

if TYPE_CHECKING:
    from core.app.services import Services

CLOSED = re.compile(r"/(files|media|_stcore/upload_file|graph-view/(?!assets/)|runs/[^/]+/live)/?")
"""Paths that serve people's data. The HTTP interface requires a key instead."""
LOGOUT = "/auth/logout"
_LOOK_AGAIN_SECONDS = 1.0
"""Seconds for which a page may continue after its person signed out elsewhere."""
_SESSIONS: dict[str, tuple[float, bool]] = {}
"""Time of the last lookup and whether the session had ended, by digest."""
_MOST_SESSIONS = 1_000
_LOOKING = threading.RLock()
Claims = Mapping[str, Any]


def page_person() -> Person | None:
    """Person of the page that is being drawn in this thread."""
    if get_script_run_ctx(suppress_warning=True) is None or not sign_in_configured():
        return None
    return person_signed_in(st.user.to_dict())


def may_administer() -> bool:
    """Whether the person is an administrator; always true without sign-in."""
    if not sign_in_configured():
        return True
    person = page_person()
    return person is not None and person.admin


def person_signed_in(claims: Claims) -> Person | None:
    """Person of a request; None without sign-in or after sign-out."""
    if not claims.get("is_logged_in") or not claims.get("sub"):
        return None
    opened = services()
    person = person_of(claims, opened.settings.admins)
    signed_in_at = datetime.fromtimestamp(int(claims.get("iat") or 0), UTC)
    return None if _has_ended(opened, session_of(claims), person, signed_in_at) else person


def person_of(claims: Claims, admins: str) -> Person:
    """Person of the claims; an address not verified by the provider never makes an administrator."""
    groups = claims.get("groups")
    email = str(claims.get("email") or "")
    known = {name.strip().casefold() for name in admins.split(",") if name.strip()}
    named = {str(claims["sub"]).casefold()} | ({email.casefold()} if claims.get("email_verified") is True else set())
    return Person(
        id=content_id("person", str(claims.get("iss", "")), str(claims["sub"])),
        name=str(claims.get("name") or email or claims["sub"]),
        email="" if claims.get("email_verified") is False else email,
        groups=tuple(sorted(map(str, groups))) if isinstance(groups, list) else (),
        admin=bool(known & named),
    )


def session_of(claims: Claims) -> str:
    """Id of a sign-in, equal for the cookie and the page's session."""
    parts = [str(claims.get(name, "")) for name in ("iss", "sub", "iat", "nonce")]
    return sha256(json.dumps(parts).encode()).hexdigest()


def _has_ended(opened: "Services", session: str, person: Person, signed_in_at: datetime) -> bool:
    with _LOOKING:  # or two requests at once would both be the first
        return _looked_up(opened, session, person, signed_in_at)


def _looked_up(opened: "Services", session: str, person: Person, signed_in_at: datetime) -> bool:
    looked, ended = _SESSIONS.get(session, (None, False))
    now = time.monotonic()
    if looked is not None and (ended or now - looked < _LOOK_AGAIN_SECONDS):
        return ended
    ended = opened.storage.access.people.is_ended(session)
    if looked is None and not ended:
        opened.storage.access.people.enter(person, signed_in_at)
        with acting_as(person):
            opened.storage.access.audit.note("session.seen")
    if len(_SESSIONS) >= _MOST_SESSIONS:
        _SESSIONS.clear()
    _SESSIONS[session] = (now, ended)
    return ended


def end_session(claims: Claims) -> None:
    """End the session, so that its cookie is no longer accepted."""
    if not claims.get("sub"):
        return
    opened, session = services(), session_of(claims)
    opened.storage.access.people.end_session(session)
    _SESSIONS[session] = (time.monotonic(), True)
    with acting_as(person_of(claims, "")):
        opened.storage.access.audit.note("session.ended")


def claims_of(request: Request) -> Claims:
    """Claims of the signed cookie; empty without a valid one."""
    from streamlit.auth_util import get_cookie_with_chunks
    from streamlit.web.server.server_util import get_cookie_secret
    from streamlit.web.server.starlette.starlette_app_utils import decode_signed_value
    from streamlit.web.server.starlette.starlette_server_config import USER_COOKIE_NAME

    def cookie(name: str) -> bytes | None:
        value = request.cookies.get(name)
        return decode_signed_value(get_cookie_secret(), name, value.encode("latin-1", "replace")) if value else None

    try:
        claims = json.loads(get_cookie_with_chunks(cookie, USER_COOKIE_NAME) or b"{}")
    except ValueError:
        return {}
    return claims if isinstance(claims, dict) else {}


class SignedIn:
    """ASGI middleware: serves what people keep only to somebody signed in, and on their behalf."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        path = scope.get("path", "")
        is_closed, is_logout = CLOSED.match(path), path == LOGOUT
        if scope["type"] != "http" or not (is_closed or is_logout) or not sign_in_configured():
            await self.app(scope, receive, send)
            return
        claims = claims_of(Request(scope))
        if is_logout:
            await run_in_threadpool(end_session, claims)
            await self.app(scope, receive, send)
            return
        person = await run_in_threadpool(person_signed_in, claims)
        if person is None:
            await PlainTextResponse("sign in first", status_code=401)(scope, receive, send)
            return
        with acting_as(person):
            await serve_while(lambda: person_signed_in(claims) is not None, self.app, scope, receive, send)


def role_in(base_id: str) -> Role:
    """Role of the current person; owner without sign-in."""
    return services().storage.access.shares.role(base_id) if sign_in_configured() else Role.OWNER


def may_edit(base_id: str) -> bool:
    return role_in(base_id).includes(Role.EDITOR)


def say_read_only() -> None:
    """Say that the base is read-only, instead of drawing controls."""
    st.caption(f":material/visibility: {t('people.read_only')}")
