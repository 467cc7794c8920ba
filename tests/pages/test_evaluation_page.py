"""Evaluations on the Runs page: lists, start, progress, stop, what came of it."""

import json
import shutil
import threading
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Engine
from streamlit.testing.v1 import AppTest

from core.platform.errors import AppError, NotFoundError
from core.platform.sql.engine import open_engine
from core.runs.evaluation.model import Case, CaseResult, Evaluation, EvaluationStatus
from core.runs.evaluation.question_files import cases_of, line_of
from core.runs.evaluation.written_questions import ListMaker, Source
from core.runs.model import Feedback, Usage, Verdict
from core.runs.store.evaluations import SqlEvaluations
from pages.components.run.live_html import Action, Parts, live_html
from pages.components.runs import evaluation_results
from tests.fakes.services import FakeServices
from tests.pages.conftest import OpenPage
from tests.pages.marlow import BASE, document
from tests.pages.test_runs_page import ended
from tests.store.databases import migrated_file

__all__ = ["migrated_file"]
CASES = [Case("c1", "What <b>drifts?", "handbook.pdf", 3), Case("c2", "Who?", declined=True)]


@dataclass
class FakeEvaluator:
    """Begins evaluations and leaves them under way."""

    store: SqlEvaluations
    under_way: set[str] = field(default_factory=set)
    faults: dict[str, AppError] = field(default_factory=dict)

    def begin(self, list_id: str, base_id: str, workflows: list[str]) -> Evaluation:
        return self.store.begin(list_id, base_id, "t", workflows, self.store.cases(list_id))

    def start(self, evaluation_id: str) -> None:
        self.under_way.add(evaluation_id)

    def stop(self, evaluation_id: str) -> None:
        self.under_way.discard(evaluation_id)

    def is_under_way(self, evaluation: Evaluation) -> bool:
        return evaluation.id in self.under_way

    def fault(self, evaluation_id: str) -> AppError | None:
        return self.faults.get(evaluation_id)


@pytest.fixture
def store(opened: FakeServices, migrated_file: Path, tmp_path: Path) -> SqlEvaluations:
    engine: Engine = open_engine(f"sqlite:///{shutil.copy(migrated_file, tmp_path / 'truth.sqlite')}")
    made = SqlEvaluations(engine)
    storage: Any = opened.storage
    answering: Any = opened.answering
    storage.records.evaluations, answering.evaluator = made, FakeEvaluator(made)
    answering.list_maker = ListMaker(made)
    answering.question_source = Source(opened.graph, opened.library.passages, opened.llm)
    return made


def parts(app: AppTest) -> dict[str, str]:
    found = [json.loads(element.proto.json) for element in app.get("bidi_component")]
    return next((dict(one["parts"]) for one in found if one["kind"] == "evaluation"), {})


def press(app: AppTest, words: str) -> AppTest:
    return next(button for button in app.button if button.label == words).click().run()


def result(case: str, ending: str, right: bool, run: str = "r") -> CaseResult:
    return CaseResult(case, "adaptive", run, "m", ending, right, None, 2, 1, False, 1.5, Usage(1, 200, 30))


def test_without_a_list_the_page_says_what_one_is_good_for(store: SqlEvaluations, open_page: OpenPage) -> None:
    app = open_page("runs", view="evaluation")
    assert not app.exception
    assert any("No list of questions yet" in caption.value for caption in app.caption)


def test_a_list_is_started_followed_stopped_and_gone_on_with(
    opened: FakeServices, store: SqlEvaluations, open_page: OpenPage
) -> None:
    store.keep_list("Tides", CASES)
    app = press(open_page("runs", view="evaluation"), "Start")
    (begun,) = store.of_list(store.lists()[0].id)
    assert (begun.base_id, begun.workflows) == (BASE.id, ("adaptive",))
    app.button(key="evaluation-stop").click().run()
    store.add_result(begun.id, result("c1", "answered", True))
    app.run()
    assert any("1 of 2 questions" in caption.value for caption in app.caption)
    app.button(key="evaluation-go-on").click().run()
    answering: Any = opened.answering
    assert answering.evaluator.under_way == {begun.id}
    answering.evaluator.stop(begun.id)
    answering.evaluator.faults[begun.id] = NotFoundError("storage.thread_gone")
    app.run()
    assert any("That chat no longer exists" in error.value for error in app.error)
    assert not app.exception


def test_results_are_compared_with_the_last_time(
    opened: FakeServices, store: SqlEvaluations, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    kept = store.keep_list("Tides", CASES)
    run_id = ended(opened, "What drifts?")
    for page in (True, False):
        begun = store.begin(kept.id, BASE.id, "t", ["adaptive"], CASES)
        store.add_result(begun.id, result("c1", "answered", page, run_id))
        store.add_result(begun.id, result("c2", "not_found", True))
        store.mark(begun.id, EvaluationStatus.DONE, "")
    app = open_page("runs", view="evaluation")
    found = parts(app)
    assert "1 worse, 0 better" in found["figures"]
    assert "was 2 / 2" in found["figures"]
    assert "What &lt;b&gt;drifts?" in found["rows"]
    assert found["charts"].count('class="gt-chart"') == 4
    assert not app.exception

    def clicked(key: str, kind: str, drawn: Parts, stream: str = "") -> Action | None:
        live_html(key, kind, drawn, stream)
        return Action("open", run_id)

    monkeypatch.setattr(evaluation_results, "live_html", clicked)
    app.run()
    assert app.query_params["run"] == run_id


def test_questions_with_a_thumbs_down_become_a_list(
    opened: FakeServices, store: SqlEvaluations, open_page: OpenPage
) -> None:
    app = open_page("runs", view="evaluation")
    opened.storage.records.feedback.give(Feedback(ended(opened, "What drifts?"), Verdict.DOWN))
    ended(opened, "Which ship?")
    app.button(key="evaluation-thumbs").click().run()
    (kept,) = store.lists()
    assert [case.question for case in store.cases(kept.id)] == ["What drifts?"]
    assert not app.exception


def test_names_on_one_page_become_a_list(opened: FakeServices, store: SqlEvaluations, open_page: OpenPage) -> None:
    app = open_page("runs", view="evaluation")
    app.button(key="evaluation-documents").click().run()
    assert not app.exception
    for kept in store.lists():
        assert all(case.document and case.page and not case.answer for case in store.cases(kept.id))


def test_questions_written_from_the_documents_become_a_list(
    opened: FakeServices, store: SqlEvaluations, open_page: OpenPage
) -> None:
    opened.library.documents.kept["d-handbook.pdf"] = document()
    app = open_page("runs", view="evaluation")
    app.button(key="evaluation-write").click().run()
    answering: Any = opened.answering
    while (making := answering.list_maker.of_base(BASE.id)) and not making.ended:
        threading.Event().wait(0.02)
    app.run()
    (kept,) = store.lists()
    assert ("Who moved from the University of Westhaven to the Nordholm Foundation?", "Rafael Marchetti") in {
        (case.question, case.answer) for case in store.cases(kept.id)
    }
    assert not app.exception
    assert any("Rafael Marchetti · handbook" in element.value for element in app.markdown)
    (file,) = app.get("download_button")
    assert file.proto.label == "Download as JSONL"
    assert all(cases_of(line_of(case).encode())[0] == case for case in store.cases(kept.id))
