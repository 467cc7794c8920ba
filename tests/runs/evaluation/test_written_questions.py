"""Lists of questions written from passages: by the rule, and by a model whose words are checked against the passage."""

import threading
from argparse import Namespace
from collections.abc import Iterator, Sequence
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from core.app.models import llm_of
from core.documents.model import Chunk, Span
from core.graph.model import Entity
from core.interfaces.cli import evaluate as command
from core.models.meter import CountingMeter
from core.models.ports import Llm
from core.platform.errors import InputError
from core.platform.settings.settings import load_settings
from core.runs.evaluation.model import Case, QuestionList
from core.runs.evaluation.question_files import cases_of
from core.runs.evaluation.written_questions import (
    WRITE_QUESTIONS,
    ListMaker,
    Making,
    Source,
    WriteRequest,
    WrittenQuestion,
    WrittenQuestions,
    cases_written,
)
from core.search.model import Passage
from core.search.ports import IndexEntry
from tests.fakes.graph import FakeGraph
from tests.fakes.models import FakeLlm, FakeMeter, RuleLlm
from tests.loopback.answers import Reply
from tests.loopback.openai_server import OpenAiServer

PIER = "Welcome.\nThe north pier is 240 m long."
TEXTS = {
    "a": ("harbour.pdf", ("Piers",), [(0, "Welcome.\n"), (1, "The north pier is 240 m long.")]),
    "b": ("harbour.pdf", ("Opening hours of cranes",), [(2, "Ask at the gate.")]),
    "c": ("coast.pdf", (), [(0, "Ada Holm leads the flood office.")]),
    "d": ("coast.pdf", (), [(4, "The long talk on the flood office, Ada Holm leads, was held.")]),
}


class Passages:
    def index_entries(self, base_id: str, level: str) -> Iterator[list[IndexEntry]]:
        yield [
            IndexEntry(key, name, name, "\n".join(section), "".join(text for _, text in parts))
            for key, (name, section, parts) in TEXTS.items()
        ]

    def get(self, chunk_ids: Sequence[str]) -> list[Passage]:
        return [_passage(key) for key in chunk_ids]


def _passage(key: str) -> Passage:
    name, section, parts = TEXTS[key]
    spans, at = [], 0
    for page, words in parts:
        spans.append(Span(at, at + len(words), 0, page, (0, 0, 1, 1)))
        at += len(words)
    return Passage(Chunk(key, name, 0, "".join(words for _, words in parts), section, tuple(spans)), name, 1.0)


class Graph(FakeGraph):
    def of_chunks(self, chunk_ids: Sequence[str]) -> dict[str, list[Entity]]:
        return {key: [Entity("e", "b", "Ada Holm", "PERSON")] for key in chunk_ids if key in "cd"}


def source(llm: Llm) -> Source:
    return Source(Graph(), Passages(), llm)  # type: ignore[arg-type]


def written(llm: Llm) -> list[Case]:
    return [case for read in cases_written("b", source(llm), FakeMeter()) for case in read.cases]


def told(case: Case) -> tuple[str, str, int | None, str]:
    return case.question, case.document, case.page, case.answer


def test_the_rule_asks_what_is_certain_to_stand_on_one_page() -> None:
    assert [told(case) for case in written(RuleLlm())] == [
        ("How long is the north pier?", "harbour.pdf", 2, "240 m"),
        ("What is said under “Opening hours of cranes”?", "harbour.pdf", 3, ""),
    ]


