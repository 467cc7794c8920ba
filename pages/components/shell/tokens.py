"""Tokens for routes outside Streamlit's session: only addresses issued by this process work."""

import hmac
import secrets
from functools import cache
from urllib.parse import quote

from starlette.requests import Request
from starlette.responses import PlainTextResponse

PARAMETER = "token"


def signed(path: str) -> str:
    """Percent-encoded path with its token as a query."""
    return f"{quote(path)}?{PARAMETER}={token_of(path)}"


def is_issued(request: Request) -> bool:
    """Whether this process made the token for exactly the request's (decoded) path; in constant time."""
    token = request.query_params.get(PARAMETER, "")
    return hmac.compare_digest(token_of(request.scope["path"]).encode(), token.encode("utf-8", "replace"))


def not_found() -> PlainTextResponse:
    """The answer to an address that was not issued, or leads to nothing that is there."""
    return PlainTextResponse("not found", status_code=404)


def token_of(path: str) -> str:
    return hmac.new(_secret(), path.encode(), "sha256").hexdigest()[:32]


@cache
def _secret() -> bytes:
    return secrets.token_bytes(32)
