"""Asks the user before a query is sent to the web. The run waits, for a limited time, for an answer from the page."""

import threading
import time
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from enum import StrEnum
from typing import Protocol

from core.domain.events import ConsentAsked, ConsentGiven, Event, WebQueried
from core.errors import CancelledError, ServiceError
from core.ports.metering import Cancel
from core.ports.runs import Threads
from core.ports.web import WebResult, WebSearch

WAIT_SECONDS = 180.0
_LOOK_SECONDS = 0.2
"""How often the waiting run checks whether it was stopped."""


class Consent(StrEnum):
    ONCE = "once"
    """For this question."""
    THREAD = "thread"
    """For the whole conversation."""
    NO = "no"
    UNANSWERED = "unanswered"


class Pausable(Protocol):
    def paused(self) -> AbstractContextManager[None]:
        """Inside, the clock of the question's budget is stopped."""


class Answer:
    """The answer to one run, given from another thread."""

    def __init__(self) -> None:
        self._given = threading.Event()
        self._consent = Consent.UNANSWERED

    def give(self, consent: Consent) -> None:
        """The first answer counts."""
        if not self._given.is_set():
            self._consent = consent
            self._given.set()

    def wait(self, cancel: Cancel, seconds: float) -> Consent:
        """Raises CancelledError if the run is stopped meanwhile."""
        until = time.monotonic() + seconds
        while not self._given.wait(_LOOK_SECONDS) and time.monotonic() < until:
            if cancel.requested():
                raise CancelledError("error.cancelled")
        return self._consent


class ConsentingWebSearch:
    """WebSearch that asks before the first query of a run and reports every query it sends."""

    def __init__(
        self,
        web: WebSearch,
        decide: Callable[[str], Consent],
        emit: Callable[[Event], None],
        outgoing: Callable[[str], str] = str,
    ) -> None:
        """`decide` is called once; `outgoing` turns a query into the exact words that are sent."""
        self._web = web
        self._decide = decide
        self._emit = emit
        self._outgoing = outgoing
        self._asking = threading.Lock()
        self._consent = Consent.UNANSWERED

    def search(self, query: str, limit: int) -> Iterable[WebResult]:
        """Like the search behind it; raises ServiceError if the user declines or does not answer."""
        words = self._outgoing(query)
        with self._asking:
            if self._consent is Consent.UNANSWERED:
                self._consent = self._decide(words)
        if self._consent not in (Consent.ONCE, Consent.THREAD):
            raise ServiceError(f"web_search.{'declined' if self._consent is Consent.NO else 'unanswered'}")
        self._emit(WebQueried(words))
        return self._web.search(words, limit)


def agreed(_: str) -> Consent:
    """For users who agreed beforehand."""
    return Consent.THREAD


def of_thread(query: str, thread_id: str, threads: Threads, ask: Callable[[str], Consent]) -> Consent:
    """What was decided for the conversation, or is decided now and kept for it."""
    if threads.get(thread_id).web_allowed:
        return Consent.THREAD
    consent = ask(query)
    if consent is Consent.THREAD:
        threads.allow_web(thread_id, True)
    return consent


def asked(query: str, answer: Answer, emit: Callable[[Event], None], meter: Pausable, cancel: Cancel) -> Consent:
    """The user's decision on the query; the question's clock is stopped while waiting."""
    emit(ConsentAsked(query))
    with meter.paused():
        consent = answer.wait(cancel, WAIT_SECONDS)
    emit(ConsentGiven(consent.value))
    return consent