def test_the_command_writes_what_evaluate_reads_and_says_where_nothing_was_found(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    made = source(RuleLlm())
    library = SimpleNamespace(passages=made.passages)
    services: Any = SimpleNamespace(graph=made.graph, library=library, answering=SimpleNamespace(question_source=made))
    monkeypatch.setattr(command, "existing_base", lambda services, name: SimpleNamespace(id="b"))
    assert command.write_questions(services, Namespace(kb="", names=False)) == 0
    assert cases_of(capsys.readouterr().out.encode()) == written(RuleLlm())
    monkeypatch.setattr(made.graph, "every", lambda base_id: [], raising=False)
    with pytest.raises(InputError, match="on one page only"):
        command.write_questions(services, Namespace(kb="", names=True))


def test_a_model_is_believed_only_as_far_as_its_evidence_stands_in_the_passage() -> None:
    kept = WrittenQuestion(question="Which pier measures 240 m?", answer="the  north pier", evidence=PIER[9:])
    unquoted = kept.model_copy(
        update={"question": "How far does the pier reach?", "answer": "a quarter of a kilometre"}
    )
    invented = kept.model_copy(update={"question": "Who built the pier?", "evidence": "Rolf Lund built the pier."})
    across = kept.model_copy(update={"question": "What does the page say of piers?", "evidence": PIER})
    no_question = kept.model_copy(update={"question": "Tell me about the north pier."})
    none = WrittenQuestions(questions=[])
    given = [[kept, unquoted], [invented, across], [no_question, kept]]
    cases = []
    for questions in given:
        cases += written(FakeLlm(write_questions=[WrittenQuestions(questions=questions), none]))
    assert [told(case) for case in cases] == [
        ("Which pier measures 240 m?", "harbour.pdf", 2, "the north pier"),
        ("How far does the pier reach?", "harbour.pdf", 2, ""),
        ("Which pier measures 240 m?", "harbour.pdf", 2, "the north pier"),
    ]


def test_an_endpoint_writes_and_where_it_fails_the_rule_does(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    said = (
        '{"questions": [{"question": "How far out does it go?", "answer": "240 m", "evidence": "The pier is 240 m."}]}'
    )
    monkeypatch.setenv("LLM_MODEL", "loopback-model")
    request = WriteRequest("harbour.pdf", "Piers", "The pier is 240 m. Ada Holm leads it.", ("Ada Holm",))
    meter = CountingMeter(Making("", ""))
    with OpenAiServer([Reply(said), *[Reply("no JSON")] * 4]) as server:
        monkeypatch.setenv("LLM_BASE_URL", server.base_url)
        llm = llm_of(load_settings(tmp_path))
        (found,) = llm.run(WRITE_QUESTIONS, request, meter).questions
        assert (found.question, meter.usage.model_calls, meter.degradations) == ("How far out does it go?", 1, 0)
        assert [one.question for one in llm.run(WRITE_QUESTIONS, request, meter).questions] == ["What is the pier?"]
    assert meter.degradations == 1


class Store:
    def __init__(self) -> None:
        self.kept: dict[str, list[Case]] = {}

    def keep_list(self, name: str, cases: Sequence[Case]) -> QuestionList:
        self.kept[name] = list(cases)
        return QuestionList("l1", name, len(cases), None)  # type: ignore[arg-type]


class Waiting(RuleLlm):
    """Writes once it may."""

    def __init__(self) -> None:
        super().__init__("a-model")
        self.asked, self.may = threading.Event(), threading.Event()

    def run(self, task, request, meter):  # type: ignore[no-untyped-def]
        self.asked.set()
        assert self.may.wait(20)
        return task.rule(request)


def test_a_list_that_is_stopped_keeps_what_is_written_and_two_are_not_made_at_once() -> None:
    store, llm = Store(), Waiting()
    maker = ListMaker(store)  # type: ignore[arg-type]
    making = maker.start("b", "Harbour", source(llm))
    assert llm.asked.wait(20)
    with pytest.raises(InputError):
        maker.start("b", "Harbour", source(llm))
    making.stop()
    llm.may.set()
    while not making.ended:
        threading.Event().wait(0.01)
    assert making.list_id == "l1"
    assert [case.page for case in store.kept["Harbour"]] == [2]
    assert (making.read, making.passages, making.questions) == (1, 4, 1)
