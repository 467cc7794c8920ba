"""The Runs page: the list and its figures, a run opened and replayed, two compared, export and deletion."""

import csv
import io
import json
from dataclasses import replace
from datetime import timedelta

import pytest
from streamlit.testing.v1 import AppTest

from core.platform.clock import utc_now
from core.runs.events import AnswerReady, Event, NodeFinished, NodeStarted, RunFinished
from core.runs.history.export import rows_csv, run_with_events, runs_csv, runs_json
from core.runs.history.prices import Price
from core.runs.model import Run, RunPurpose, RunRequest, RunStatus, Usage
from core.runs.run_lists import RunLine, RunSum
from core.search.model import Citation
from pages.components.run.live_html import Action, Parts, live_html
from pages.components.runs import list as runs_list
from pages.components.runs import opened as opened_page
from pages.components.runs.figures import figures_of, group_of
from pages.components.runs.list import AGES
from tests.fakes.services import FakeServices
from tests.pages.conftest import OpenPage
from tests.pages.marlow import BASE, NOW

CITED = Citation(1, "c-0", "d-handbook.pdf", "handbook.pdf", 2, (), "The quoted words.", 0.8)


def ended(opened: FakeServices, question: str, answer: str = "Buoys do [1].", **request: object) -> str:
    run_id = opened.worker.start(RunRequest(question, BASE.id, **request))  # type: ignore[arg-type]
    events: list[Event] = [NodeFinished("guard", 1, 0.2, "passed"), NodeStarted("generate", 1)]
    ready = AnswerReady(answer, (CITED,))
    ends: list[Event] = [
        ready,
        NodeFinished("generate", 1, 1.0, "written"),
        RunFinished("answered", 1.5, Usage(2, 900, 80)),
    ]
    opened.worker.end(run_id, [*events, *ends])
    opened.runs.kept[run_id] = replace(
        opened.runs.kept[run_id], outcome="answered", seconds=1.5, usage=Usage(2, 900, 80)
    )
    return run_id


def parts(app: AppTest, kind: str) -> dict[str, str]:
    found = [json.loads(element.proto.json) for element in app.get("bidi_component")]
    return next((dict(one["parts"]) for one in found if one["kind"] == kind), {})


def html(app: AppTest) -> str:
    return "\n".join(element.proto.body for element in app.get("html"))


def test_without_runs_the_page_says_where_they_come_from(open_page: OpenPage) -> None:
    app = open_page("runs")
    assert not app.exception
    assert "No runs yet" in html(app)


def test_runs_are_listed_with_their_facts_and_never_as_markup(opened: FakeServices, open_page: OpenPage) -> None:
    ended(opened, "<img src=x> drifts?")
    app = open_page("runs")
    lines = parts(app, "runs")["lines"]
    assert "&lt;img src=x&gt; drifts?" in lines
    assert "980 tokens" in lines
    assert "is-good" in lines
    assert not parts(app, "charts")
    assert not app.exception


def test_a_run_that_answered_probably_says_so(opened: FakeServices, open_page: OpenPage) -> None:
    run_id = ended(opened, "Which buoy?")
    opened.runs.kept[run_id] = replace(opened.runs.kept[run_id], answer="Probably this: “A buoy.” [1]")
    lines = parts(open_page("runs"), "runs")["lines"]
    assert "probably answered" in lines
    assert "is-weak" in lines
    assert "is-good" not in lines


def test_figures_are_drawn_where_there_is_something_to_compare(opened: FakeServices, open_page: OpenPage) -> None:
    for days in range(3):
        run_id = ended(opened, "What drifts?")
        run = opened.runs.kept[run_id]
        opened.runs.kept[run_id] = replace(run, started_at=run.started_at + timedelta(days=days))
    assert "2,940" in parts(open_page("runs"), "charts")["charts"]


def test_three_runs_of_one_hour_have_a_bar_each(opened: FakeServices, open_page: OpenPage) -> None:
    for seconds in range(3):
        assert not parts(open_page("runs"), "charts")
        run_id = ended(opened, "What drifts?")
        run = opened.runs.kept[run_id]
        opened.runs.kept[run_id] = replace(run, started_at=NOW + timedelta(seconds=seconds), seconds=seconds + 1.0)
    drawn = parts(open_page("runs"), "charts")["charts"]
    assert drawn.count("<g>") == 9  # of three charts
    assert f"{NOW + timedelta(seconds=2):%H:%M:%S}</text>" in drawn


