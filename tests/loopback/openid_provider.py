"""A loopback OpenID provider: discovery, authorization code with state, nonce and PKCE, signed id tokens, its keys.

Whoever is in `person` signs in without being asked for a password; it keeps no sessions of its own.
"""

import base64
import json
import secrets
import threading
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any
from urllib.parse import parse_qs, urlencode, urlsplit

from joserfc import jwt
from joserfc.jwk import RSAKey

CLIENT_ID, CLIENT_SECRET = "graphtalk", "a secret of the test"
LIFE_SECONDS = 3_600


class OpenIdProvider:
    def __init__(self) -> None:
        self.person: Mapping[str, Any] = {}
        """Claims of who sits in front of it."""
        self.issuer = ""
        self._key = RSAKey.generate_key(2048, {"kid": "one", "use": "sig"})
        self._granted: dict[str, dict[str, str]] = {}

    @property
    def metadata_url(self) -> str:
        return f"{self.issuer}/.well-known/openid-configuration"

    def discovery(self) -> dict[str, Any]:
        return {
            "issuer": self.issuer,
            "authorization_endpoint": f"{self.issuer}/authorize",
            "token_endpoint": f"{self.issuer}/token",
            "jwks_uri": f"{self.issuer}/jwks",
            "response_types_supported": ["code"],
            "subject_types_supported": ["public"],
            "id_token_signing_alg_values_supported": ["RS256"],
            "code_challenge_methods_supported": ["S256"],
            "token_endpoint_auth_methods_supported": ["client_secret_basic", "client_secret_post"],
        }

    def authorized(self, query: Mapping[str, str]) -> str:
        """Where the browser goes back to. Raises ValueError for a request that a provider refuses."""
        if query.get("client_id") != CLIENT_ID or query.get("response_type") != "code":
            raise ValueError("unknown client or response type")
        if "openid" not in query.get("scope", "").split() or query.get("code_challenge_method") != "S256":
            raise ValueError("no scope openid, or no proof key")
        code = secrets.token_urlsafe(16)
        self._granted[code] = {**query, "person": json.dumps(self.person)}
        return f"{query['redirect_uri']}?{urlencode({'code': code, 'state': query['state']})}"

    def token(self, form: Mapping[str, str], authorization: str) -> dict[str, Any]:
        """For a code, once. Raises ValueError."""
        granted = self._granted.pop(form.get("code", ""), None)
        if granted is None or granted["redirect_uri"] != form.get("redirect_uri"):
            raise ValueError("unknown code")
        given = (form.get("client_id", ""), form.get("client_secret", ""))
        if authorization.startswith("Basic "):
            name, _, secret = base64.b64decode(authorization[6:]).decode().partition(":")
            given = (name, secret)
        if given != (CLIENT_ID, CLIENT_SECRET) and given != (CLIENT_ID, CLIENT_SECRET.replace(" ", "+")):
            raise ValueError("wrong secret")
        proof = base64.urlsafe_b64encode(sha256(form.get("code_verifier", "").encode()).digest()).rstrip(b"=")
        if proof.decode() != granted["code_challenge"]:
            raise ValueError("wrong proof key")
        now = int(time.time())
        claims = {"iss": self.issuer, "aud": CLIENT_ID, "iat": now, "exp": now + LIFE_SECONDS}
        claims |= {"nonce": granted["nonce"], **json.loads(granted["person"])}
        signed = jwt.encode({"alg": "RS256", "kid": "one"}, claims, self._key)
        return {"access_token": "opaque", "token_type": "Bearer", "expires_in": LIFE_SECONDS, "id_token": signed}

    def jwks(self) -> dict[str, Any]:
        return {"keys": [self._key.as_dict(private=False)]}


@contextmanager
def openid_provider() -> Iterator[OpenIdProvider]:
    provider = OpenIdProvider()

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            parts = urlsplit(self.path)
            if parts.path == "/authorize":
                query = {name: values[0] for name, values in parse_qs(parts.query).items()}
                self._redirect(query)
            elif parts.path == "/jwks":
                self._json(200, provider.jwks())
            elif parts.path == "/.well-known/openid-configuration":
                self._json(200, provider.discovery())
            else:
                self._json(404, {})

        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length", "0"))).decode()
            form = {name: values[0] for name, values in parse_qs(body).items()}
            try:
                self._json(200, provider.token(form, self.headers.get("Authorization", "")))
            except ValueError as error:
                self._json(400, {"error": "invalid_grant", "error_description": str(error)})

        def log_message(self, *_: object) -> None:
            pass

        def _redirect(self, query: Mapping[str, str]) -> None:
            try:
                where = provider.authorized(query)
            except (ValueError, KeyError) as error:
                self._json(400, {"error": "invalid_request", "error_description": str(error)})
                return
            self.send_response(302)
            self.send_header("Location", where)
            self.send_header("Content-Length", "0")
            self.end_headers()

        def _json(self, status: int, body: Any) -> None:
            data = json.dumps(body).encode()
            self.send_response(status)
            self.send_header("Content-Type", "application/json")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    provider.issuer = f"http://127.0.0.1:{server.server_address[1]}"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield provider
    finally:
        server.shutdown()
        server.server_close()
        thread.join(5)
