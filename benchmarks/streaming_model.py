"""A model for the benchmark in a process of its own that streams tokens at a steady pace, each telling when it left."""

import sys
import time
from string import ascii_lowercase
from typing import Any

from tests.loopback.answers import Reply
from tests.loopback.openai_server import OpenAiServer
from tests.loopback.protocol import completion
from tests.loopback.server import Wire

WIDTH = 5
TICKS = 10_000
"""Of a second; five letters tell twenty minutes apart."""
CYCLE: int = len(ascii_lowercase) ** WIDTH
SENTENCE, PARAGRAPH = 20, 100
"""Tokens."""


def stamp(seconds: float) -> str:
    """A word that tells a moment of the machine's monotonic clock, which all processes share."""
    left, word = int(seconds * TICKS) % CYCLE, ""
    for _ in range(WIDTH):
        left, digit = divmod(left, len(ascii_lowercase))
        word = ascii_lowercase[digit] + word
    return word


def age(word: str, now: float) -> float:
    """Seconds since the moment that a word tells."""
    told = 0
    for letter in word:
        told = told * len(ascii_lowercase) + ascii_lowercase.index(letter)
    return ((int(now * TICKS) - told) % CYCLE) / TICKS


class StampingServer(OpenAiServer):
    """Decides like a sensible model; every streamed answer is the stamped one."""

    def __init__(self, tokens: int, per_second: float) -> None:
        super().__init__()
        self.tokens, self.per_second = tokens, per_second

    def _reply(self, request: dict[str, Any], reply: Reply, wire: Wire) -> None:
        if not request.get("stream"):
            wire.send_json(200, completion(request, reply, 0))
            return
        wire.begin_events()
        head = {"id": "chatcmpl-0", "object": "chat.completion.chunk", "created": 0, "model": "bench"}
        began = time.monotonic()
        for number in range(self.tokens):
            time.sleep(max(0.0, began + number / self.per_second - time.monotonic()))
            delta = {"content": f"{stamp(time.monotonic())}{_after(number + 1)}"}
            wire.event({**head, "choices": [{"index": 0, "delta": delta, "logprobs": None, "finish_reason": None}]})
        wire.event({**head, "choices": [{"index": 0, "delta": {}, "logprobs": None, "finish_reason": "stop"}]})
        wire.event("[DONE]")
        wire.finish()


def _after(number: int) -> str:
    if number % PARAGRAPH == 0:
        return ". [1]\n\n"
    return ". [1] " if number % SENTENCE == 0 else " "


def main() -> None:
    """Arguments: how many tokens an answer has, and how many leave in a second. Prints its address."""
    server = StampingServer(int(sys.argv[1]), float(sys.argv[2]))
    sys.stdout.write(f"{server.base_url}\n")
    sys.stdout.flush()
    server.serve()


if __name__ == "__main__":
    main()
