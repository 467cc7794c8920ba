"""The title of a conversation: its first question, or what a model makes of question and answer."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from core.graph.ports import KnowledgeGraph
from core.models.meter import Meter
from core.models.ports import BUILT_IN, Llm
from core.models.tasks import Task
from core.platform.language.scripts import UNSPACED
from core.platform.language.stopwords import ENGLISH, HAN_PARTICLES, HAN_PHRASES
from core.rulebook.messages import Question

CHARACTERS = 60
NAMES = 3
"""Entities in a title."""
TELLING, LITTLE = 2.0, 4.0
"""Weight from which the telling words make a title, and below which "this document" leaves open what is meant."""
SHOWN_ANSWER = 600
"""Characters of the answer that a model is given."""
_TOKEN = re.compile(rf"(?P<sign>[{UNSPACED}])|[^\W_{UNSPACED}]+(?:['’.\-‐‑][^\W_{UNSPACED}]+)*")
_PHRASE = re.compile("|".join(sorted(map(re.escape, HAN_PHRASES), key=len, reverse=True)))
_SUBJECT = re.compile(r"\b(?:who|what|which|whose)\s+$", re.IGNORECASE)
_HOW = re.compile(r"\bhow\s+[a-z]+", re.IGNORECASE)


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
    """The question, of a long one the part that tells most; the names where it says nothing that tells it apart."""
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
    """By the model, where there is one. Raises AppError."""
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
    """The run of tokens that fits into a title and weighs most; the first of those that weigh the same."""
    best, heaviest, start = telling[:1], 0.0, 0
    for end in range(len(telling)):
        while telling[end].end - telling[start].start > CHARACTERS and start < end:
            start += 1
        weight = sum(token.weight for token in telling[start : end + 1])
        if weight > heaviest:
            best, heaviest = telling[start : end + 1], weight
    return best


def _beginning(asked: str, start: int) -> int:
    """With the question word that stands right before, as the verb's subject or with its noun."""
    found = _SUBJECT.search(asked[:start])
    return found.start() if found else start


def _cut(line: str) -> str:
    return line if len(line) <= CHARACTERS else f"{line[: CHARACTERS - 1].rstrip()}…"
