"""Security headers for every response: nothing is loaded from, sent to or framed by another origin."""

import re
from base64 import b64encode
from collections.abc import Mapping
from hashlib import sha256
from pathlib import Path

import streamlit
from starlette.datastructures import MutableHeaders
from starlette.types import ASGIApp, Message, Receive, Scope, Send

_INLINE_SCRIPT = re.compile(r"<script>(.*?)</script>", re.DOTALL)


class SecurityHeaders:
    """ASGI middleware. A route that sets one of the headers itself (a stricter policy for a drawing) keeps its own."""

    def __init__(self, app: ASGIApp, headers: Mapping[str, str]) -> None:
        self.app = app
        self.headers = dict(headers)

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        async def send_with_headers(message: Message) -> None:
            if message["type"] == "http.response.start":
                answer = MutableHeaders(scope=message)
                for name, value in self.headers.items():
                    answer.setdefault(name, value)
            await send(message)

        await self.app(scope, receive, send_with_headers if scope["type"] == "http" else send)


def security_headers() -> dict[str, str]:
    return {
        "Content-Security-Policy": content_security_policy(_streamlit_page()),
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
        "Permissions-Policy": "camera=(), geolocation=(), microphone=(), payment=(), usb=()",
        "Referrer-Policy": "no-referrer",
        "X-Content-Type-Options": "nosniff",
        "X-Frame-Options": "SAMEORIGIN",
    }


def content_security_policy(page: str) -> str:
    """The policy for Streamlit's index page.

    Its inline scripts are allowed by their hash; `blob:` is how components.v2 loads a component's module; styles are
    inline because Streamlit writes them at run time.
    """
    scripts = " ".join(f"'sha256-{_digest(script)}'" for script in _INLINE_SCRIPT.findall(page))
    return "; ".join(
        (
            "default-src 'self'",
            f"script-src 'self' blob: {scripts}".rstrip(),
            "style-src 'self' 'unsafe-inline'",
            "img-src 'self' data: blob:",
            "font-src 'self' data:",
            "media-src 'self' data: blob:",
            "worker-src 'self' blob:",
            "connect-src 'self'",
            "frame-src 'self'",
            "frame-ancestors 'self'",
            "form-action 'self'",
            "base-uri 'self'",
            "object-src 'none'",
        )
    )


def _digest(script: str) -> str:
    return b64encode(sha256(script.encode()).digest()).decode()


def _streamlit_page() -> str:
    return (Path(streamlit.__file__).parent / "static" / "index.html").read_text(encoding="utf-8")
