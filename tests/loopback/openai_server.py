"""An OpenAI-compatible server: chat completions whole and streamed, tools, output formats, embeddings, models.

In a test: `with OpenAiServer([Reply("Hello.")]) as server:` and `server.base_url`. As a process, answering from the
prompts: `python -m tests.loopback.openai_server --port 8123 [--fault slow_tokens] [--refuse json_schema tools]`.
"""

import argparse
import base64
import hashlib
import struct
from collections.abc import Callable, Iterable
from dataclasses import replace
from itertools import islice
from typing import Any

from tests.loopback.answers import FAULTS, Answer, Cut, Endless, Failure, KeepAlives, Page, Reply, SlowHeaders, ToolCall
from tests.loopback.derived import derived_reply, fitting_arguments
from tests.loopback.protocol import REFUSABLE, chunks, completion, placed, refusal, usage_of
from tests.loopback.server import Loopback, Recorded, Wire

MODEL = "loopback-model"
DIMENSION = 64
LONG_ANSWER = 20_000
"""Sentences of an endless text that is sent whole."""
Script = Callable[[dict[str, Any]], Answer]


class OpenAiServer(Loopback):
    """Answers come from a script: a list, used up in order (then status 500), or a function of the request."""

    def __init__(
        self,
        script: Iterable[Answer] | Script = derived_reply,
        refuses: Iterable[str] = (),
        key: str = "",
        port: int = 0,
    ) -> None:
        super().__init__(port)
        self._script = script if callable(script) else _in_order(script)
        self._refuses = frozenset(refuses)
        self._key = key
        self.counted: list[dict[str, int]] = []
        """The usage of every answer that was sent with one, in order."""

    @property
    def base_url(self) -> str:
        return f"{self.url}/v1"

    @property
    def chats(self) -> list[dict[str, Any]]:
        """The bodies of all chat requests, refused ones too."""
        return [request.body for request in self.requests if request.path == "/v1/chat/completions"]

    def answer(self, request: Recorded, wire: Wire) -> None:
        if self._key and request.headers.get("authorization") != f"Bearer {self._key}":
            _fail(wire, Failure(401, "Incorrect API key provided.", "invalid_api_key"))
        elif request.path == "/v1/chat/completions":
            self._chat(request.body, wire)
        elif request.path == "/v1/embeddings":
            wire.send_json(200, _embeddings(request.body))
        elif request.path == "/v1/models":
            wire.send_json(200, {"object": "list", "data": [{"id": MODEL, "object": "model", "owned_by": "loopback"}]})
        else:
            _fail(wire, Failure(404, f"Invalid URL ({request.method} {request.path})"))

    def _chat(self, request: dict[str, Any], wire: Wire) -> None:
        if problem := refusal(request, self._refuses):
            _fail(wire, Failure(400, problem, "invalid_request_error"))
            return
        answer = self._script(request)
        match answer:
            case Reply():
                self._reply(request, _fitted(request, placed(request, answer)), wire)
            case Cut():
                _cut(request, answer, wire)
            case Endless():
                _go_on(request, answer, wire)
            case Failure():
                _fail(wire, answer)
            case Page():
                wire.send(answer.status, answer.html.encode(), "text/html")
            case SlowHeaders():
                _drip(wire, b"HTTP/1.1 200 OK\r\nX-Slow: ", answer.pause_seconds, b"z")
            case KeepAlives():
                _keep_alive(request, wire, answer.pause_seconds)

    def _reply(self, request: dict[str, Any], reply: Reply, wire: Wire) -> None:
        number = len(self.requests)
        if reply.usage:
            self.counted.append(usage_of(request, reply))
        if not request.get("stream"):
            wire.pause(reply.pause_seconds * (len(reply.text) // reply.piece))
            wire.send_json(200, completion(request, reply, number))
            return
        wire.begin_events()
        for chunk in chunks(request, reply, number):
            wire.event(chunk)
            wire.pause(reply.pause_seconds)
        wire.event("[DONE]")
        wire.pause(reply.linger_seconds)
        wire.finish()


def _in_order(answers: Iterable[Answer]) -> Script:
    left = list(answers)
    return lambda _: left.pop(0) if left else Failure(500, "The script has no further answer.")


def _fitted(request: dict[str, Any], reply: Reply) -> Reply:
    calls = tuple(ToolCall(it.name, it.arguments or fitting_arguments(request, it.name)) for it in reply.tool_calls)
    return replace(reply, tool_calls=calls)


def _fail(wire: Wire, failure: Failure) -> None:
    error = {"message": failure.message, "type": "error", "param": None, "code": failure.code or None}
    wire.send_json(failure.status, {"error": error}, failure.headers)


def _cut(request: dict[str, Any], answer: Cut, wire: Wire) -> None:
    if request.get("stream"):
        wire.begin_events()
        begun = placed(request, Reply(answer.text, answer.tool_calls, finish_reason=None, usage=False))
        for chunk in chunks(request, begun, 0):
            wire.event(chunk)
    else:
        wire.raw(b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 9999\r\n\r\n{")
    wire.cut()


def _go_on(request: dict[str, Any], answer: Endless, wire: Wire) -> None:
    if not request.get("stream"):
        text = "".join(islice(answer.sentences(), LONG_ANSWER))
        wire.send_json(200, completion(request, placed(request, Reply(text)), 0))
        return
    wire.begin_events()
    for sentence in answer.sentences():
        for chunk in chunks(request, Reply(sentence, finish_reason=None, usage=False), 0):
            wire.event(chunk)


def _drip(wire: Wire, head: bytes, pause_seconds: float, drop: bytes) -> None:
    wire.raw(head)
    while True:
        wire.pause(pause_seconds)
        wire.raw(drop)


def _keep_alive(request: dict[str, Any], wire: Wire, pause_seconds: float) -> None:
    if request.get("stream"):
        wire.begin_events()
        while True:
            wire.chunk(b": keep-alive\n\n")
            wire.pause(pause_seconds)
    head = b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n"
    _drip(wire, head, pause_seconds, b"1\r\n \r\n")


def _embeddings(request: dict[str, Any]) -> dict[str, Any]:
    """Unit vectors of hashed words: equal words are near each other."""
    texts = [request["input"]] if isinstance(request["input"], str) else request["input"]
    vectors = [_vector(text, int(request.get("dimensions") or DIMENSION)) for text in texts]
    encoded = request.get("encoding_format") == "base64"
    data = [
        {"object": "embedding", "index": index, "embedding": _base64(vector) if encoded else vector}
        for index, vector in enumerate(vectors)
    ]
    tokens = sum(len(text) for text in texts) // 4
    usage = {"prompt_tokens": tokens, "total_tokens": tokens}
    return {"object": "list", "data": data, "model": request.get("model", MODEL), "usage": usage}


def _vector(text: str, dimension: int) -> list[float]:
    counts = [0.0] * dimension
    for word in text.lower().split() or [""]:
        counts[int.from_bytes(hashlib.blake2b(word.encode(), digest_size=4).digest()) % dimension] += 1.0
    length = sum(count * count for count in counts) ** 0.5
    return [count / length for count in counts]


def _base64(vector: list[float]) -> str:
    return base64.b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--port", type=int, default=0)
    parser.add_argument("--fault", choices=sorted(FAULTS), help="answer every chat request with this fault")
    parser.add_argument("--refuse", nargs="*", choices=REFUSABLE, default=[], help="what the server does not support")
    options = parser.parse_args()
    fault = FAULTS[options.fault] if options.fault else None
    server = OpenAiServer((lambda _: fault()) if fault else derived_reply, options.refuse, port=options.port)
    print(server.base_url, flush=True)
    try:
        server.serve()
    except KeyboardInterrupt:
        return


if __name__ == "__main__":
    main()
