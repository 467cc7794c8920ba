"""An answer as a chat program gets it: text that loads no pictures, streamed as far as it stands, with footnotes."""

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
"""Characters of an address that stay; a parenthesis would end the link."""
_RULE = "\n\n---\n"
_FOOTNOTES = re.compile(re.escape(_RULE) + r"(?:(?:\[\d+\]|>) .*\n?)+\Z")


class StreamedText:
    """Turns the events of a run into pieces of text.

    A stream cannot take back what it said: a withdrawn draft is marked as such, and what replaces it follows.
    """

    def __init__(self) -> None:
        self._said = ""
        """Of the draft that stands."""
        self._held = ""

    def pieces(self, event: Event) -> str:
        """What is to be sent now; perhaps nothing."""
        match event:
            case AnswerDelta():
                self._said += event.text
                return self._harmless(event.text)
            case AnswerReset() if self._said:
                return self._withdrawn()
            case AnswerReady():
                return self._whole(with_passages(event.text, event.passages, event.citations))
        return ""

    def _whole(self, text: str) -> str:
        mark = "" if text.startswith(self._said) else self._withdrawn()
        rest, self._said = text[len(self._said) :], text
        return mark + self._harmless(rest)

    def end(self) -> str:
        held, self._held = self._held, ""
        return held

    def _withdrawn(self) -> str:
        self._said = ""
        return f"{self.end()}\n\n(The text above was withdrawn.)\n\n"

    def _harmless(self, text: str) -> str:
        """A picture's mark may be split over two pieces."""
        whole = self._held + text
        self._held = "!" if whole.endswith("!") else ""
        return without_pictures(whole.removesuffix("!") if self._held else whole)


def without_pictures(text: str) -> str:
    """A chat program would fetch a picture at once, and its address could carry words out."""
    return text.replace("![", "!\\[")


def footnotes(citations: Sequence[Citation], origin: str = "", stands_in: ShownPassage | None = None) -> str:
    """A line a source, which links to its page where the origin of the pages is known; below it the passage that the
    answer stands in. Empty where there is no source."""
    lines: list[str] = []
    for each in citations:
        lines.append(f"[{each.number}] {_linked(each, origin)}  ")
        if stands_in and each.number == stands_in.number:
            lines.append(without_pictures(quoted_block(stands_in)))
    return _RULE + "\n".join(lines) if lines else ""


def without_footnotes(answer: str) -> str:
    """An earlier answer as it comes back with the next question."""
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
