"""Relations that a small model states between names of the rules: which lines count, in what order, what fails."""

import threading
from collections.abc import Iterator

import pytest

from core.documents.extraction.builtin_extractor import BuiltinExtractor
from core.documents.extraction.relation_extractor import MOST_IN_A_ROW, RelationExtractor
from core.documents.model import read_note
from core.documents.ports.extraction import Extraction, ExtractionRequest
from core.models.meter import Meter
from core.models.ports import Pace
from core.models.tagging.entity_tagger import OnnxEntityTagger
from core.models.tasks import Request, TextTask
from core.platform.errors import CancelledError, ServiceError
from tests.documents.extraction.test_langextract_extractor import Answers, Stop
from tests.fakes.models import RuleLlm

LEADS = "Maria Lindqvist leads the Harrow Valley Water Board."
PLAIN = "The board meets in spring and in autumn, as it always has. " * 8
TEXTS = (PLAIN, LEADS, "The Harrow Valley Water Board uses EskFlow. Maria Lindqvist was born in Esbjerg.")
ANSWER = """Maria Lindqvist | leads the Harrow Valley Water Board
1. EskFlow | uses | Harrow Valley Water Board
Maria Lindqvist | uses EskFlow
Maria Lindqvist | founded the Harrow Valley Water Board
Maria Lindqvist | leads Tarn Labs
EskFlow is good.
EskFlow | uses | Harrow Valley Water Board | and more
EskFlow | is EskFlow"""


class Writer(RuleLlm):
    def __init__(self, answer: str = ANSWER, failures: int = 0) -> None:
        super().__init__("small")
        self.answer = answer
        self.failures = failures
        self.passages: list[str] = []

    def stream(self, task: TextTask[Request], request: Request, meter: Meter) -> Iterator[str]:
        self.passages.append(request.passage)  # type: ignore[attr-defined]  # of this one task
        if len(self.passages) <= self.failures:
            raise ServiceError("llm.timeout")
        yield self.answer


def read(llm: Writer, *texts: str, answers: Answers | None = None, **pace: int) -> Extraction:
    order = ExtractionRequest(
        texts, "en", (), Answers() if answers is None else answers, Stop(), lambda done, total: None
    )
    limits = {"in_flight": 1, "unit_tokens": 30, "most_units": 9} | pace
    return RelationExtractor(llm, Pace(**limits), BuiltinExtractor(OnnxEntityTagger())).extract_document(order)


def said(found: Extraction, texts: tuple[str, ...] = TEXTS) -> list[tuple[str, str, str]]:
    def at(place: tuple[int, int, int]) -> str:
        return texts[place[0]][place[1] : place[2]]

    return [(at(each.source), each.relation, at(each.target)) for each in found.relations]


def test_a_statement_counts_where_a_sentence_makes_it_between_both_names_in_its_order() -> None:
    found = read(Writer(), *TEXTS, unit_tokens=1_000)
    assert said(found) == [
        ("Maria Lindqvist", "leads", "Harrow Valley Water Board"),
        ("Harrow Valley Water Board", "uses", "EskFlow"),
    ]
    assert found.found == tuple(map(tuple, BuiltinExtractor(OnnxEntityTagger()).extract(TEXTS)))


def test_the_most_telling_passages_come_first_and_others_are_left_out() -> None:
    llm = Writer()
    found = read(llm, *TEXTS, most_units=1)
    assert llm.passages in ([TEXTS[1]], [TEXTS[2]])
    assert [read_note(note) for note in found.notes] == [("extraction.note.relations", {"done": "1", "total": "3"})]


def test_what_was_answered_is_not_asked_again() -> None:
    answers, again = Answers(), Writer()
    first = read(Writer(), *TEXTS, answers=answers)
    assert read(again, *TEXTS, answers=answers) == first
    assert again.passages == []


def test_a_model_that_fails_again_and_again_is_left_alone() -> None:
    llm = Writer(failures=100)
    found = read(llm, *(f"{LEADS} Note {at}." for at in range(9)))
    assert len(llm.passages) == MOST_IN_A_ROW
    assert found.relations == ()
    assert any(found.found)


def test_a_document_that_is_cancelled_ends() -> None:
    stop = Stop()
    stop.wanted = threading.Event()
    stop.wanted.set()
    order = ExtractionRequest(TEXTS, "en", (), Answers(), stop, lambda done, total: None)
    with pytest.raises(CancelledError):
        RelationExtractor(
            Writer(), Pace(in_flight=1, most_units=3), BuiltinExtractor(OnnxEntityTagger())
        ).extract_document(order)
