"""Text of answers for chat programs: streamed, within limits, with footnotes and without pictures."""

import re
from collections.abc import Sequence
from urllib.parse import quote, urlencode

from core.documents.model import page_number
from core.models.tokens import weigh_tokens
from core.runs.events import AnswerDelta, AnswerReady, AnswerReset, Event
from core.runs.history.passage_text import quoted_block, with_passages
from core.search.model import Citation, ShownPassage

_PUNCTUATION = re.compile(r"([\\`*_{}\[\]()<>#|!~])")
_WEB = re.compile(r"https?://", re.IGNORECASE)
_SAFE = ":/?#@!$&'*+,;=%[]~"
"""Characters that are not quoted in an address; a parenthesis would end the link."""
_RULE = "\n\n---\n"
_FOOTNOTES = re.compile(re.escape(_RULE) + r"(?:(?:\[\d+\]|>) .*(?:\n|\Z))+\Z")


class StreamedText:
    """Turns the events of a run into pieces of text.

    A stream cannot retract text: a withdrawn draft is marked as such and followed by its replacement.
    """

    def __init__(self) -> None:
        self._sent = ""
        """Text sent of the current draft."""
        self._held = ""

    def pieces(self, event: Event) -> str:
        """Text to send now, perhaps empty."""
        match event:
            case AnswerDelta():
                self._sent += event.text
                return self._filtered(event.text)
            case AnswerReset() if self._sent:
                return self._withdrawn()
            case AnswerReady():
                return self._whole(with_passages(event.text, event.passages, event.citations))
        return ""

    def _whole(self, text: str) -> str:
        mark = "" if text.startswith(self._sent) else self._withdrawn()
        rest, self._sent = text[len(self._sent) :], text
        return mark + self._filtered(rest)

    def end(self) -> str:
        held, self._held = self._held, ""
        return held

    def _withdrawn(self) -> str:
        self._sent = ""
        return f"{self.end()}\n\n(The text above was withdrawn.)\n\n"

    def _filtered(self, text: str) -> str:
        """Removes marks of pictures, also if they are split over two pieces."""
        whole = self._held + text
        self._held = "!" if whole.endswith("!") else ""
        return without_pictures(whole.removesuffix("!") if self._held else whole)


def without_pictures(text: str) -> str:
    """Escapes pictures, because a chat program would fetch them, and their addresses could leak text."""
    return text.replace("![", "!\\[")


def footnotes(citations: Sequence[Citation], origin: str = "", stands_in: ShownPassage | None = None) -> str:
    """A line for each source, linked to its page if the origin of the pages is known.

    The passage that the answer rests on follows its source. Empty without sources.
    """
    lines: list[str] = []
    for each in citations:
        lines.append(f"[{each.number}] {_linked(each, origin)}  ")
        if stands_in and each.number == stands_in.number:
            lines.append(without_pictures(quoted_block(stands_in)))
    return _RULE + "\n".join(lines) if lines else ""


def without_footnotes(answer: str) -> str:
    """An earlier answer, sent along with the next question, without its footnotes."""
    return _FOOTNOTES.sub("", answer)


def _linked(citation: Citation, origin: str) -> str:
    words = _plain(citation.document_name)
    if citation.url:
        return f"[{words}]({quote(citation.url, _SAFE)})" if _WEB.match(citation.url) else words
    if number := page_number(citation.document_name, citation.page):
        words += f", page {number}"
    if not origin:
        return words
    address = urlencode({"document": citation.document_id, "page": citation.page + 1})
    return f"[{words}]({origin}/documents?{address})"


def _plain(text: str) -> str:
    return _PUNCTUATION.sub(r"\\\1", " ".join(text.split()))


class LimitedText:
    """Passes on pieces of a text up to a limit of estimated tokens or a stop."""

    def __init__(self, max_tokens: int | None, stops: Sequence[str]) -> None:
        self.is_cut = False
        """Whether the limit of tokens cut the text."""
        self._left = float(max_tokens) if max_tokens else None
        self._stops = [stop for stop in stops if stop]
        self._held = ""
        """Text that may begin a stop."""
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
