"""The text of a reply while it streams: without thinking and secrets, within its limits, cut when it repeats itself."""

from core.models.meter import Meter
from core.models.redact import KeyFilter
from core.models.thinking import ThinkingFilter
from core.models.tokens import weigh_tokens
from core.platform.errors import ServiceError

SLACK = 2
"""Multiple of a limit that is accepted by estimate, because endpoints count in tokens of their own."""
REPEATS = 6
"""Repetitions of a stretch at the end of a degenerate reply."""
LEAST_REPEATED, MOST_REPEATED = 300, 6_000
"""Characters of all these repetitions together."""
PROBE = 60
"""Characters at the end whose earlier occurrence gives the length of the stretch."""
LOOK_EVERY = 80
"""Characters between two checks for repetitions."""


class ReplyText:
    """Reads one reply. An endless one would use up the budget of the question and the memory of the process."""

    def __init__(self, max_tokens: int, thinking_tokens: int, key: str, meter: Meter) -> None:
        """`max_tokens` limits the answer, `thinking_tokens` what is thought besides; `key` is the endpoint's own."""
        self._most_shown = SLACK * max_tokens
        self._most = SLACK * (max_tokens + thinking_tokens)
        self._meter = meter
        self._thinking, self._own = ThinkingFilter(), KeyFilter(key)
        self._tokens = self._shown = 0.0
        self._end, self._looked_at = "", 0

    def feed(self, piece: str, hidden: str = "") -> str:
        """The text that can be shown now; `hidden` is what the endpoint sends as thinking.

        Raises ServiceError where the reply goes on beyond its limit or repeats itself, BudgetError where the question
        has no tokens left for it.
        """
        self._count(piece or hidden)
        text = self._own.feed(self._thinking.feed(piece))
        self._shown += weigh_tokens(text)
        if self._shown > self._most_shown:
            raise ServiceError("llm.too_long")
        return text

    def finish(self) -> str:
        """The remaining text at the end."""
        return self._own.feed(self._thinking.finish()) + self._own.finish()

    def _count(self, received: str) -> None:
        """A piece without text is a token that the endpoint does not show."""
        self._tokens += weigh_tokens(received) or 1
        if self._tokens > self._most:
            raise ServiceError("llm.too_long")
        self._meter.check_tokens(int(self._tokens))
        self._looked_at += len(received)
        self._end = (self._end + received)[-MOST_REPEATED:]
        if self._looked_at >= LOOK_EVERY:
            self._looked_at = 0
            if repeats_itself(self._end):
                raise ServiceError("llm.repeats")


def repeats_itself(text: str) -> bool:
    """Whether the text ends in the same stretch, again and again."""
    before = text.rfind(text[-PROBE:], 0, -1)
    stretch = len(text) - PROBE - before
    span = max(LEAST_REPEATED, REPEATS * stretch)
    return before >= 0 and span <= len(text) and text[-span:-stretch] == text[stretch - span :]
