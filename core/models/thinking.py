"""Removes what reasoning models think aloud between <think> tags."""

import re

OPEN, CLOSE = "<think>", "</think>"
_LEADING = re.compile(r"\A(?:\s*<think>.*?</think>)+", re.DOTALL)


def without_thinking(text: str) -> str:
    """The answer alone. A closing tag without an opening one ends thinking that started in the prompt's template."""
    answer = _LEADING.sub("", text).strip()
    if answer.startswith(OPEN):
        return ""
    return answer if OPEN in answer else answer.rpartition(CLOSE)[2].lstrip()


def is_only_thinking(reply: str) -> bool:
    """Whether a reply ended before its answer began; some endpoints send nothing of what their models think."""
    return not reply or (reply.lstrip().startswith(OPEN) and not without_thinking(reply))


class ThinkingFilter:
    """Removes thinking from a stream, even with split tags, and white space before the answer."""

    def __init__(self) -> None:
        self._held = ""
        self._searched = 0
        self._inside = False
        self._started = False

    def feed(self, piece: str) -> str:
        """The text that can be shown now."""
        self._held += piece
        shown: list[str] = []
        while self._close() if self._inside else self._open(shown):
            pass
        return "".join(shown)

    def finish(self) -> str:
        """The remaining text at the end: an unclosed tag inside an answer was text, at its start thinking."""
        if self._inside:
            return OPEN + self._held if self._started else ""
        return self._begun(self._held)

    def _open(self, shown: list[str]) -> bool:
        """Emits the text up to the next opening tag; False if the piece contains none."""
        before, tag, rest = self._held.partition(OPEN)
        if not tag:
            cut = len(before) - tail(before, OPEN)
            before, rest = before[:cut], before[cut:]
        shown.append(self._begun(before))
        self._held, self._searched, self._inside = rest, 0, bool(tag)
        return self._inside

    def _close(self) -> bool:
        """Drops thinking up to its closing tag; False if that has not arrived yet."""
        end = self._held.find(CLOSE, max(0, self._searched - len(CLOSE)))
        if end >= 0:
            self._held, self._inside = self._held[end + len(CLOSE) :], False
        elif self._started:
            self._searched = len(self._held)
        else:
            self._held = self._held[1 - len(CLOSE) :]
        return end >= 0

    def _begun(self, text: str) -> str:
        if not self._started:
            text = text.lstrip()
            self._started = bool(text)
        return text


def tail(text: str, tag: str) -> int:
    """How many characters at the end of the text may be the start of the tag."""
    return next((n for n in range(min(len(tag) - 1, len(text)), 0, -1) if text.endswith(tag[:n])), 0)
