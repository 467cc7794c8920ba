"""ETags of JSON responses, so that an unchanged response is not sent again."""

from hashlib import sha256

from starlette.datastructures import Headers, MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

PREFIX = "/api/v1/"
KIND = "application/json"
_ANY = "*"


class ETags:
    """ASGI middleware; the tag is a digest of the whole response, so that it is always correct."""

    def __init__(self, app: ASGIApp) -> None:
        self.app = app

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http" or scope["method"] != "GET" or not scope["path"].startswith(PREFIX):
            await self.app(scope, receive, send)
            return
        known = Headers(scope=scope).get("If-None-Match", "")
        held: Message | None = None

        async def tagged(message: Message) -> None:
            nonlocal held
            if message["type"] == "http.response.start" and _is_tagged(message):
                held = message
                return
            if held is not None:
                start, held = held, None
                if not message.get("more_body"):
                    start, message = _answer(start, message, known)
                await send(start)
            await send(message)

        await self.app(scope, receive, tagged)


def _is_tagged(start: Message) -> bool:
    headers = Headers(raw=start["headers"])
    return start["status"] == 200 and headers.get("Content-Type", "").startswith(KIND) and "ETag" not in headers


def _answer(start: Message, body: Message, known: str) -> tuple[Message, Message]:
    tag = f'W/"{sha256(body.get("body", b"")).hexdigest()[:32]}"'
    headers = MutableHeaders(raw=list(start["headers"]))
    headers["ETag"] = tag
    headers["Cache-Control"] = "private, no-cache"  # may be stored, but must be revalidated
    headers.add_vary_header("Authorization")
    start = {**start, "headers": headers.raw}
    named = {each.strip().removeprefix("W/") for each in known.split(",")}
    if tag.removeprefix("W/") not in named and _ANY not in named:
        return start, body
    for name in ("Content-Length", "Content-Type"):
        del headers[name]
    return {**start, "status": 304, "headers": headers.raw}, {**body, "body": b""}