def test_filters_narrow_the_list_and_can_be_cleared(opened: FakeServices, open_page: OpenPage) -> None:
    ended(opened, "What drifts?")
    ended(opened, "Which ship?")
    ended(opened, "Batch?", purpose=RunPurpose.EVALUATION)
    app = open_page("runs")
    assert "Batch?" not in parts(app, "runs")["lines"]
    assert any(caption.value.startswith("1 to 2 of 2 · 1 more asked elsewhere") for caption in app.caption)
    app.text_input(key="runs-query").set_value("ship").run()
    assert "Which ship?" in parts(app, "runs")["lines"]
    assert "What drifts?" not in parts(app, "runs")["lines"]
    app.selectbox(key="runs-ending").set_value("closest").run()
    assert any("No run fits" in caption.value for caption in app.caption)
    next(button for button in app.button if button.label == "Clear the filters").click().run()
    assert "What drifts?" in parts(app, "runs")["lines"]
    fields = [app.text_input(key="runs-query"), app.selectbox(key="runs-ending"), app.selectbox(key="runs-purpose")]
    assert all(field.proto.set_value for field in fields), "a browser keeps what it is not told to change"
    other = opened.library.bases.create("Harbour")
    app.run().selectbox(key="runs-base").set_value(other.id).run()
    assert any("No run fits" in caption.value for caption in app.caption)


