"""Questions made from documents, each with the page that answers it: by a model, by rules, or about rare names."""

import logging
import re
import threading
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import chain, islice, zip_longest
from operator import attrgetter

from pydantic import BaseModel, Field

from core.graph.model import Entity, MentionView
from core.graph.ports import KnowledgeGraph
from core.models.meter import CountingMeter, Meter
from core.models.ports import BUILT_IN, Llm
from core.models.tasks import Task
from core.platform.errors import AppError, CancelledError, InputError
from core.platform.identity import acting_id, on_behalf
from core.platform.language.detect import detect_language
from core.platform.language.sentences import sentences
from core.platform.language.terms import content_terms, content_words, normal_form
from core.platform.texts import text
from core.runs.evaluation.model import Case, new_case
from core.runs.evaluation.sentence_questions import asked_of
from core.runs.model import Usage
from core.runs.ports import Evaluations
from core.search.model import Passage
from core.search.ports import IndexEntry, Passages

MOST_CASES = 50
MOST_CALLS = 30
"""Calls of a model, one a passage."""
TRIED_BY_RULE = 400
"""Passages that the rules read."""
MOST_READ = 5_000
"""Passages that are compared."""
A_PASSAGE = 2
LONGEST = 300
"""Characters of a question."""
SHORTEST = 6
_HEADING_NUMBER = re.compile(r"^(?:\d+(?:\.\d+)*\.?|[A-Z]\.|第[^\s章节]{1,4}[章节]|[一二三四五六七八九十]+、)\s*")
NAMERS = ("PERSON", "ORGANIZATION")
MOST_MENTIONS = 4
"""Most mentions of a rare name; names with more are seldom on one page only."""
TRIED_NAMES = 400
SHORTEST_NAME = 3
"""Characters of a name."""


class WrittenQuestion(BaseModel):
    question: str = Field(description="the question, on its own")
    answer: str = Field(default="", description="the few words that answer it, copied exactly; empty for a sentence")
    evidence: str = Field(description="the sentence of the passage that answers it, copied exactly")


class WrittenQuestions(BaseModel):
    """Questions that a passage answers."""

    questions: list[WrittenQuestion] = Field(description="at most two; empty where nobody would ask anything")


@dataclass(frozen=True, slots=True)
class WriteRequest:
    title: str
    section: str
    passage: str
    people: tuple[str, ...] = ()
    """Names of persons and organisations."""


def _by_turning(request: WriteRequest) -> WrittenQuestions:
    """Rule: sentences turned into questions; with none, the passage's heading is asked about."""
    found: list[WrittenQuestion] = []
    for sentence in sentences(request.passage):
        if made := asked_of(sentence, request.people):
            found.append(WrittenQuestion(question=made.question, answer=made.answer, evidence=sentence))
    found.sort(key=lambda one: not one.answer)
    heading = _HEADING_NUMBER.sub("", request.section)
    if not found and len(content_terms(heading)) > 1:
        asked = text("evaluation.made_heading", detect_language(request.passage), heading=heading)
        found.append(WrittenQuestion(question=asked, evidence=request.section))
    return WrittenQuestions(questions=found[:A_PASSAGE])


WRITE_QUESTIONS = Task("write_questions", WrittenQuestions, _by_turning, max_tokens=1_000)


@dataclass(frozen=True, slots=True)
class Source:
    """Graph, passages and model from which questions are made."""

    graph: KnowledgeGraph
    passages: Passages
    llm: Llm


@dataclass(frozen=True, slots=True)
class ReadPassage:
    """Progress after a passage, with its questions."""

    passages: int
    """Number of passages to read in all."""
    cases: list[Case]


