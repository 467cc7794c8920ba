"""One OpenAI-compatible endpoint: requests under a deadline, bounded retries, one family of errors, no secrets in them.

Requests use ChatOpenAI's own client, so that agents and tasks share one connection pool and one policy. Responses are
read from the wire here: ChatOpenAI spends 170-360 µs of CPU per streamed token, this reader 12-17.
"""

import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import httpx2
import openai
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from core.models.chat.deadline import Deadline, RetryAfterGate
from core.models.chat.endpoint_config import EndpointConfig
from core.models.chat.wire import Reply, StreamPiece, read_pieces, read_reply
from core.models.failures import BusyError, EndpointError, RefusedError, retry_after
from core.models.meter import telling
from core.models.redact import redact
from core.platform.errors import RetryableServiceError, ServiceError
from core.platform.http.guarded_client import discard_rest, open_client, prolong, stoppable, throttle_reads, tls

log = logging.getLogger(__name__)
NO_KEY = "no-key"
"""Sent if no key is configured, so that no key from the environment reaches another endpoint."""
READ_SECONDS = 0.04
"""Between two reads of a stream after its first words; pages are not redrawn more often."""
LINGER_SECONDS = 0.2
"""Time to wait for the end of a stream after its last event."""
LONGEST_DETAIL = 500
"""Characters of an endpoint's message kept for the log."""
_BY_STATUS = {402: "llm.no_credit", 404: "llm.not_found", 413: "llm.refused"}
_RETRYABLE = (408, 409, 425)


class ChatEndpoint:
    def __init__(self, config: EndpointConfig) -> None:
        self.config = config
        self._hold = RetryAfterGate()
        self.http = config.open_http() if config.open_http else open_client(config.base_url)
        self.chat_model = ChatOpenAI(
            model=config.model,
            base_url=config.base_url,
            api_key=SecretStr(config.api_key or NO_KEY),
            temperature=config.temperature,
            timeout=config.call_seconds,
            max_retries=0,
            stream_usage=True,
            use_responses_api=False,
            openai_proxy="",
            http_client=self.http,
            http_async_client=httpx2.AsyncClient(verify=tls(), follow_redirects=False),
        )
        """The client for LangChain agents, with the same connections, limits and key."""
        self._client = self.chat_model.root_client

    def complete(self, request: dict[str, Any], deadline: Deadline, longest_wait: float | None = None) -> Reply:
        """A complete answer; streamed where that shows how far it has come.

        Raises ServiceError (RefusedError if the request is rejected) or CancelledError.

        `longest_wait` caps Retry-After in seconds; None takes the configured cap.
        """
        attempt = 0
        while True:
            try:
                if self.config.tells_progress and "tools" not in request:
                    return self._streamed(request, deadline)
                with self._opened(request, deadline) as response:
                    return read_reply(response.content.decode("utf-8", "replace"))
            except RetryableServiceError as error:
                self.pause(error, attempt, deadline, longest_wait)
                attempt += 1

    def stream(self, request: dict[str, Any], deadline: Deadline) -> Iterator[StreamPiece]:
        """Pieces as they arrive. Errors as in complete(); retried only before the first text."""
        attempt, begun = 0, False
        while True:
            try:
                for piece in self._pieces_of(request, deadline):
                    begun = begun or bool(piece.text)
                    yield piece
                return
            except RetryableServiceError as error:
                if begun:
                    raise
                self.pause(error, attempt, deadline)
                attempt += 1

    def close(self) -> None:
        self.http.close()

    def _pieces_of(self, request: dict[str, Any], deadline: Deadline) -> Iterator[StreamPiece]:
        with self._opened({**request, "stream": True, **self.config.progress}, deadline) as response:
            for piece in _pieces(response):
                if piece.text or piece.hidden:
                    deadline.alive()
                prolong(response, deadline.at)
                yield piece

    def _streamed(self, request: dict[str, Any], deadline: Deadline) -> Reply:
        """The pieces of a stream as one reply. Raises ServiceError if it ends before its end."""
        usage = {"stream_options": {"include_usage": True}}
        pieces = list(self._pieces_of({**request, **usage}, deadline))
        reason = next((piece.finish_reason for piece in reversed(pieces) if piece.finish_reason), "")
        if not reason:
            raise RetryableServiceError("llm.interrupted")
        counted = next((piece.usage for piece in reversed(pieces) if piece.usage), None)
        return Reply("".join(piece.text for piece in pieces), "", reason, counted)

    @contextmanager
    def _opened(self, request: dict[str, Any], deadline: Deadline) -> Iterator[httpx2.Response]:
        """The response to a request, with its body still on the wire.

        All failures inside become one family of errors.
        """
        self._hold.wait(deadline)
        try:
            with closing(self._send(request, deadline)) as response:
                yield response
        except (openai.OpenAIError, httpx2.HTTPError) as error:
            problem = problem_of(error, self.config.api_key)
        else:
            return
        log.warning("%s: %s", problem.key, problem.__cause__)
        deadline.seconds()
        raise problem

    def _send(self, request: dict[str, Any], deadline: Deadline) -> httpx2.Response:
        """Sends the request without the SDK's validation of its parameters, which takes half of the time."""
        with stoppable(deadline.stopped), telling(deadline.hear):
            response: httpx2.Response = self._client.post(
                "/chat/completions",
                cast_to=httpx2.Response,
                body={"model": self.config.model, **request},
                options={"timeout": deadline.seconds(), "security": {"bearer_auth": True}},  # no administrator's key
                stream=request.get("stream", False),
            )
        return response

    def pause(
        self, error: RetryableServiceError, attempt: int, deadline: Deadline, longest_wait: float | None = None
    ) -> None:
        """Waits before the next attempt; raises the error if there is none, or no time for it.

        If the endpoint asked for the pause, all other calls wait as well.
        """
        asked = error.wait_seconds if isinstance(error, BusyError) else None
        longest = self.config.longest_wait_seconds if longest_wait is None else longest_wait
        wait = self.config.backoff_seconds * 2**attempt if asked is None else asked
        if isinstance(error, BusyError) and wait > longest:
            error.too_long = True
            if attempt:
                raise error
        wait = min(wait, longest)
        if asked is not None:
            self._hold.ask(wait)
        if attempt >= self.config.retries or wait >= deadline.seconds():
            raise error
        deadline.sleep(wait)


