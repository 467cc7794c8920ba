"""The words of a request to remember or to forget, apart from what it is about, as the examples have them."""

import re
from collections import Counter
from collections.abc import Iterable
from itertools import pairwise

from core.platform.language.detect import is_unspaced
from core.platform.language.patterns import pattern
from core.platform.language.scripts import HAN
from core.platform.language.terms import normal_form

_TOKEN = re.compile(rf"[^\W_{HAN}]+(?:['’][^\W_{HAN}]+)*|[{HAN}]")
"""A word or a Chinese character."""
_PAUSE = pattern(r"(?<=[:：,，.。!！;；(（])|(?<=\s[-–—])|(?<=\bthat)(?=\s)", re.IGNORECASE)
"""Where a request may end and what it is about begin, or the other way round."""
_MARKS = " .。!！,，;；:：-–—()（）"
LEAST = 2
"""Words or characters that a statement has at least."""
OFTEN = 2
"""Examples whose requests have a word, which then is not of what is to be remembered or forgotten."""
_SELF = ("me", "我")


class RequestWordings:
    """Built from examples in which {braces} hold what is to be remembered or forgotten, where that is named."""

    def __init__(self, examples: Iterable[str]) -> None:
        lines = [re.split(r"\{.+\}", line) for line in examples]
        parts = [(_tokens(before), _tokens("".join(rest))) for before, *rest in lines]
        self._before = frozenset(before for before, after in parts if before and not after)
        self._after = frozenset(after for before, after in parts if after and not before)
        self._openings = frozenset(before for before, _ in parts if before)
        self._pairs = frozenset(pair for part in parts for side in part for pair in pairwise(side))
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

    def is_all_of(self, words: str) -> bool:
        """Whether the words are nothing but a request, which names nothing."""
        return self._have(_tokens(words))

    def _have(self, tokens: tuple[str, ...]) -> bool:
        return all(self._words[token] >= OFTEN for token in tokens)

    def subject(self, message: str) -> str:
        """What is left between the words of a request; if nothing is, "me" or nothing."""
        found = list(_TOKEN.finditer(message))
        tokens = tuple(token for each in found for token in _tokens(each[0]))
        begin, end = self._unspaced(tokens) if is_unspaced(message) else self._spaced(tokens)
        own = found[begin:end]
        return message[own[0].start() : own[-1].end()] if own else next((one for one in _SELF if one in tokens), "")

    def _spaced(self, tokens: tuple[str, ...]) -> tuple[int, int]:
        """From the first to the last word that the examples' requests do not have."""
        own = [at for at, token in enumerate(tokens) if self._words[token] < OFTEN]
        return (own[0], own[-1] + 1) if own else (0, 0)

    def _unspaced(self, tokens: tuple[str, ...]) -> tuple[int, int]:
        """From the first to the last character outside of pairs that the examples' requests have."""
        pairs = [pair in self._pairs for pair in pairwise(tokens)]
        own = [at for at in range(len(tokens)) if not any(pairs[max(at - 1, 0) : at + 1])]
        opening = next((length for length in range(len(tokens), 0, -1) if tokens[:length] in self._openings), 0)
        if not own:
            return 0, 0
        begin = max(own[0], opening)
        return begin + (tokens[begin : begin + 1] == ("的",)), own[-1] + 1


def _tokens(text: str) -> tuple[str, ...]:
    return tuple(_TOKEN.findall(normal_form(text).lower().replace("’", "'")))
