"""What a community is about: the sentences that name most of its entities together, and a model's summary of them."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pydantic import BaseModel, Field

from core.documents.model import CELL_BREAK
from core.documents.ports.extraction import AnswerStore
from core.graph.files.import_documents import PARSER
from core.graph.model import CommunitySentence, Entity
from core.graph.ports import KnowledgeGraph
from core.models.meter import Meter
from core.models.ports import Llm
from core.models.prompt_files import fill
from core.models.tasks import Task
from core.platform.ids import content_id
from core.platform.language.sentences import before_closing_marks, introduces, sentences
from core.search.model import Passage
from core.search.ports import Passages

MEMBERS = 40
"""The most central of a community that count."""
PASSAGES = 12
SENTENCES = 3
LONGEST = 320
"""Characters of a sentence."""
HEADING_WORDS, HEADING_LETTERS = 6, 40
"""Most of a heading."""
_NAMED_BEFORE = 0.2
"""Weight of an entity that an earlier sentence names."""
_LETTER_SHARE = 0.65
"""Least share of letters in prose; less is a row of figures or code."""
_NAME_SHARE = 0.8
"""Share of the letters, or of the words; a sentence with more of them in names is a list."""
_SAME_SHARE = 0.7
_LATIN_WORD = re.compile(r"[A-Za-z][A-Za-z'’]+")
MAX_SUMMARY = 600
"""Characters; longer summaries are cut."""


def salient_sentences(
    graph: KnowledgeGraph, passages: Passages, members: Sequence[Entity]
) -> tuple[CommunitySentence, ...]:
    """members: the most central first. Empty where no sentence names two of them."""
    central = members[:MEMBERS]
    found = graph.chunks_of([entity.id for entity in central], PASSAGES)
    return _chosen(central, list(_candidates(central, passages.get([chunk_id for chunk_id, _ in found]))))


def sentences_of_both(one: Entity, other: Entity, passages: Sequence[Passage], most: int) -> list[tuple[str, Passage]]:
    """Sentences that name both, the names closest first; lists of names only where nothing else names both."""
    found: dict[str, tuple[int, Passage]] = {}
    for line, passage in _prose(passages):
        apart = _apart(line, one, other)
        if apart is not None:
            found.setdefault(line, (apart, passage))
    informative = [line for line in found if not (_is_list(line, (one, other)) or _is_row_of_names(line))]
    chosen: list[str] = []
    for line in sorted(informative or found, key=lambda line: found[line][0]):
        if len(chosen) < most and not any(_same(line, other_line) for other_line in chosen):
            chosen.append(line)
    return [(line, found[line][1]) for line in chosen]


def sentences_of_each(pair: Sequence[Entity], passages: Sequence[Passage]) -> list[tuple[str, Passage]]:
    """A sentence about each, of the first passage that has them; empty where none has."""
    for passage in passages:
        lines = [line for line, _ in _prose([passage])]
        naming = [next((line for line in lines if entity.is_named_in(line)), "") for entity in pair]
        if all(naming):
            return [(line, passage) for line in dict.fromkeys(naming)]
    return []


def _lines(passages: Sequence[Passage]) -> Iterator[tuple[str, Passage]]:
    """Sentences of prose, without the pages of imported graphs, which are lists of names."""
    for passage in passages:
        for sentence in sentences(passage.chunk.text) if passage.parser != PARSER else ():
            line = " ".join(sentence.split())
            if len(line) <= LONGEST and _is_prose(line):
                yield line, passage


def _prose(passages: Sequence[Passage]) -> Iterator[tuple[str, Passage]]:
    return (found for found in _lines(passages) if not _is_heading(found[0]))


def _same(line: str, other: str) -> bool:
    """Whether most of the words are the same, as where a passage repeats the end of the one before."""
    words, others = set(line.split()), set(other.split())
    return len(words & others) > _SAME_SHARE * min(len(words), len(others))


def _apart(line: str, one: Entity, other: Entity) -> int | None:
    """Characters between the nearest two of their names; None unless both are named, side by side."""
    gaps = (
        max(start, other_start) - min(end, other_end)
        for start, end in one.spans_in(line)
        for other_start, other_end in other.spans_in(line)
    )
    return min((gap for gap in gaps if gap >= 0), default=None)


def _candidates(
    members: Sequence[Entity], passages: Sequence[Passage]
) -> Iterator[tuple[CommunitySentence, tuple[int, ...]]]:
    """Sentences that name two of them at least, with the places of these."""
    seen: set[str] = set()
    for line, passage in _lines(passages):
        named = tuple(place for place, entity in enumerate(members) if entity.is_named_in(line))
        if line in seen or len(named) < 2 or _is_list(line, [members[place] for place in named]):
            continue
        seen.add(line)
        words = tuple(name for place in named for name in (members[place].name, *members[place].aliases))
        yield CommunitySentence(line, passage.chunk.id, passage.document_name, passage.chunk.page, words), named


def _chosen(
    members: Sequence[Entity], candidates: list[tuple[CommunitySentence, tuple[int, ...]]]
) -> tuple[CommunitySentence, ...]:
    """Sentences chosen one after another, each for entities that the earlier ones do not name."""
    weights = [1 / (1 + place) ** 0.5 for place in range(len(members))]
    chosen: list[CommunitySentence] = []
    while candidates and len(chosen) < SENTENCES:
        gains = [sum(weights[place] for place in named) for _, named in candidates]
        sentence, named = candidates.pop(gains.index(max(gains)))
        chosen.append(sentence)
        for place in named:
            weights[place] *= _NAMED_BEFORE
    return tuple(chosen)


def _is_prose(line: str) -> bool:
    if CELL_BREAK in line:
        return False
    return _letters(line) >= _LETTER_SHARE * len(line.replace(" ", ""))


def _is_heading(line: str) -> bool:
    """Whether it is a few words that no mark ends, as headings and captions are."""
    is_open = before_closing_marks(line) == len(line) and not introduces(line)
    return is_open and len(line.split()) <= HEADING_WORDS and _letters(line) <= HEADING_LETTERS


def _is_list(line: str, named: Sequence[Entity]) -> bool:
    """Such as the authors with their institutes: hardly anything but names."""
    rest = line.casefold()
    for entity in named:
        for name in sorted((entity.name, *entity.aliases), key=len, reverse=True):
            rest = rest.replace(name.casefold(), "")
    return _letters(rest) < (1 - _NAME_SHARE) * _letters(line)


def _is_row_of_names(line: str) -> bool:
    words = [match.group() for match in _LATIN_WORD.finditer(line)]
    return sum(word[0].isupper() for word in words) > _NAME_SHARE * len(words)


def _letters(text: str) -> int:
    return sum(sign.isalpha() for sign in text)


class CommunitySummary(BaseModel):
    summary: str = Field(description="one or two plain sentences")


@dataclass(frozen=True, slots=True)
class SummariseCommunityRequest:
    language: str
    names: tuple[str, ...]
    """Names of its entities, the most central first."""
    sentences: tuple[str, ...]
    """Sentences of the documents about them."""


def _by_first_sentence(request: SummariseCommunityRequest) -> CommunitySummary:
    return CommunitySummary(summary=request.sentences[0] if request.sentences else "")


SUMMARISE_COMMUNITY = Task("summarise_community", CommunitySummary, _by_first_sentence, max_tokens=500)


class CommunitySummaries:
    def __init__(self, llm: Llm, answers: AnswerStore) -> None:
        self._llm = llm
        self._answers = answers

    def kept(self, request: SummariseCommunityRequest) -> str:
        """The summary that this model wrote of the same sentences before; empty if there is none."""
        return self._answers.get(self._key(request))

    def write(self, request: SummariseCommunityRequest, meter: Meter) -> str:
        """Empty where the model fails: the rule's sentence says no more than what is shown without it."""
        written = self._llm.run(SUMMARISE_COMMUNITY, request, meter).summary
        if meter.failure():
            return ""
        summary = " ".join(written.split())[:MAX_SUMMARY]
        self._answers.put(self._key(request), summary)
        return summary

    def _key(self, request: SummariseCommunityRequest) -> str:
        messages = (message["content"] for message in fill(SUMMARISE_COMMUNITY.name, request))
        return content_id("community", self._llm.engine, *messages)