def cases_written(base_id: str, source: Source, meter: Meter) -> Iterator[ReadPassage]:
    """Yields after each passage, at most MOST_CASES questions in all. Raises AppError."""
    read = list(islice(chain.from_iterable(source.passages.index_entries(base_id, "chunks")), MOST_READ))
    chosen = _chosen(read, TRIED_BY_RULE if source.llm.engine == BUILT_IN else MOST_CALLS)
    texts = {entry.chunk_id: normal_form(f"{entry.section}\n{entry.text}").casefold() for entry in read}
    headings = _headings(read)
    left, known = MOST_CASES, set[str]()
    for entry in chosen:
        cases: list[Case] = []
        for passage in source.passages.get([entry.chunk_id]):
            request = _request(entry, source.graph)
            for written in source.llm.run(WRITE_QUESTIONS, request, meter).questions[:A_PASSAGE]:
                case = _case(passage, written, headings)
                if case and case.id not in known and not _fits_elsewhere(case, passage, texts):
                    known.add(case.id)
                    cases.append(case)
        yield ReadPassage(len(chosen), cases[:left])
        left -= len(cases)
        if left <= 0:
            return


def _chosen(read: Sequence[IndexEntry], most: int) -> list[IndexEntry]:
    """Passages of all documents in turn, evenly spread over each document."""
    by_document: dict[str, list[IndexEntry]] = defaultdict(list)
    for entry in read:
        by_document[entry.document_id].append(entry)
    share = -(-most // max(1, len(by_document)))
    spread = (_evenly(entries, share) for entries in by_document.values())
    return list(islice((entry for entry in chain.from_iterable(zip_longest(*spread)) if entry), most))


def _evenly(entries: Sequence[IndexEntry], count: int) -> list[IndexEntry]:
    if len(entries) <= count:
        return list(entries)
    return [entries[at * len(entries) // count] for at in range(count)]


def _headings(read: Iterable[IndexEntry]) -> set[str]:
    """Headings of exactly one passage."""
    counted: dict[str, int] = defaultdict(int)
    for entry in read:
        counted[_last_heading(entry)] += 1
    return {heading for heading, count in counted.items() if heading and count == 1}


def _last_heading(entry: IndexEntry) -> str:
    return entry.section.rpartition("\n")[2].strip()


def _request(entry: IndexEntry, graph: KnowledgeGraph) -> WriteRequest:
    named = graph.of_chunks([entry.chunk_id]).get(entry.chunk_id, [])
    people = sorted((it.name for it in named if it.type in NAMERS), key=len, reverse=True)
    return WriteRequest(entry.title, _last_heading(entry), entry.text, tuple(people))


def _case(passage: Passage, written: WrittenQuestion, headings: set[str]) -> Case | None:
    """None if the text is not a question, or the page of its answer is uncertain."""
    question = " ".join(written.question.split())
    if not SHORTEST <= len(question) <= LONGEST or not question.endswith(("?", "？")):
        return None
    pages = _pages(passage, written.evidence, headings)
    if len(pages) != 1:
        return None
    answer = " ".join(written.answer.split())
    if normal_form(answer).casefold() not in normal_form(" ".join(written.evidence.split())).casefold():
        answer = ""
    (page,) = pages
    return new_case(question, passage.document_name, page + 1, answer)


def _pages(passage: Passage, evidence: str, headings: set[str]) -> set[int]:
    """0-based pages of the evidence; empty if it is not in the passage."""
    chunk, words = passage.chunk, [re.escape(word) for word in evidence.split()]
    if words and (found := re.search(r"\s+".join(words), chunk.text)):
        return {span.page for span in chunk.spans if span.start < found.end() and span.end > found.start()}
    if chunk.section and evidence == chunk.section[-1].strip() and evidence in headings:
        return set(map(attrgetter("page"), chunk.spans))
    return set()


def _fits_elsewhere(case: Case, passage: Passage, texts: dict[str, str]) -> bool:
    """Whether another passage has all words of question and answer, so that another page may answer as well."""
    words = [normal_form(word).casefold() for word in (*content_words(case.question), *case.answer.split())]
    return any(chunk_id != passage.chunk.id and all(word in told for word in words) for chunk_id, told in texts.items())


def cases_from(base_id: str, graph: KnowledgeGraph, passages: Passages) -> list[Case]:
    """Questions about names that are on one page only, from all documents in turn; without an expected answer."""
    rare = (it for it in graph.every(base_id) if it.mentions <= MOST_MENTIONS and len(it.name) >= SHORTEST_NAME)
    names = list(islice(rare, TRIED_NAMES))
    holding = _holding(base_id, names, passages)
    by_document: dict[str, list[Case]] = defaultdict(list)
    for entity in names:
        views = graph.mentions(entity.id, MOST_MENTIONS + 1)
        pages = {(view.mention.document_id, view.mention.page) for view in views}
        if len(pages) == 1 and holding[entity.id] <= {view.mention.chunk_id for view in views}:
            by_document[views[0].mention.document_id].append(_case_of_name(entity, views[0]))
    in_turn = chain.from_iterable(zip_longest(*by_document.values()))
    return list(islice((case for case in in_turn if case), MOST_CASES))


def _holding(base_id: str, entities: list[Entity], passages: Passages) -> dict[str, set[str]]:
    """Ids of the chunks whose text, section or title contains the name, by entity id."""
    wanted = [(entity.id, name.casefold()) for entity in entities for name in (entity.name, *entity.aliases)]
    found: dict[str, set[str]] = defaultdict(set)
    for entry in chain.from_iterable(passages.index_entries(base_id, "chunks")):
        words = f"{entry.title}\n{entry.section}\n{entry.text}".casefold()
        for entity_id, name in wanted:
            if name in words:
                found[entity_id].add(entry.chunk_id)
    return found


def _case_of_name(entity: Entity, view: MentionView) -> Case:
    name = " ".join(entity.name.split())
    question = text("evaluation.made_question", detect_language(view.sentence), name=name)
    return new_case(question, view.document_name, view.mention.page + 1)


_LOG = logging.getLogger(__name__)


@dataclass(slots=True)
class Making:
    """State of a list in the making; pages read it while its thread works on it."""

    name: str
    engine: str
    passages: int = 0
    read: int = 0
    questions: int = 0
    usage: Usage = field(default_factory=Usage)
    degradations: int = 0
    """How often the rule wrote instead of the model."""
    list_id: str = ""
    """Empty until the list is stored; it is never stored if no passage gave a question."""
    fault: AppError | None = None
    ended: bool = False
    _stopped: threading.Event = field(default_factory=threading.Event)

    def stop(self) -> None:
        """Keeps the questions written so far."""
        self._stopped.set()

    def requested(self) -> bool:
        return self._stopped.is_set()


class ListMaker:
    """close() when done."""

    def __init__(self, store: Evaluations) -> None:
        self._store = store
        self._lock = threading.Lock()
        self._made: dict[tuple[str, str], Making] = {}
        """The newest by person and knowledge base."""

    def start(self, base_id: str, name: str, source: Source) -> Making:
        """Raises InputError if a list of the person for this knowledge base is in the making."""
        with self._lock:
            before = self._made.get((acting_id(), base_id))
            if before and not before.ended:
                raise InputError("evaluation.making_under_way")
            making = self._made[acting_id(), base_id] = Making(name, source.llm.engine)
        make, given = on_behalf(self._make), (base_id, making, source)
        threading.Thread(target=make, args=given, name="question list", daemon=True).start()
        return making

    def of_base(self, base_id: str) -> Making | None:
        with self._lock:
            return self._made.get((acting_id(), base_id))

    def forget(self, base_id: str) -> None:
        with self._lock:
            self._made.pop((acting_id(), base_id), None)

    def close(self) -> None:
        with self._lock:
            for making in self._made.values():
                making.stop()

    def _make(self, base_id: str, making: Making, source: Source) -> None:
        meter, cases = CountingMeter(making), list[Case]()
        try:
            for read in cases_written(base_id, source, meter):
                cases += read.cases
                making.passages, making.read = read.passages, making.read + 1
                making.questions = len(cases)
                making.usage, making.degradations = meter.usage, meter.degradations
                if making.requested():
                    break
        except CancelledError:
            _LOG.info("the making of a list was stopped")
        except AppError as error:
            making.fault = error
        try:
            if cases:
                making.list_id = self._store.keep_list(making.name, cases).id
        except AppError as error:
            making.fault = error
        finally:
            making.ended = True
