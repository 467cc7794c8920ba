"""What the OpenAI double can be told to answer, well or badly, and the faults by name."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from itertools import count


@dataclass(frozen=True, slots=True)
class ToolCall:
    name: str
    arguments: str
    """JSON, or whatever a model writes instead."""


@dataclass(frozen=True, slots=True)
class Reply:
    """A chat completion, whole or streamed as the request asks. Where a tool is forced, text is its arguments."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str | None = "stop"
    usage: bool = True
    claimed_tokens: int = 0
    """Reported instead of what was counted, for the prompt and for the answer."""
    piece: int = 12
    """Characters of one streamed delta."""
    log_probability: float | None = None
    """Of each streamed delta, if the request asks for it."""
    pause_seconds: float = 0.0
    """Before each delta; before a whole answer as often as it has deltas."""
    linger_seconds: float = 0.0
    """After the last event, before the response ends."""


@dataclass(frozen=True, slots=True)
class Failure:
    """An error in the protocol's form."""

    status: int
    message: str = "The request failed."
    code: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Page:
    """A web page where JSON or events were expected."""

    status: int = 200
    html: str = "<!doctype html><html><body><h1>Welcome</h1></body></html>"


@dataclass(frozen=True, slots=True)
class SlowHeaders:
    """One byte of the head at a time, without an end."""

    pause_seconds: float = 0.02


@dataclass(frozen=True, slots=True)
class KeepAlives:
    """A stream of comments, or of white space before a whole answer, without an end."""

    pause_seconds: float = 0.02


@dataclass(frozen=True, slots=True)
class Cut:
    """The connection ends in the middle of the answer."""

    text: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    """With arguments as far as they came."""


@dataclass(frozen=True, slots=True)
class Endless:
    """A stream of text without an end, whatever limit the request sets; a whole answer is a very long one."""

    sentence: str = "Buoy {number} lies at {place} metres. "
    """With `number` and `place`, which no two sentences share; without them the text repeats itself."""

    def sentences(self) -> Iterator[str]:
        return (self.sentence.format(number=number, place=number * 37) for number in count(1))


Answer = Reply | Failure | Page | SlowHeaders | KeepAlives | Cut | Endless
LONG_TEXT = "The reservoir supplies the valley with water, and the board publishes its level every morning. " * 40

FAULTS: dict[str, Callable[[], Answer]] = {
    "unauthorized": lambda: Failure(401, "Incorrect API key provided.", "invalid_api_key"),
    "rate_limited": lambda: Failure(429, "Rate limit reached.", headers={"Retry-After": "1"}),
    "rate_limited_absurdly": lambda: Failure(429, "Rate limit reached.", headers={"Retry-After": "86400"}),
    "server_error": lambda: Failure(500, "The server had an error."),
    "html": Page,
    "slow_headers": SlowHeaders,
    "slow_tokens": lambda: Reply(LONG_TEXT, piece=4, pause_seconds=0.2),
    "keep_alives": KeepAlives,
    "cut": lambda: Cut("The reservoir supplies the val"),
    "no_finish_reason": lambda: Reply("The reservoir supplies the valley with", finish_reason=None),
    "length": lambda: Reply("The reservoir supplies the valley with", finish_reason="length"),
    "empty": Reply,
    "broken_json": lambda: Reply('{"verdict": "supported", '),
    "unknown_tool": lambda: Reply(tool_calls=(ToolCall("no_such_tool", "{}"),), finish_reason="tool_calls"),
    "wrong_arguments": lambda: Reply(tool_calls=(ToolCall("", '{"unexpected": 1}'),), finish_reason="tool_calls"),
    "broken_arguments": lambda: Reply(tool_calls=(ToolCall("", '{"que'),), finish_reason="tool_calls"),
    "cut_tool_call": lambda: Cut(tool_calls=(ToolCall("", '{"que'),)),
    "tool_call_without_end": lambda: Reply(tool_calls=(ToolCall("", '{"que'),), finish_reason=None),
    "endless_text": Endless,
    "repeated_text": lambda: Endless("The board runs the reservoir and meets in May. "),
    "endless_tool_calls": lambda: Reply(tool_calls=(ToolCall("", ""),), finish_reason="tool_calls"),
}
"""A tool call without a name calls the request's first tool; without arguments, with ones that fit its schema."""
