"""Titles of conversations: the first question, or what a model makes of it and the answer in the background.

One that begins with small talk is titled by the first question after it.
"""

import logging
import re
import threading
from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextvars import copy_context
from dataclasses import dataclass, replace

from pydantic import BaseModel, Field

from core.agents.intents import Intent
from core.graph.ports import KnowledgeGraph
from core.models.meter import Cancel, Meter
from core.models.ports import BUILT_IN, Llm
from core.models.tasks import Task
from core.platform.errors import AppError, CancelledError
from core.platform.language.scripts import UNSPACED
from core.platform.language.stopwords import ENGLISH, HAN_PARTICLES, HAN_PHRASES
from core.rulebook.messages import Question
from core.runs.events import Event, ModelCalled, NodeFinished
from core.runs.execution.runner import Emit
from core.runs.history.view import RunView
from core.runs.model import AnswerOutcome, Run
from core.runs.ports import RunLog, Threads

CHARACTERS = 60
NAMES = 3
"""Entities in a title."""
TELLING, LITTLE = 2.0, 4.0
"""Weight of the significant words that makes a title, and below which "this document" remains ambiguous."""
SHOWN_ANSWER = 600
"""Characters of the answer that a model is given."""
_TOKEN = re.compile(rf"(?P<sign>[{UNSPACED}])|[^\W_{UNSPACED}]+(?:['’.\-‐‑][^\W_{UNSPACED}]+)*")
_PHRASE = re.compile("|".join(sorted(map(re.escape, HAN_PHRASES), key=len, reverse=True)))
_SUBJECT = re.compile(r"\b(?:who|what|which|whose)\s+$", re.IGNORECASE)
_HOW = re.compile(r"\bhow\s+[a-z]+", re.IGNORECASE)
_OF_PERSON = {f"run.reason.social_{intent}" for intent in (Intent.STATEMENT, Intent.ABOUT_USER)}
_LOG = logging.getLogger(__name__)
Entitle = Callable[[Run, RunView, Emit, Cancel], str]


class Title(BaseModel):
    title: str = Field(description="the title, at most six words")


@dataclass(frozen=True, slots=True)
class TitleRequest:
    question: str
    answer: str
    names: tuple[str, ...] = ()
    """Entities in the answer, most mentioned first."""


def _by_telling_words(request: TitleRequest) -> Title:
    return Title(title=title_of(request.question, request.names))


TITLE = Task("title_chat", Title, _by_telling_words, max_tokens=200)


def title_of(question: str, names: Sequence[str] = ()) -> str:
    """The most significant part of the question; the names if the question alone is not distinctive."""
    line = " ".join(question.split())
    asked = Question(line).plain
    telling = [token for token in _tokens(asked) if token.weight]
    weight = sum(token.weight for token in telling)
    if names and (not weight or (weight < LITTLE and Question(line).is_vague)):
        return _cut(" · ".join(names[:NAMES]))
    if weight < TELLING:
        return _cut(line)
    whole = asked.rstrip(" ?？!！。.")
    best = _window(telling)
    words = whole if len(whole) <= CHARACTERS else _cut(asked[_beginning(asked, best[0].start) : best[-1].end])
    return words[:1].upper() + words[1:]


def title_found(question: str, answer: str, base_id: str, graph: KnowledgeGraph, llm: Llm, meter: Meter) -> str:
    """The title by the model, or by the rule without one. Raises AppError."""
    found = sorted(graph.named_in(base_id, answer, 4 * NAMES), key=lambda entity: -entity.mentions)
    request = TitleRequest(question, answer[:SHOWN_ANSWER], tuple(entity.name for entity in found))
    if llm.engine == BUILT_IN:
        return TITLE.rule(request).title
    written = " ".join(llm.run(TITLE, request, meter).title.split()).strip(" \"'“”«»。.")
    return _cut(written) or TITLE.rule(request).title


@dataclass(frozen=True, slots=True)
class _Token:
    start: int
    end: int
    weight: float
    """0 for words that any question may have; names and numbers weigh most."""


def _tokens(line: str) -> list[_Token]:
    asking = (found.span() for pattern in (_PHRASE, _HOW) for found in pattern.finditer(line))
    phrases = {at for span in asking for at in range(*span)}
    return [_token(found, phrases) for found in _TOKEN.finditer(line)]