def _pieces(response: httpx2.Response) -> Iterator[StreamPiece]:
    """The pieces of a stream. An endpoint that does not stream sends its answer as one piece."""
    media_type = response.headers.get("content-type", "")
    if "html" in media_type:
        raise ServiceError("llm.malformed")
    if "json" in media_type:
        reply = read_reply(response.read().decode("utf-8", "replace"))
        yield StreamPiece(reply.text, reply.finish_reason, reply.usage)
    else:
        chunks = response.iter_bytes()
        for piece in read_pieces(chunks):
            yield piece
            if piece.text:
                throttle_reads(response, READ_SECONDS)
        discard_rest(response, chunks, LINGER_SECONDS)


def problem_of(error: Exception, api_key: str) -> ServiceError:
    """The ServiceError for an exception of the SDK or the connection, with a redacted cause."""
    detail = redact(f"{type(error).__name__}: {error} {getattr(error, 'code', None) or ''}", [api_key])
    problem = _of_status(error, detail, bool(api_key)) if isinstance(error, openai.APIStatusError) else _of_wire(error)
    problem.__cause__ = EndpointError(detail[:LONGEST_DETAIL])
    return problem


def _of_wire(error: Exception) -> ServiceError:
    """Without a connection the endpoint was unreachable; with one, the answer was cut off.

    A client that knows better why there is none, as that of a model on this machine, raises its own ServiceError.
    """
    cause: BaseException | None = error
    while isinstance(cause, openai.APIConnectionError):  # LangChain wraps the SDK's error in another one of its kind
        cause = cause.__cause__
    if isinstance(cause, ServiceError):
        return cause
    apart = isinstance(cause, httpx2.ConnectError | httpx2.ConnectTimeout | httpx2.PoolTimeout | httpx2.ProxyError)
    return RetryableServiceError("llm.unreachable" if apart else "llm.interrupted")


def _of_status(error: openai.APIStatusError, detail: str, has_key: bool) -> ServiceError:
    status = error.status_code
    if status in (400, 422):
        refused = RefusedError("llm.refused")
        refused.said = detail
        return refused
    if status in (401, 403):
        return ServiceError("llm.key_refused" if has_key else "llm.key_missing")
    if status == 429 and "insufficient_quota" not in detail:
        busy = BusyError("llm.busy")
        busy.wait_seconds = retry_after(error.response.headers.get("retry-after", ""))
        return busy
    if status >= 500 or status in _RETRYABLE:
        return RetryableServiceError("llm.unavailable")
    return ServiceError("llm.no_credit" if status == 429 else _BY_STATUS.get(status, "llm.malformed"))