def test_two_marked_runs_are_compared(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    first, second = ended(opened, "What drifts?"), ended(opened, "What drifts?", "Ships do [1].", workflow="planner")
    sent: list[Action] = [Action("mark", first), Action("mark", second), Action("mark", "unknown")]

    def clicked(key: str, kind: str, drawn: Parts, stream: str = "") -> Action | None:
        live_html(key, kind, drawn, stream)
        return sent.pop(0) if sent else None

    monkeypatch.setattr(runs_list, "live_html", clicked)
    app = open_page("runs")
    assert not sent
    next(button for button in app.button if button.label == "Compare").click().run()
    assert (app.query_params["run"], app.query_params["with"]) == (first, second)
    found = parts(app, "compare")
    assert "<del>Buoys</del> do [1]." in found["answers"]
    assert "<ins>Ships</ins> do [1]." in found["answers"]
    assert "100%" in found["evidence"]
    assert "Check the question" in found["steps"]
    assert not app.exception


def test_an_opened_run_is_compared_with_others_of_its_question(opened: FakeServices, open_page: OpenPage) -> None:
    first, _, other = (ended(opened, words) for words in ("What drifts?", "What drifts? And why?", "what drifts?"))
    app = open_page("runs", run=first)
    app.selectbox(key=f"runs-with-{first}").set_value(other).run()
    assert app.query_params["with"] == other
    assert len(open_page("runs", run=first).selectbox(key=f"runs-with-{first}").options) == 1


def test_a_time_that_nobody_knows_is_not_told() -> None:
    assert "1.5 s" in runs_list.lines_html([line()], (), ())
    assert " ms" not in runs_list.lines_html([line(status=RunStatus.INTERRUPTED, outcome="", seconds=0.0)], (), ())


def test_a_run_is_replayed_step_by_step(opened: FakeServices, open_page: OpenPage) -> None:
    run_id = ended(opened, "What drifts?")
    app = open_page("runs", run=run_id)
    assert "Buoys do" in parts(app, "turn")["answer"]
    slider = app.select_slider(key=f"runs-replay-{run_id}")
    slider.set_value(0).run()
    assert "Buoys do" not in parts(app, "turn")["answer"]
    assert "step-1" not in parts(app, "run")
    assert not app.exception


@pytest.mark.parametrize("kind", ["turn", "run"])
def test_what_is_asked_of_an_opened_run_goes_on_in_its_conversation(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, kind: str
) -> None:
    run_id = ended(opened, "What drifts?")
    thread = opened.runs.get(run_id).thread_id

    def clicked(key: str, drawn: str, parts: Parts, stream: str = "") -> Action | None:
        return Action("again") if drawn == kind else None

    monkeypatch.setattr(opened_page, "live_html", clicked)
    app = open_page("runs", run=run_id)
    assert not app.exception
    assert app.query_params["thread"] == thread
    assert [(asked.question, asked.thread_id) for asked in opened.worker.asked[1:]] == [("What drifts?", thread)]


def test_a_run_that_is_gone_leads_back_to_the_list(opened: FakeServices, open_page: OpenPage) -> None:
    ended(opened, "What drifts?")
    app = open_page("runs", run="nowhere")
    assert "no longer" in app.info[0].value
    assert "What drifts?" in parts(app, "runs")["lines"]


def test_deleting_says_first_how_many(opened: FakeServices, open_page: OpenPage) -> None:
    ended(opened, "What drifts?")
    ended(opened, "Batch?", purpose=RunPurpose.EVALUATION)
    app = open_page("runs")
    app.session_state["runs-remove-age"] = AGES[-1]
    app.button(key="runs-remove").click().run()
    assert any("**1** run fits" in words.value for words in app.markdown)
    app.button(key="runs-remove-do").click().run()
    assert [run.question for run in opened.runs.kept.values()] == ["Batch?"]
    assert any("Runs: 1" in note.value for note in app.success)


def test_deleting_keeps_to_the_time_that_the_list_shows(opened: FakeServices, open_page: OpenPage) -> None:
    old = ended(opened, "What drifts?")
    opened.runs.kept[old] = replace(opened.runs.kept[old], started_at=utc_now() - timedelta(days=9))
    recent = ended(opened, "Which ship?")
    opened.runs.kept[recent] = replace(opened.runs.kept[recent], started_at=utc_now() - timedelta(hours=1))
    app = open_page("runs")
    app.selectbox(key="runs-time").set_value("day").run()
    app.session_state["runs-remove-age"] = AGES[-1]
    app.button(key="runs-remove").click().run()
    app.button(key="runs-remove-do").click().run()
    assert list(opened.runs.kept) == [old]


def test_runs_are_deleted_by_the_age_chosen_last(opened: FakeServices, open_page: OpenPage) -> None:
    """The click may come before the dialog is drawn with it."""
    ended(opened, "What drifts?")
    app = open_page("runs")
    app.session_state["runs-remove-age"] = AGES[-1]
    app.button(key="runs-remove").click().run()
    app.selectbox(key="runs-remove-age").set_value(AGES[0])
    app.button(key="runs-remove-do").click().run()
    assert [run.question for run in opened.runs.kept.values()] == ["What drifts?"]


def line(**changes: object) -> RunLine:
    facts = ("adaptive", "m-1", RunStatus.DONE, "answered", NOW, 1.5, Usage(1, 1_000_000, 0))
    made = RunLine("r1", "t1", "=HYPERLINK(1)", *facts, False, RunPurpose.CHAT)
    return replace(made, **changes)  # type: ignore[arg-type]


def test_an_exported_list_holds_figures_and_no_formula() -> None:
    prices = (Price("m-1", 2.0, 4.0),)
    (row,) = csv.DictReader(io.StringIO(runs_csv([line()], prices)))
    assert row["question"] == "'=HYPERLINK(1)"
    assert (row["cost"], row["currency"], row["ending"]) == ("2.0", "USD", "answered")
    (same,) = json.loads(runs_json([line()], ()))
    assert same["question"] == "=HYPERLINK(1)"
    assert same["cost"] is None
    assert rows_csv([]) == ""


def test_an_exported_run_holds_its_events() -> None:
    run = Run("r", "t", "b", "q", "adaptive", "built-in", RunStatus.DONE, NOW)
    said = json.loads(run_with_events(run, [NodeStarted("guard", 1)]))
    assert said["events"] == [{"type": "NodeStarted", "node": "guard", "attempt": 1}]
    assert said["question"] == "q"


def summed(start: str, ending: str = "answered", runs: int = 1, engine: str = "m-1") -> RunSum:
    return RunSum(start, engine, ending, runs, 2.0 * runs, Usage(0, 1_000_000, 0))


def test_figures_have_no_gaps_in_time() -> None:
    found = figures_of([summed("2026-11-01"), summed("2026-11-03", "not_found", 3)], (Price("m-1", 2.0, 4.0),))
    assert found.starts == ("2026-11-01", "2026-11-02", "2026-11-03")
    assert found.endings == {"answered": (1, 0, 0), "not_found": (0, 0, 3)}
    assert found.seconds == (2.0, 0.0, 2.0)
    assert found.costs == {"USD": (2.0, 0.0, 2.0)}
    assert found.tokens == {"sent": (1_000_000, 0, 1_000_000)}


def test_many_days_are_drawn_as_months_and_hours_as_hours() -> None:
    assert figures_of([summed("2026-01-31"), summed("2026-11-03")], ()).starts[:3] == ("2026-01", "2026-02", "2026-03")
    assert figures_of([summed("2026-11-01 22"), summed("2026-11-02 00")], ()).starts[1] == "2026-11-01 23"
    assert figures_of([], ()).starts == ()


def test_every_ending_belongs_to_a_group() -> None:
    assert [group_of(ending) for ending in ("direct", "failed", "blocked", "unheard of")] == [
        "answered",
        "failed",
        "other",
        "other",
    ]
