"""The limits that a program sets for a text: how long it may be, and the words before which it ends."""

from collections.abc import Sequence

from core.models.tokens import weigh_tokens


class LimitedText:
    """Passes a text on piece by piece up to its limit. Tokens are estimated."""

    def __init__(self, max_tokens: int | None, stops: Sequence[str]) -> None:
        self.is_cut = False
        """By its length."""
        self._left = float(max_tokens) if max_tokens else None
        self._stops = [stop for stop in stops if stop]
        self._held = ""
        """What may be the beginning of a stop."""
        self._ended = False

    def feed(self, piece: str) -> str:
        if self._ended:
            return ""
        text = self._held + piece
        found = [at for stop in self._stops if (at := text.find(stop)) >= 0]
        if found:
            self._ended, self._held = True, ""
            return self._measured(text[: min(found)])
        kept = max((len(stop) - 1 for stop in self._stops), default=0)
        passed = text[: max(0, len(text) - kept)]
        self._held = text[len(passed) :]
        return self._measured(passed)

    def end(self) -> str:
        held, self._held = self._held, ""
        return "" if self._ended else self._measured(held)

    def _measured(self, text: str) -> str:
        if self._left is None:
            return text
        for at, character in enumerate(text):
            self._left -= weigh_tokens(character)
            if self._left < 0:
                self._ended = self.is_cut = True
                return text[:at]
        return text
