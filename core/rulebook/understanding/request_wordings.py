"""The words of a request to remember or to forget, apart from what it is about, as the examples have them."""

import re
from collections import Counter
from collections.abc import Iterable

from core.platform.language.detect import is_unspaced
from core.platform.language.patterns import pattern
from core.platform.language.scripts import HAN
from core.platform.language.terms import normal_form

_LINE = re.compile(r"(.*)\{.+\}(.*)")
_TOKEN = re.compile(rf"[^\W_{HAN}]+(?:['’][^\W_{HAN}]+)*|[{HAN}]")
"""A word or a Chinese character."""
_PAUSE = pattern(r"(?<=[:：,，.。!！;；(（])|(?<=\s[-–—])|(?<=\bthat)(?=\s)", re.IGNORECASE)
"""Where a request may end and what it is about begin, or the other way round."""
_MARKS = " .。!！,，;；:：-–—()（）"
LEAST = 2
"""Words or characters that a statement has at least."""
OFTEN = 2
"""Requests of examples in which a word is from which on it does not name what is to be forgotten."""
_SELF = ("me", "我")


class RequestWordings:
    """Built from examples in which {braces} hold what is to be remembered or forgotten."""

    def __init__(self, examples: Iterable[str]) -> None:
        parts = [tuple(map(_tokens, found.groups())) for line in examples if (found := _LINE.fullmatch(line))]
        self._before = frozenset(before for before, after in parts if before and not after)
        self._after = frozenset(after for before, after in parts if after and not before)
        self._closings = frozenset(after for _, after in parts)
        self._words = Counter(token for part in parts for side in part for token in side)

    def begin_or_end(self, message: str) -> bool:
        """Whether an example's request opens or closes the message."""
        tokens = _tokens(message)
        lengths = range(1, len(tokens) - LEAST + 1)
        return any(tokens[:length] in self._before or tokens[-length:] in self._after for length in lengths)

    def statement(self, message: str) -> str:
        """The message without the request before or after it; as it is where it is not certain where that ends."""
        return self._without(self._without(message, at_end=False), at_end=True)

    def _without(self, message: str, at_end: bool) -> str:
        pauses = [found.start() for found in _PAUSE.finditer(message)]
        words = [found.end() if at_end else found.start() for found in _TOKEN.finditer(message)]
        requests = self._after if at_end else self._before
        for places, is_request in ((pauses, self._have), (words, requests.__contains__)):
            for at in places if at_end else reversed(places):
                request, rest = (message[at:], message[:at]) if at_end else (message[:at], message[at:])
                tokens = _tokens(request)
                if tokens and is_request(tokens) and len(_tokens(rest)) >= LEAST:
                    return rest.strip(_MARKS)
        return message.strip(_MARKS)

    def _have(self, tokens: tuple[str, ...], often: int = 1) -> bool:
        return all(self._words[token] >= often for token in tokens)

    def subject(self, message: str) -> str:
        """From the first to the last word that the examples' requests do not have; if there is none, "me" or nothing.

        Of Chinese characters, those at the end stay unless an example's request ends with just them.
        """
        found = list(_TOKEN.finditer(message))
        tokens = [_tokens(each[0]) for each in found]
        own = [at for at, token in enumerate(tokens) if not self._have(token, OFTEN)]
        if not own:
            return next((each for each in _SELF if (each,) in tokens), "")
        rest = tuple(token for each in tokens[own[-1] + 1 :] for token in each)
        is_said = is_unspaced("".join(rest)) and rest not in self._closings
        return message[found[own[0]].start() : (found[-1] if is_said else found[own[-1]]).end()]


def _tokens(text: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(normal_form(text).lower().replace("’", "'")))