def _token(found: "re.Match[str]", phrases: set[int]) -> _Token:
    word, start = found.group(), found.start()
    if found["sign"]:
        weight = 0.0 if start in phrases or word in HAN_PARTICLES else 0.5
        return _Token(start, found.end(), weight)
    if start in phrases or word.casefold().replace("’", "'") in ENGLISH:
        return _Token(start, found.end(), 0.0)
    named = any(map(str.isdigit, word)) or any(map(str.isupper, word[1:])) or (start > 0 and word[0].isupper())
    return _Token(start, found.end(), 2.0 if named else 1.0)


def _window(telling: Sequence[_Token]) -> Sequence[_Token]:
    """The heaviest sequence of tokens that fits into a title; the first of equal ones."""
    best, heaviest, start = telling[:1], 0.0, 0
    for end in range(len(telling)):
        while telling[end].end - telling[start].start > CHARACTERS and start < end:
            start += 1
        weight = sum(token.weight for token in telling[start : end + 1])
        if weight > heaviest:
            best, heaviest = telling[start : end + 1], weight
    return best


def _beginning(asked: str, start: int) -> int:
    """The start including a question word directly before it."""
    found = _SUBJECT.search(asked[:start])
    return found.start() if found else start


def _cut(line: str) -> str:
    return line if len(line) <= CHARACTERS else f"{line[: CHARACTERS - 1].rstrip()}…"


class Titles:
    """Titles conversations one at a time, so that a model stays free for answers. close() when done."""

    def __init__(self, entitle: Entitle | None, log: RunLog, threads: Threads) -> None:
        self._make = entitle
        self._log = log
        self._threads = threads
        self._closed = threading.Event()
        self._pool = ThreadPoolExecutor(1, thread_name_prefix="run-title")

    def begin(self, run: Run, view: RunView) -> None:
        """Titles the conversation of the finished run, if that is its first question and not small talk."""
        is_small_talk = view.outcome == AnswerOutcome.DIRECT
        if self._make is not None and not is_small_talk and not self._closed.is_set():
            self._pool.submit(copy_context().run, self._entitle, self._make, run, view).add_done_callback(_log_failure)

    def requested(self) -> bool:
        """Implements Cancel: whether the app is closing."""
        return self._closed.is_set()

    def close(self) -> None:
        self._closed.set()
        self._pool.shutdown(wait=False, cancel_futures=True)

    def _entitle(self, make: Entitle, run: Run, view: RunView) -> None:
        """Renames the conversation, unless a person has named it meanwhile."""
        calls: list[ModelCalled] = []
        try:
            if not self._is_unnamed(run):
                return
            title = make(run, view, lambda event: _keep_call(event, calls), self)
            if title and self._is_unnamed(run):
                self._threads.rename(run.thread_id, title)
            self._count(run, calls)
        except CancelledError:
            _LOG.info("a conversation keeps its first title")
        except AppError as error:
            _LOG.warning("no title: %s", error)

    def _is_unnamed(self, run: Run) -> bool:
        """Whether the conversation has its first title, and at most small talk came before the run."""
        first = run
        while first.parent_id:
            first = self._log.get(first.parent_id)
            if first.outcome != AnswerOutcome.DIRECT or self._is_of_person(first):
                return False
        return self._threads.get(run.thread_id).title == title_of(first.question)

    def _is_of_person(self, run: Run) -> bool:
        """Whether the person told something or asked for it, which is no small talk."""
        return any(
            isinstance(event, NodeFinished) and event.reason in _OF_PERSON for _, event in self._log.events(run.id, 0)
        )

    def _count(self, run: Run, calls: list[ModelCalled]) -> None:
        """Adds the model calls to the finished run, because they cost as much as its others."""
        if not calls:
            return
        self._log.append(run.id, calls)
        ended = self._log.get(run.id)
        self._log.finish(replace(ended, usage=sum((call.usage for call in calls), ended.usage)))


def _keep_call(event: Event, calls: list[ModelCalled]) -> None:
    """Keeps model calls only: a failed title is not a failure of the answer."""
    if isinstance(event, ModelCalled):
        calls.append(event)


def _log_failure(job: "Future[None]") -> None:
    if not job.cancelled() and (error := job.exception()):
        _LOG.error("a title failed", exc_info=error)
