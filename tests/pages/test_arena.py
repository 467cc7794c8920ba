"""The arena on the Runs page: several workflows side by side, the vote, the scoreboard."""

from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from core.runs.events import AnswerReady, Event, RunFinished
from core.runs.model import RunPurpose, RunStatus, Usage
from pages.components.run.live_html import Action
from pages.components.runs import arena
from pages.components.runs.arena import scoreboard_html
from tests.fakes.services import FakeServices
from tests.pages.conftest import OpenPage
from tests.pages.marlow import parts_of
from tests.pages.test_chat_page import streams_of
from tests.pages.test_runs_page import CITED


class FakeVotes:
    def __init__(self) -> None:
        self.given: dict[str, tuple[tuple[str, ...], str]] = {}

    def vote(self, thread_id: str, workflows: list[str], winner: str) -> None:
        self.given[thread_id] = tuple(workflows), winner

    def of_thread(self, thread_id: str) -> str | None:
        return self.given[thread_id][1] if thread_id in self.given else None

    def all(self) -> list[tuple[tuple[str, ...], str]]:
        return list(self.given.values())


@pytest.fixture
def votes(opened: FakeServices) -> FakeVotes:
    storage: Any = opened.storage
    storage.records.votes = FakeVotes()
    return storage.records.votes  # type: ignore[no-any-return]


def asked(open_page: OpenPage, question: str) -> AppTest:
    app = open_page("runs", view="arena")
    app.text_area(key="arena-question").set_value(question)
    return next(button for button in app.button if button.label == "Ask all of them").click().run()


def test_workflows_answer_side_by_side_and_get_a_vote(
    opened: FakeServices, votes: FakeVotes, open_page: OpenPage
) -> None:
    app = asked(open_page, "What drifts?")
    runs = list(opened.runs.kept.values())
    assert [run.workflow for run in runs] == [run.workflow for run in opened.worker.asked]
    assert {(run.purpose, run.thread_id) for run in runs} == {(RunPurpose.ARENA, runs[0].thread_id)}
    assert len(set(streams_of(app))) == len(runs) == 2
    for run, answer in zip(runs, ("Buoys do [1].", "<b>Ships</b> do [1]."), strict=True):
        ends: list[Event] = [AnswerReady(answer, (CITED,)), RunFinished("answered", 1.5, Usage(2, 900, 80))]
        opened.worker.end(run.id, ends)
    app.run()
    sides = parts_of(app, "turn")
    assert "980 tokens" in sides[0]["side"]
    assert "&lt;b&gt;Ships" in sides[1]["answer"]
    assert any("100%" in caption.value for caption in app.caption)
    app.segmented_control(key=f"arena-vote-{runs[0].thread_id}").set_value(runs[1].workflow).run()
    assert votes.all() == [((runs[0].workflow, runs[1].workflow), runs[1].workflow)]
    assert not app.exception


def test_a_side_is_asked_again_in_its_conversation(
    opened: FakeServices, votes: FakeVotes, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    app = asked(open_page, "What drifts?")
    *_, second = opened.runs.kept
    sent = {f"arena-{second}-{RunStatus.RUNNING}": Action("again")}
    monkeypatch.setattr(arena, "live_html", lambda key, *_: sent.pop(key, None))
    app.run()
    assert not app.exception
    assert (app.query_params["thread"], opened.worker.asked[-1].workflow) == ("t1", opened.runs.get(second).workflow)
    assert len(opened.worker.asked) == 3


def test_without_a_question_nothing_is_asked(opened: FakeServices, votes: FakeVotes, open_page: OpenPage) -> None:
    app = asked(open_page, "  ")
    assert "two to four" in app.warning[0].value
    assert opened.worker.asked == []


def test_the_scoreboard_ranks_by_the_share_of_comparisons_won() -> None:
    both = ("adaptive", "planner")
    shown = scoreboard_html([(both, "planner"), (both, "planner"), (both, ""), (("adaptive", "guarded"), "adaptive")])
    assert shown.index("Planner") < shown.index("Adaptive") < shown.index("Guarded")
    assert "<td>2</td><td>1</td><td>3</td>" in shown


def test_models_answer_side_by_side_too(opened: FakeServices, votes: FakeVotes, open_page: OpenPage) -> None:
    opened.other_engines = ("small@2", "<i>")
    app = open_page("runs", view="arena")
    app.text_area(key="arena-question").set_value("What drifts?")
    app.multiselect(key="arena-workflows").set_value(["adaptive"])
    app.multiselect(key="arena-engines").set_value(["built-in", "small@2", "<i>"])
    app = next(button for button in app.button if button.label == "Ask all of them").click().run()
    assert [run.options.engine for run in opened.runs.kept.values()] == ["", "small@2", "<i>"]
    for run_id in opened.runs.kept:
        opened.worker.end(run_id, [RunFinished("not_found", 1.5, Usage())])
    app.run()
    assert "<i>" not in parts_of(app, "turn")[2]["side"].partition("<ul")[0]
    app.segmented_control(key="arena-vote-t1").set_value("adaptive@small@2").run()
    assert votes.given["t1"] == (("adaptive", "adaptive@small@2", "adaptive@<i>"), "adaptive@small@2")
    assert "small@2" in parts_of(app, "evaluation")[0]["scores"]


def test_a_vote_for_a_run_that_was_deleted_does_not_break_the_others(
    opened: FakeServices, votes: FakeVotes, open_page: OpenPage
) -> None:
    app = open_page("runs", view="arena")
    app.text_area(key="arena-question").set_value("What drifts?")
    app.multiselect(key="arena-workflows").set_value(["adaptive", "planner", "guarded"])
    next(button for button in app.button if button.label == "Ask all of them").click().run()
    for run_id in opened.runs.kept:
        opened.worker.end(run_id, [RunFinished("not_found", 1.5, Usage())])
    votes.vote("t1", ["adaptive", "planner", "guarded"], "guarded")
    opened.runs.kept.popitem()
    for left in (2, 1):
        app = open_page("runs", view="arena", arena="t1")
        assert not app.exception
        assert (len(parts_of(app, "turn")), len(app.error)) == (left, 0)
        opened.runs.kept.popitem()
    assert votes.of_thread("t1") == "guarded"
