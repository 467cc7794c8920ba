"""One OpenAI-compatible endpoint: requests under a deadline, bounded retries, one family of errors, no secret in any.

Requests go out through ChatOpenAI's own client, so that agents and tasks share one connection pool and one policy. The
answers are read from the wire here: ChatOpenAI spends 170-360 µs of CPU on a streamed token, this reader 12-17.
"""

import logging
from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Any

import httpx2
import openai
from langchain_openai import ChatOpenAI
from pydantic import SecretStr

from core.adapters.chat_errors import problem_of
from core.adapters.guarded_http import drain, open_client, sip, stoppable, tls
from core.errors import RetryableServiceError, ServiceError
from core.llm.deadline import Deadline
from core.llm.endpoint_config import EndpointConfig
from core.llm.failures import BusyError
from core.llm.holding import Hold
from core.llm.wire import Piece, Reply, read_pieces, read_reply

log = logging.getLogger(__name__)
NO_KEY = "no-key"
"""Sent where no key is configured, so that no key of the environment goes to another endpoint."""
READ_SECONDS = 0.04
"""From one read of a stream to the next, after its first words: a page is repainted no more often."""
LINGER_SECONDS = 0.2
"""For the end of a stream after its last event."""


class ChatEndpoint:
    def __init__(self, config: EndpointConfig) -> None:
        self.config = config
        self._hold = Hold()
        self.http = open_client(config.base_url)
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
        """For agents that speak LangChain: the same connections, limits and key."""
        self._completions = self.chat_model.root_client.chat.completions.with_raw_response

    def complete(self, request: dict[str, Any], deadline: Deadline, longest_wait: float | None = None) -> Reply:
        """A whole answer. Raises ServiceError (RefusedError when the request is not taken) or CancelledError.

        longest_wait: seconds to which a longer Retry-After is cut; that of the configuration when None.
        """
        attempt = 0
        while True:
            try:
                with self._opened(request, deadline) as response:
                    return read_reply(response.content.decode("utf-8", "replace"))
            except RetryableServiceError as error:
                self.pause(error, attempt, deadline, longest_wait)
                attempt += 1

    def stream(self, request: dict[str, Any], deadline: Deadline) -> Iterator[Piece]:
        """Pieces as they come; errors as in complete(), retried only before the first text."""
        attempt, begun = 0, False
        while True:
            try:
                with self._opened({**request, "stream": True}, deadline) as response:
                    for piece in _pieces(response):
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

    @contextmanager
    def _opened(self, request: dict[str, Any], deadline: Deadline) -> Iterator[httpx2.Response]:
        """The response to a request, its body still on the wire; whatever goes wrong in it is one family of errors."""
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
        with stoppable(deadline.stopped):
            answer = self._completions.create(model=self.config.model, timeout=deadline.seconds(), **request)
        response: httpx2.Response = answer.http_response
        return response

    def pause(
        self, error: RetryableServiceError, attempt: int, deadline: Deadline, longest_wait: float | None = None
    ) -> None:
        """Waits before the next attempt; raises the error when there is none, or no time for it.

        Where the endpoint asked for the pause, all other calls wait as well.
        """
        asked = error.wait_seconds if isinstance(error, BusyError) else None
        wait = self.config.backoff_seconds * 2**attempt if asked is None else asked
        wait = min(wait, self.config.longest_wait_seconds if longest_wait is None else longest_wait)
        if asked is not None:
            self._hold.ask(wait)
        if attempt >= self.config.retries or wait >= deadline.seconds():
            raise error
        deadline.sleep(wait)


def _pieces(response: httpx2.Response) -> Iterator[Piece]:
    """The pieces of a stream; an endpoint that does not stream sends its answer as one."""
    media_type = response.headers.get("content-type", "")
    if "html" in media_type:
        raise ServiceError("llm.malformed")
    if "json" in media_type:
        reply = read_reply(response.read().decode("utf-8", "replace"))
        yield Piece(reply.text, reply.finish_reason, reply.usage)
    else:
        chunks = response.iter_bytes()
        for piece in read_pieces(chunks):
            yield piece
            if piece.text:
                sip(response, READ_SECONDS)
        drain(response, chunks, LINGER_SECONDS)
