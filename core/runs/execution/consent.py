"""Asks the user before a query is sent to the web. The run waits, for a limited time, for an answer from the page."""

import threading
import time
from collections.abc import Callable, Iterable, Sequence
from enum import StrEnum

from core.models.meter import Cancel
from core.platform.errors import CancelledError, ServiceError
from core.platform.language.terms import terms
from core.runs.events import ConsentAsked, ConsentGiven, Event, WebQueried
from core.runs.execution.budget import RunMeter
from core.runs.ports import Threads
from core.search.ports import WebResult, WebSearch

WAIT_SECONDS = 180.0
_POLL_SECONDS = 0.2
"""How often the waiting run checks whether it was stopped."""


class Consent(StrEnum):
    ONCE = "once"
    """For this question."""
    THREAD = "thread"
    """For the whole conversation."""
    NO = "no"
    UNANSWERED = "unanswered"
    OWN_WORDS = "own words"
    """Given in advance, without seeing a query: covers only words that the person wrote."""


class ConsentReply:
    """The user's answer to a run, given in another thread."""

    def __init__(self) -> None:
        self._given = threading.Event()
        self._consent = Consent.UNANSWERED

    def give(self, consent: Consent) -> None:
        """Stores the first answer; later ones have no effect."""
        if not self._given.is_set():
            self._consent = consent
            self._given.set()

    def wait(self, cancel: Cancel, seconds: float) -> Consent:
        """Raises CancelledError if the run is stopped meanwhile."""
        until = time.monotonic() + seconds
        while not self._given.wait(_POLL_SECONDS) and time.monotonic() < until:
            if cancel.requested():
                raise CancelledError("error.cancelled")
        return self._consent


Decide = Callable[[str, bool], Consent]
"""(query, whether it has only words that the person wrote) -> consent."""
_GIVEN = (Consent.ONCE, Consent.THREAD, Consent.OWN_WORDS)


class ConsentingWebSearch:
    """WebSearch that asks before the first query of a run and reports every query it sends.

    A model writes queries from all that it reads, and a document may tell it to write down what another one says.
    So consent covers the words that were shown with it and those of the person; for a later query with others, the
    question is sent as the person wrote it.
    """

    def __init__(
        self,
        web: WebSearch,
        decide: Decide,
        emit: Callable[[Event], None],
        own: Sequence[str],
        outgoing: Callable[[str], str] = str,
    ) -> None:
        """decide is called once; own is what the person wrote, the question first; outgoing turns a query into the
        exact words that are sent.
        """
        self._web = web
        self._decide = decide
        self._emit = emit
        self._own = own
        self._outgoing = outgoing
        self._asking = threading.Lock()
        self._consent: Consent | None = None
        """None before the first query."""
        self._covered = {term for said in own for term in terms(said)}

    def search(self, query: str, limit: int) -> Iterable[WebResult]:
        """Like the search behind it; raises ServiceError if the user declines or does not answer."""
        words = self._outgoing(query)
        with self._asking:
            words = self._agreed(words)
        if self._consent not in _GIVEN:
            raise ServiceError(f"web_search.{'declined' if self._consent is Consent.NO else 'unanswered'}")
        self._emit(WebQueried(words))
        return self._web.search(words, limit)

    def _agreed(self, words: str) -> str:
        """The query that may be sent, if consent is given."""
        said = terms(words)
        if self._consent is None:
            self._consent = self._decide(words, self._covered.issuperset(said))
            self._covered.update(said if self._consent in (Consent.ONCE, Consent.THREAD) else ())
        return words if self._covered.issuperset(said) else self._outgoing(self._own[0])


def agreed(_: str, __: bool) -> Consent:
    """Consent of users who agreed in advance."""
    return Consent.OWN_WORDS


def of_thread(query: str, is_own: bool, thread_id: str, threads: Threads, ask: Callable[[str], Consent]) -> Consent:
    """The decision stored for the conversation; otherwise asks, and stores consent for the whole conversation."""
    if is_own and threads.get(thread_id).web_allowed:
        return Consent.THREAD
    consent = ask(query)
    if consent is Consent.THREAD:
        threads.allow_web(thread_id, True)
    return consent


def asked(query: str, answer: ConsentReply, emit: Callable[[Event], None], meter: RunMeter, cancel: Cancel) -> Consent:
    """The user's decision on the query; the question's clock is stopped while waiting."""
    emit(ConsentAsked(query))
    with meter.paused():
        consent = answer.wait(cancel, WAIT_SECONDS)
    emit(ConsentGiven(consent.value))
    return consent
