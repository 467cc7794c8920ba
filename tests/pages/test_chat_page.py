"""The Chat page: asking, following, stopping, going back to a conversation, and what clicks lead to."""

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from hashlib import sha256
from typing import Any, ClassVar

import pytest
import streamlit as st
from streamlit.runtime.scriptrunner import RerunData, RerunException
from streamlit.testing.v1 import AppTest

from core.documents.lifecycle.sample import NAME as SAMPLE
from core.documents.model import DocumentStatus
from core.graph.model import Relation, Saying
from core.memory.keeping import SAID_IN_CHAT
from core.memory.model import Memory, MemoryKind, MemoryStatus, MemoryUse
from core.platform.errors import RetryableServiceError
from core.platform.texts import text
from core.runs.events import (
    AnswerReady,
    Event,
    FollowUpsFound,
    ForgetOffered,
    MemoriesRecalled,
    MemorySaved,
    NodeFinished,
    NodeStarted,
    PassagesGraded,
    RunFailed,
    RunFinished,
    RunStarted,
    Scored,
)
from core.runs.history.view import fold
from core.runs.model import (
    AttachedFile,
    Complaint,
    Continuation,
    Feedback,
    Length,
    Run,
    RunOptions,
    RunRequest,
    RunStatus,
    Usage,
    Verdict,
)
from core.search.model import Citation
from pages.components.chat import composer as chat_composer
from pages.components.chat import page as chat_page
from pages.components.chat import scope as chat_scope
from pages.components.chat import threads as chat_threads
from pages.components.chat.bundle import bundle_html
from pages.components.chat.files import hold_files
from pages.components.chat.workflow_choices import promise_of, workflow_names
from pages.components.run.change_form import continuation
from pages.components.run.live_html import Action, Parts, action_of, live_html
from pages.components.run.run_views import ended_view
from tests.fakes.services import FakeServices
from tests.pages.conftest import OpenPage
from tests.pages.marlow import BASE, NOW, chunks_of, document, entity_id, parts_of

CITED = Citation(1, "c-0", "d-handbook.pdf", "handbook.pdf", 2, ((2, (100, 200, 900, 300)),), "The quoted words.", 0.8)


def streams_of(app: AppTest) -> list[str]:
    """What the turns and the run beside them follow."""
    data = [json.loads(element.proto.json) for element in app.get("bidi_component")]
    return [one["stream"] for one in data if one["kind"] in ("turn", "run")]


def stoppable(app: AppTest) -> bool:
    return any(button.key == "stop" for button in app.button)


def with_documents(opened: FakeServices) -> None:
    """With a relation that the first chunk, taken as a sentence, states of the most mentioned."""
    opened.library.documents.kept["d-handbook.pdf"] = document()
    one, other, *_ = opened.graph.search(BASE.id, "", 2)
    first = opened.library.passages.chunks("d-handbook.pdf")[0]
    said = Saying("d-handbook.pdf", first.id, 0, len(first.text))
    opened.graph.relations.append(Relation(one.id, other.id, "watches", 0.9, sayings=(said,)))


def answered(opened: FakeServices, question: str = "What drifts?", thread: str = "", chunk: str = "c-0") -> str:
    """The id of a run that has been answered."""
    run_id = opened.worker.start(RunRequest(question, BASE.id, thread_id=thread, interface_language="en"))
    ready = AnswerReady("Buoys do [1].", (replace(CITED, chunk_id=chunk),), ())
    finished = NodeFinished("guard", 1, 0.2, "passed", "run.reason.guard_passed")
    opened.worker.end(run_id, [ready, finished, RunFinished("answered", 1.5, Usage(2, 900, 80))])
    return run_id


class Clicks:
    """The component, with clicks that a browser would send: each comes once, before the script runs again."""

    def __init__(self) -> None:
        self.sent: dict[str, Action] = {}

    def __call__(
        self, key: str, kind: str, parts: Parts, stream: str = "", on_click: Callable[[Action], None] | None = None
    ) -> None:
        live_html(key, kind, parts, stream, on_click)
        if on_click and key in self.sent:
            on_click(self.sent.pop(key))
            if not self.sent:
                st.rerun()


@pytest.fixture
def clicks(monkeypatch: pytest.MonkeyPatch) -> Clicks:
    made = Clicks()
    monkeypatch.setattr(chat_page, "live_html", made)
    return made


def test_without_documents_the_page_says_how_to_begin(opened: FakeServices, open_page: OpenPage) -> None:
    opened.library.bases.kept.clear()
    app = open_page()
    assert not app.exception
    app.button(key="load-sample").click().run()
    assert [base.name for base in opened.library.bases.all()] == ["Sample library"]


@pytest.mark.parametrize("with_file", [False, True])
def test_a_first_message_or_file_makes_the_base_that_it_needs(
    opened: FakeServices, open_page: OpenPage, with_file: bool
) -> None:
    opened.library.bases.kept.clear()
    app = open_page()
    if with_file:
        app.session_state["chat-files"], app.session_state["chat-files-question"] = [Dropped()], "My name is Alex."
        app.run()
    else:
        app.chat_input[0].set_value("My name is Alex.").run()
    assert not app.exception
    (base,) = opened.library.bases.all()
    assert [(asked.question, asked.base_id) for asked in opened.worker.asked] == [("My name is Alex.", base.id)]
    assert base.name == "My documents"
    assert [file.base_id for file in opened.library.documents.kept.values()] == [base.id] * with_file


def test_examples_are_of_the_documents_and_answered_by_them(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    app = open_page()
    labels = [button.label.replace("\\", "") for button in app.button if (button.key or "").startswith("example-")]
    assert labels[:2] == ["What are these documents about?", f"What is {BASE.id} in en?"]
    assert re.fullmatch(r"How are .+ and .+ related\?", labels[2])
    app.button(key="example-1").click().run()
    assert opened.worker.asked[0].question == labels[1]


def test_nothing_is_suggested_of_documents_that_could_not_be_read(opened: FakeServices, open_page: OpenPage) -> None:
    opened.library.documents.kept["d-locked.pdf"] = document("locked.pdf", DocumentStatus.FAILED)
    keys = [button.key for button in open_page().button]
    assert "example-0" not in keys
    assert "home-unread" in keys


def test_names_that_no_sentence_relates_are_no_example(opened: FakeServices, open_page: OpenPage) -> None:
    opened.library.documents.kept["d-handbook.pdf"] = document()
    assert not any("related" in button.label for button in open_page().button)


def test_a_relation_that_is_removed_is_no_example_any_more(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    app = open_page()
    assert "example-2" in [button.key for button in app.button]
    opened.graph.relations.pop()
    assert "example-2" not in [button.key for button in app.run().button]


def test_what_keeps_back_a_second_question_is_there_before_the_suggestions(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_page, "welcome", lambda _: st.stop())
    app = open_page()
    assert app.chat_input
    assert parts_of(app, "sending")


def test_examples_follow_a_change_of_a_name(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    first = next(button.label for button in open_page().button if button.key == "example-2")
    most = opened.graph.search(BASE.id, "", 1)[0]
    opened.graph.entities[most.id] = replace(most, name="Kelpy")
    assert next(button.label for button in open_page().button if button.key == "example-2") != first


def test_home_leads_to_recent_chats_documents_and_what_waits(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    answered(opened, "What *drifts*?")
    opened.memories.save(Memory("m", "Tea.", MemoryKind.FACT, 5, 0.9, MemoryStatus.PROPOSED, NOW, NOW))
    app = open_page()
    words = {button.key: button.label for button in app.button if (button.key or "").startswith("home-")}
    assert words["home-t1"].startswith("What \\*drifts\\*\\?")
    assert words["home-memories"] == "Memories to accept or decline: 1"
    assert any("2 pages" in label for label in words.values())
    app.button(key="home-t1").click().run()
    assert app.query_params["thread"] == "t1"


def test_a_question_starts_a_run_and_the_page_follows_it(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    app = open_page()
    app.chat_input[0].set_value("How do buoys drift?").run()
    assert opened.worker.asked == [RunRequest("How do buoys drift?", BASE.id, interface_language="en")]
    assert app.query_params["thread"] == "t1"
    assert "How do buoys drift?" in parts_of(app, "turn")[0]["question"]
    assert "So far" in parts_of(app, "turn")[0]["answer"]
    assert all(stream.startswith("/runs/r1/live/en?token=") for stream in streams_of(app))
    assert stoppable(app)


def test_a_question_sent_while_another_is_answered_is_asked(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    app = open_page()
    app.chat_input[0].set_value("How do buoys drift?").run()
    app.chat_input[0].set_value("How often is each calibrated?").run()
    assert [asked.question for asked in opened.worker.asked] == ["How do buoys drift?", "How often is each calibrated?"]


def test_the_turns_are_drawn_once_for_a_question(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_documents(opened)
    answered(opened)
    app = open_page(thread="t1")
    drawn: list[int] = []
    draw = chat_page.conversation

    def counted(opened: chat_page.Conversation, shown: Run) -> None:
        drawn.append(len(opened.path))
        draw(opened, shown)

    monkeypatch.setattr(chat_page, "conversation", counted)
    app.chat_input[0].set_value("And why?").run()
    assert drawn == [2]


def test_a_question_that_cannot_start_leaves_the_conversation_there(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    def busy(_: RunRequest) -> str:
        raise RetryableServiceError("run.busy", count=4)

    with_documents(opened)
    answered(opened)
    app = open_page(thread="t1")
    start = opened.worker.start
    monkeypatch.setattr(opened.worker, "start", busy)
    app.chat_input[0].set_value("And why?").run()
    assert "4" in app.error[0].value
    assert len(parts_of(app, "turn")) == 1
    app.run()
    assert "4" in app.error[0].value, "an answer that ends meanwhile draws the page anew"
    monkeypatch.setattr(opened.worker, "start", start)
    app.chat_input[0].set_value("And why?").run()
    assert not app.error
    assert len(parts_of(app, "turn")) == 2


def test_stop_ends_the_run_and_keeps_what_was_written(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    app = open_page()
    app.chat_input[0].set_value("How do buoys drift?").run()
    app.button(key="stop").click().run()
    assert opened.runs.get("r1").status is RunStatus.STOPPED
    turn = parts_of(app, "turn")[0]
    assert "So far" in turn["answer"]
    assert "Stopped" in turn["end"]
    assert streams_of(app) == ["", ""]
    assert not stoppable(app)


def test_a_reload_shows_the_conversation_of_the_address(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    answered(opened)
    turn = parts_of(open_page(thread="t1"), "turn")[0]
    assert 'data-opens="1"' in turn["answer"]
    assert "handbook.pdf" in turn["sources"]
    assert "left:10.0%;top:20.0%;width:80.0%;height:10.0%" in turn["panels"]
    assert "/files/page/d-handbook.pdf/2.png?token=" in turn["panels"]


def test_the_way_back_from_another_page_leads_to_the_same_conversation(
    opened: FakeServices, open_page: OpenPage
) -> None:
    with_documents(opened)
    answered(opened)
    app = open_page(thread="t1")
    app.query_params.clear()
    app.switch_page("pages/memory.py").run()
    app.switch_page("pages/chat.py").run()
    assert app.query_params["thread"] == "t1"
    assert len(parts_of(app, "turn")) == 1
    app.button(key="new-chat").click().run()
    assert parts_of(app, "turn") == []


def test_a_second_tab_goes_on_with_a_running_answer(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    opened.worker.start(RunRequest("How do buoys drift?", BASE.id, interface_language="en"))
    app = open_page(thread="t1")
    assert "So far" in parts_of(app, "turn")[0]["answer"]
    assert streams_of(app)[0]


def test_an_answer_that_ends_while_the_page_is_drawn_leaves_nothing_to_stop(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    with_documents(opened)
    run_id = opened.worker.start(RunRequest("What drifts?", BASE.id, interface_language="en"))
    drawn = chat_composer.composer

    def composer(*given: Any) -> None:
        drawn(*given)
        if opened.runs.get(run_id).status is RunStatus.RUNNING:
            opened.worker.end(run_id, [RunFinished("answered", 0.1, Usage())])

    monkeypatch.setattr(chat_page, "composer", composer)
    app = open_page(thread=opened.runs.get(run_id).thread_id)
    assert not stoppable(app)


def test_a_run_whose_process_died_is_interrupted_and_not_followed(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    opened.worker.start(RunRequest("How do buoys drift?", BASE.id, interface_language="en"), owner="gone")
    opened.worker.dead.add("gone")
    app = open_page(thread="t1")
    assert "stopped while this answer was being written" in parts_of(app, "turn")[0]["end"]
    assert streams_of(app) == ["", ""]


def test_a_failure_is_a_sentence_and_hostile_words_in_it_stay_words(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    run_id = opened.worker.start(RunRequest("How do buoys drift?", BASE.id, interface_language="en"))
    failure = RunFailed("error.base_missing", (("name", "<script>alert(1)</script>"),))
    opened.worker.end(run_id, [failure], RunStatus.FAILED)
    end = parts_of(open_page(thread="t1"), "turn")[0]["end"]
    assert "There is no knowledge base called" in end
    assert "<script>" not in end


def test_an_unknown_conversation_opens_a_new_one(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    app = open_page(thread="nothing-of-that-name")
    assert not app.exception
    assert "no longer exists" in app.info[0].value
    assert "thread" not in app.query_params


def test_asking_again_is_another_version_of_the_answer(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks
) -> None:
    with_documents(opened)
    run_id = answered(opened)
    clicks.sent[f"turn-{run_id}"] = Action("again")
    app = open_page(thread="t1")
    again = RunRequest("What drifts?", BASE.id, thread_id="t1", interface_language="en", after="")
    assert opened.worker.asked[1:] == [again]
    (turn,) = parts_of(app, "turn")
    assert "2/2" in turn["facts"]
    clicks.sent["turn-r2"] = Action("show", run_id)
    app.run()
    (turn,) = parts_of(app, "turn")
    assert "1/2" in turn["facts"]
    assert turn["compare"].count("<section>") == 2


def test_another_workflow_or_engine_answers_beside(opened: FakeServices, open_page: OpenPage, clicks: Clicks) -> None:
    with_documents(opened)
    opened.llm.engine = "some-model"
    run_id = answered(opened)
    app = open_page(thread="t1")
    offered = re.findall(r'<option value="([^"]+)"', parts_of(app, "turn")[0]["actions"])
    assert "workflow:guarded" in offered
    assert offered[-1] == "engine:built-in"
    for value in ("workflow:guarded", "engine:built-in"):
        clicks.sent[f"turn-{run_id}"] = Action("retry", value)
        app.run()
        run_id = opened.threads.get("t1").leaf_id
        opened.worker.end(run_id, [RunFinished("answered", 0.1, Usage())])
    guarded, by_rule = opened.worker.asked[1:]
    assert (guarded.workflow, guarded.options) == ("guarded", RunOptions())
    assert (by_rule.workflow, by_rule.options) == ("guarded", RunOptions(engine="built-in"))
    assert [run.parent_id for run in opened.runs.of_thread("t1")] == ["", "", ""]


def test_another_form_is_asked_for_beside_and_told(opened: FakeServices, open_page: OpenPage, clicks: Clicks) -> None:
    with_documents(opened)
    opened.llm.engine = "some-model"
    run_id = answered(opened)
    app = open_page(thread="t1")
    for value in ("length:shorter", "language:zh-hant", "workflow:guarded", "language:zh-hant", "length:longer"):
        clicks.sent[f"turn-{run_id}"] = Action("retry", value)
        app.run()
        run_id = opened.threads.get("t1").leaf_id
        opened.worker.end(run_id, [RunFinished("answered", 0.1, Usage())])
    assert [request.options for request in opened.worker.asked[1:]] == [
        RunOptions(length=Length.SHORTER),
        RunOptions(length=Length.SHORTER, language="zh-hant"),
        RunOptions(),  # another workflow answers as the question was asked
        RunOptions(language="zh-hant"),
        RunOptions(length=Length.LONGER, language="zh-hant"),
    ]
    (turn,) = parts_of(app.run(), "turn")
    assert "<li>More detail</li><li>the built-in engine does not reword" in turn["facts"]
    assert "<li>words around the quotes in Chinese (traditional); only a model translates quotes</li>" in turn["facts"]
    assert "length:longer" not in turn["actions"]


def test_without_a_model_no_other_form_is_offered(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    answered(opened)
    offered = re.findall(r'<option value="([^"]+)"', parts_of(open_page(thread="t1"), "turn")[0]["actions"])
    assert offered
    assert all(value.startswith("workflow:") for value in offered)


WOULD_REPLACE = text("memory.would_replace", "en", text="Favourite tree: the oak")


def offered(opened: FakeServices, of_older: str = WOULD_REPLACE) -> Memory:
    """Keeps a proposal, and stores the run that offered it."""
    memory = Memory("m1", "Favourite tree: the larch", MemoryKind.FACT, 5, 1.0, MemoryStatus.PROPOSED, NOW, NOW)
    opened.memories.save(memory)
    saved = MemorySaved(memory.id, memory.text, memory.status.value)
    run_id = opened.worker.start(RunRequest("My favourite tree is the larch.", BASE.id))
    offer = text("answer.direct.offered", "en", statement=memory.text)
    answer = AnswerReady(f"{offer}\n\n{of_older}\n\nNothing was found.", ())
    node = NodeStarted("consolidate_memory", 1)
    ended = NodeFinished("consolidate_memory", 1, 0.1, "proposed")
    opened.worker.end(run_id, [answer, node, saved, ended, RunFinished("direct", 0.1, Usage())])
    return memory


@pytest.mark.parametrize(
    ("event", "status", "words"),
    [("remember", MemoryStatus.ACTIVE, "Remembered."), ("decline", MemoryStatus.REJECTED, "Not remembered.")],
)
def test_an_offered_memory_is_settled_below_the_offer_once(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks, event: str, status: MemoryStatus, words: str
) -> None:
    memory = offered(opened)
    app = open_page(thread="t1")
    (turn,) = parts_of(app, "turn")
    assert ">Remember" in re.sub(r"\s+", "", turn["offered"])
    assert "Shall I remember this?" in turn["answer"]
    assert "It would replace" in turn["answer"]
    assert list(turn).index("offered") < list(turn).index("actions")
    clicks.sent[f"turn-{opened.threads.get('t1').leaf_id}"] = Action(event, memory.id)
    app.run()
    assert opened.memories.get(memory.id).status is status
    (turn,) = parts_of(open_page(thread="t1"), "turn")
    assert words in turn["offered"]
    assert "<button" not in turn["offered"]
    assert "Favourite tree: the larch" in turn["answer"]
    assert not re.search("Shall I|waits|would replace", turn["answer"] + turn["actions"])
    assert "Nothing was found." in turn["answer"]


def test_once_an_offer_is_declined_nothing_says_how_to_take_it(opened: FakeServices, open_page: OpenPage) -> None:
    memory = offered(opened, text("answer.direct.or_replace", "en", older="Favourite tree: the oak"))
    assert "say “replace it”" in parts_of(open_page(thread="t1"), "turn")[0]["answer"]
    opened.memories.save(replace(memory, status=MemoryStatus.REJECTED))
    assert "replace it" not in parts_of(open_page(thread="t1"), "turn")[0]["answer"]


def test_a_reply_tells_the_words_that_were_kept_then(opened: FakeServices, open_page: OpenPage) -> None:
    memory = offered(opened)
    opened.memories.save(replace(memory, text="Favourite tree: the yew", status=MemoryStatus.ACTIVE))
    (turn,) = parts_of(open_page(thread="t1"), "turn")
    assert "Noted: Favourite tree: the larch" in turn["answer"]


def test_what_a_correction_replaced_waits_again_once_the_correction_is_declined(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks
) -> None:
    memory = offered(opened, text("answer.direct.superseded", "en", older="Favourite tree: the oak"))
    older = replace(memory, id="m0", text="Favourite tree: the oak", status=MemoryStatus.SUPERSEDED, superseded_by="m1")
    opened.memories.save(replace(older, reason=SAID_IN_CHAT))
    app = open_page(thread="t1")
    assert "It replaces" in parts_of(app, "turn")[0]["answer"]
    clicks.sent[f"turn-{opened.threads.get('t1').leaf_id}"] = Action("decline", memory.id)
    app.run()
    assert opened.memories.get("m0").status is MemoryStatus.PROPOSED
    (turn,) = parts_of(app, "turn")
    assert "Not remembered." in turn["offered"]
    assert "It replaces" not in turn["answer"]


def offered_together(opened: FakeServices) -> str:
    """The id of a run that offered two memories."""
    told = [replace(offered(opened), id=name, text=f"I have a {name}") for name in ("cat", "dog")]
    for memory in told:
        opened.memories.save(memory)
    run_id = opened.worker.start(RunRequest("I have a cat and a dog.", BASE.id))
    answer = text("answer.direct.offered", "en", statement="“I have a cat”; “I have a dog”")
    saved = [MemorySaved(memory.id, memory.text, memory.status.value) for memory in told]
    node, ended = NodeStarted("consolidate_memory", 1), NodeFinished("consolidate_memory", 1, 0.1, "proposed")
    opened.worker.end(run_id, [AnswerReady(answer, ()), node, *saved, ended, RunFinished("direct", 0.1, Usage())])
    return run_id


def test_memories_that_are_offered_together_are_kept_by_one_click(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks
) -> None:
    run_id = offered_together(opened)
    app = open_page(thread=opened.runs.get(run_id).thread_id)
    assert "Remember all (2)" in parts_of(app, "turn")[-1]["offered"]
    clicks.sent[f"turn-{run_id}"] = Action("remember", "cat")
    app.run()
    assert {memory.id for memory in opened.memories.find(MemoryStatus.ACTIVE)} == {"cat", "dog"}
    assert "Noted: “I have a cat”; “I have a dog”" in parts_of(app, "turn")[-1]["answer"]


def test_of_memories_that_were_offered_together_only_those_that_are_kept_are_said_to_be(
    opened: FakeServices, open_page: OpenPage
) -> None:
    run_id = offered_together(opened)
    for name, status in (("cat", MemoryStatus.REJECTED), ("dog", MemoryStatus.ACTIVE)):
        opened.memories.save(replace(opened.memories.get(name), status=status))
    turn = parts_of(open_page(thread=opened.runs.get(run_id).thread_id), "turn")[-1]
    assert "Remembered." in turn["offered"]
    assert "Noted: “I have a dog”" in turn["answer"]
    assert "cat" not in turn["answer"]


def to_forget(opened: FakeServices, language: str = "en") -> str:
    """The id of a run whose answer names two of three memories."""
    named = [
        Memory(name, f"Shoe size: {name}", MemoryKind.FACT, 5, 1.0, MemoryStatus.ACTIVE, NOW, NOW) for name in "ab"
    ]
    older = replace(named[0], id="c", text="Shoe size: 38", status=MemoryStatus.SUPERSEDED, superseded_by="a")
    for memory in (*named, older, replace(named[0], id="d", text="Shoe size: d")):
        opened.memories.save(memory)
    opened.memories.used_by["b"] = [MemoryUse("r0", "t0", "What is my size?", NOW)]
    run_id = opened.worker.start(RunRequest("Forget my shoe size.", BASE.id))
    listed = "".join(f"\n- {memory.text}" for memory in named)
    answer = AnswerReady(f"{text('answer.direct.forget', language)}\n{listed}", ())
    opened.worker.end(run_id, [ForgetOffered(("a", "b")), answer, RunFinished("direct", 0.1, Usage())])
    return run_id


def test_what_an_answer_names_is_forgotten_below_it_and_comes_back(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks
) -> None:
    key = f"turn-{to_forget(opened)}"
    app = open_page(thread="t1")
    (turn,) = parts_of(app, "turn")
    assert re.findall('data-event="(.+?)"', turn["forget"]) == ["forget", "memories"]
    assert "Shoe size: a: Deleted with it (already replaced): Shoe size: 38" in turn["forget"]
    assert "Shoe size: b: Answers that used it (1): What is my size?" in turn["forget"]
    clicks.sent[key] = Action("forget", "d")
    app.run()
    assert set(opened.memories.kept) == {"d"}
    (turn,) = parts_of(app, "turn")
    assert "Forgotten." in turn["forget"]
    assert "Shoe size: b" in turn["answer"]
    assert "Shall I forget" not in turn["answer"] + turn["actions"]
    clicks.sent[key] = Action("unforget", "")
    app.run()
    assert set(opened.memories.kept) == set("abcd")
    (turn,) = parts_of(app, "turn")
    assert "Shall I forget this?" in turn["answer"]


def test_an_answer_whose_memories_are_forgotten_stays_in_its_language(
    opened: FakeServices, open_page: OpenPage
) -> None:
    to_forget(opened, "zh-hans")
    for name in "ab":
        opened.memories.delete(name)
    (turn,) = parts_of(open_page(thread="t1"), "turn")
    assert text("chat.forget.named", "zh-hans") in turn["answer"]


def test_a_memory_that_says_otherwise_by_now_is_not_forgotten(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks
) -> None:
    run_id = to_forget(opened)
    opened.memories.save(replace(opened.memories.get("a"), text="Hat size: a"))
    app = open_page(thread="t1")
    clicks.sent[f"turn-{run_id}"] = Action("forget", "")
    app.run()
    assert set(opened.memories.kept) == {"a", "c", "d"}


def test_what_is_gone_elsewhere_cannot_be_undone_below_the_answer(opened: FakeServices, open_page: OpenPage) -> None:
    to_forget(opened)
    for name in "ab":
        opened.memories.delete(name)
    (turn,) = parts_of(open_page(thread="t1"), "turn")
    assert "Forgotten." in turn["forget"]
    assert "<button" not in turn["forget"]


def test_what_an_accepted_memory_replaces_is_said_and_can_be_put_back(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks
) -> None:
    memory = replace(offered(opened), thread_id="t1")
    older = replace(memory, id="m0", text="Favourite tree: the oak", status=MemoryStatus.SUPERSEDED, superseded_by="m1")
    opened.memories.save(older)
    never_in_force = replace(older, id="m3", text=memory.text.lower())
    opened.memories.save(never_in_force)
    opened.memories.save(replace(memory, status=MemoryStatus.ACTIVE))
    app = open_page(thread="t1")
    (turn,) = parts_of(app, "turn")
    assert "Remembered. It replaces: Favourite tree: the oak" in turn["offered"]
    clicks.sent[f"turn-{opened.threads.get('t1').leaf_id}"] = Action("restore", memory.id)
    app.run()
    assert opened.memories.get("m0").status is MemoryStatus.ACTIVE
    assert opened.memories.get("m3") == never_in_force


@pytest.mark.parametrize("status", [MemoryStatus.PROPOSED, MemoryStatus.ACTIVE])
def test_what_the_run_saved_takes_the_place_of_an_older_memory_once_and_both_can_be_kept(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks, status: MemoryStatus
) -> None:
    memory = replace(offered(opened), status=status)
    older = replace(memory, id="m0", text="I'd pick the elm", status=MemoryStatus.ACTIVE)
    for one in (memory, older):
        opened.memories.save(one)
    opened.memories.nearest = {"m1": 0.0, "m0": 0.4}
    app = open_page(thread="t1")
    (turn,) = parts_of(app, "turn")
    assert "“I&#39;d pick the elm”" in turn["offered"], "escaped once"
    key = f"turn-{opened.threads.get('t1').leaf_id}"
    for value in ("m7", "m0"):
        clicks.sent[key] = Action("instead", value)
        app.run()
    assert opened.memories.get("m0").superseded_by == "m1"
    assert opened.memories.get("m1").status is MemoryStatus.ACTIVE
    (turn,) = parts_of(app, "turn")
    assert "It replaces: “I&#39;d pick the elm”" in turn["offered"]
    clicks.sent[key] = Action("restore", "m1")
    app.run()
    assert {one.status for one in opened.memories.find()} == {MemoryStatus.ACTIVE}


def test_a_memory_of_another_thing_is_not_offered_to_be_replaced(opened: FakeServices, open_page: OpenPage) -> None:
    memory = offered(opened)
    opened.memories.save(replace(memory, id="m0", text="I have a boat", status=MemoryStatus.ACTIVE))
    opened.memories.nearest = {"m1": 0.0, "m0": 0.7}
    (turn,) = parts_of(open_page(thread="t1"), "turn")
    assert "I have a boat" not in turn["offered"]


@pytest.mark.parametrize(("event", "value"), [("remember", "m2"), ("remember", ""), ("decline", "m1 ")])
def test_only_the_memory_that_the_run_offered_is_settled(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks, event: str, value: str
) -> None:
    memory = offered(opened)
    opened.memories.save(replace(memory, id="m2", text="Another"))
    app = open_page(thread="t1")
    clicks.sent[f"turn-{opened.threads.get('t1').leaf_id}"] = Action(event, value)
    app.run()
    assert {one.status for one in opened.memories.find()} == {MemoryStatus.PROPOSED}


def test_a_stale_button_changes_nothing(opened: FakeServices, open_page: OpenPage, clicks: Clicks) -> None:
    memory = offered(opened)
    app = open_page(thread="t1")
    opened.memories.save(replace(memory, status=MemoryStatus.ACTIVE))
    clicks.sent[f"turn-{opened.threads.get('t1').leaf_id}"] = Action("decline", memory.id)
    app.run()
    assert opened.memories.get(memory.id).status is MemoryStatus.ACTIVE


@pytest.mark.parametrize(
    "value",
    ["no-such-workflow", "workflow:no-such", "engine:no-such", "length:endless", "language:xx", "show:", ""],
)
def test_what_is_not_offered_is_not_started(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks, value: str
) -> None:
    with_documents(opened)
    clicks.sent[f"turn-{answered(opened)}"] = Action("retry", value)
    open_page(thread="t1")
    assert len(opened.worker.asked) == 1


def test_an_edited_question_begins_a_branch_and_the_arrows_lead_back(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks
) -> None:
    with_documents(opened)
    first, second = answered(opened), answered(opened, "And when?", "t1")
    clicks.sent[f"turn-{first}"] = Action("edit", json.dumps({"question": "  What sinks? "}))
    app = open_page(thread="t1")
    (turn,) = parts_of(app, "turn")
    assert "What sinks?" in turn["question"]
    assert "2/2" in turn["edit"]
    clicks.sent["turn-r3"] = Action("show", first)
    app.run()
    assert ["And when?" in turn["question"] for turn in parts_of(app, "turn")] == [False, True]
    assert opened.threads.get("t1").leaf_id == second
    app.chat_input[0].set_value("And why?").run()
    assert opened.runs.of_thread("t1")[-1].parent_id == second


def test_an_edited_question_is_limited_to_what_it_names_now_and_leaves_the_last_form(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks
) -> None:
    with_documents(opened)
    options = RunOptions(entities=(entity_id("SeaLoom"),), length=Length.LONGER, language="zh-hans")
    asked = RunRequest("What of @SeaLoom?", BASE.id, interface_language="en", options=options)
    run_id = opened.worker.start(asked)
    opened.worker.end(run_id, [AnswerReady("It is.", (), ()), RunFinished("answered", 1.5, Usage())])
    clicks.sent[f"turn-{run_id}"] = Action("edit", json.dumps({"question": "What of @KelpNet?"}))
    assert not open_page(thread="t1").exception
    assert opened.worker.asked[-1].options == RunOptions(entities=(entity_id("KelpNet"),))


@pytest.mark.parametrize("value", ["", "[]", "{}", '{"question": "  "}', '{"question": "' + "x" * 9_000 + '"}'])
def test_an_edited_question_without_words_or_with_too_many_is_not_asked(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks, value: str
) -> None:
    with_documents(opened)
    clicks.sent[f"turn-{answered(opened)}"] = Action("edit", value)
    app = open_page(thread="t1")
    assert not app.exception
    assert len(opened.worker.asked) == 1


def test_a_run_that_the_address_names_is_shown_on_its_branch(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    first = answered(opened)
    again = opened.worker.start(RunRequest("What drifts?", BASE.id, thread_id="t1", after=""))
    opened.worker.end(again, [RunFinished("answered", 0.1, Usage())])
    assert "1/2" in parts_of(open_page(thread="t1", run=first), "turn")[0]["facts"]
    assert opened.threads.get("t1").leaf_id == first


def test_a_fork_goes_on_in_a_copy(opened: FakeServices, open_page: OpenPage, clicks: Clicks) -> None:
    with_documents(opened)
    first = answered(opened)
    answered(opened, "And when?", "t1")
    clicks.sent[f"turn-{first}"] = Action("fork")
    app = open_page(thread="t1")
    assert app.query_params["thread"] == "t2"
    assert opened.threads.get("t2").title == "Copy of What drifts?"
    assert len(parts_of(app, "turn")) == 1
    assert "Buoys do" in parts_of(app, "turn")[0]["answer"]


def test_thumbs_are_given_with_a_reason_and_taken_back(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks
) -> None:
    with_documents(opened)
    run_id = answered(opened)
    given = opened.storage.records.feedback.given
    clicks.sent[f"turn-{run_id}"] = Action("down")
    app = open_page(thread="t1")
    assert given[run_id].verdict is Verdict.DOWN
    assert "What is wrong with it?" in parts_of(app, "turn")[0]["feedback"]
    for hostile in ('{"complaint": "no-such"}', "[]", '{"complaint": ["wrong"]}'):
        clicks.sent[f"turn-{run_id}"] = Action("complain", hostile)
        app.run()
        assert given[run_id].complaint is None
    said = json.dumps({"complaint": "missed", "comment": " Page <b>3</b> "})
    clicks.sent[f"turn-{run_id}"] = Action("complain", said)
    app.run()
    assert given[run_id] == Feedback(run_id, Verdict.DOWN, Complaint.MISSED, "Page <b>3</b>")
    assert "&lt;b&gt;3" in parts_of(app, "turn")[0]["feedback"]
    clicks.sent[f"turn-{run_id}"] = Action("down")
    app.run()
    assert given == {}


def test_a_deleted_conversation_comes_back(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    answered(opened)
    app = open_page(thread="t1")
    app.session_state["chat-deleted"] = ["t1"]
    opened.threads.put_away("t1")
    app.run()
    assert not app.info
    assert parts_of(app, "turn") == []
    app.button(key="undo-delete").click().run()
    assert app.query_params["thread"] == "t1"
    assert len(parts_of(app, "turn")) == 1


@pytest.mark.parametrize(
    ("count", "told"), [(0, "Chat deleted. What"), (1, "with 1 memory that"), (2, "with 2 memories")]
)
def test_a_deleted_conversation_says_how_many_memories_went_with_it(
    opened: FakeServices, open_page: OpenPage, count: int, told: str
) -> None:
    with_documents(opened)
    answered(opened)
    opened.threads.put_away("t1")
    app = open_page()
    app.session_state["chat-deleted"] = ["t1"]
    app.session_state["chat-deleted-memories"] = count
    app.run()
    assert any(told in caption.value for caption in app.sidebar.caption)


def test_folders_and_pins_order_the_list(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    for number in range(3):
        answered(opened, f"Question {number}?")
    opened.threads.pin("t1", True)
    opened.threads.file("t2", "Field *work*")
    app = open_page()
    listed = [button.key for button in app.button if (button.key or "").startswith("open-")]
    assert listed == ["open-t1", "open-t2", "open-t3"]
    assert app.expander[0].label == "Field \\*work\\*"


def test_conversations_of_the_same_title_say_when_they_were_used(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    for question in ("What is KelpNet?", "What is KelpNet?", "What is SeaLoom?"):
        answered(opened, question)
    labels = [button.label for button in open_page().button if (button.key or "").startswith("open-")]
    assert [label.endswith("days ago]") for label in labels] == [False, True, True]


def test_a_search_finds_by_meaning_after_the_words(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    for number in range(9):
        answered(opened, f"Question {number}?")
    opened.storage.records.questions.nearest = [("t2", 0.1), ("t5", 0.3), ("t6", 0.9), ("gone", 0.1)]
    app = open_page()
    app.text_input(key="thread-search").set_value("question 4").run()
    listed = [button.key for button in app.button if (button.key or "").startswith("open-")]
    assert listed == ["open-t5", "open-t2"]


def test_a_follow_up_is_asked_as_it_stands(opened: FakeServices, open_page: OpenPage, clicks: Clicks) -> None:
    with_documents(opened)
    run_id = opened.worker.start(RunRequest("What drifts?", BASE.id, interface_language="en"))
    opened.worker.end(run_id, [FollowUpsFound(("Who is <b>?",)), RunFinished("answered", 1.5, Usage())])
    app = open_page(thread="t1")
    assert 'data-value="Who is &lt;b&gt;?"' in parts_of(app, "turn")[0]["follow"]
    clicks.sent[f"turn-{run_id}"] = Action("ask", "Who is <b>?")
    app.run()
    assert opened.worker.asked[-1].question == "Who is <b>?"


def test_a_source_leads_to_its_page_of_the_document(opened: FakeServices, open_page: OpenPage, clicks: Clicks) -> None:
    with_documents(opened)
    place = json.dumps({"document": "d-handbook.pdf", "page": 1, "chunk": "c-0"})
    clicks.sent[f"turn-{answered(opened)}"] = Action("document", place)
    app = open_page(thread="t1")
    assert app.query_params["document"] == "d-handbook.pdf"
    assert app.query_params["page"] == "2"


@pytest.mark.parametrize("value", ["", "{", "[]", '{"document": 3}', '{"document": "d", "page": "x"}', "null"])
def test_a_place_that_no_page_sent_leads_nowhere(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks, value: str
) -> None:
    with_documents(opened)
    clicks.sent[f"turn-{answered(opened)}"] = Action("document", value)
    app = open_page(thread="t1")
    assert not app.exception
    assert app.query_params["thread"] == "t1"


def test_the_run_beside_the_conversation_shows_steps_and_tokens(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    answered(opened)
    run = parts_of(open_page(thread="t1"), "run")[0]
    assert "2, tokens: 900 sent + 80 written" in run["head"]
    assert "Check the question" in run["step-0"]
    assert "An ordinary question." in run["step-0"]
    assert "<svg" in run["drawing"]
    assert 'class="gt-node is-done"' in run["drawing"]


def test_four_actions_stand_below_an_answer_with_their_words_and_the_others_in_a_menu(
    opened: FakeServices, open_page: OpenPage
) -> None:
    with_documents(opened)
    answered(opened)
    actions = parts_of(open_page(thread="t1"), "turn")[0]["actions"]
    visible, menu = actions.split('<details class="gt-overflow">')
    assert visible.count("<button") + visible.count("<select") == 4
    assert all(f"<span>{words}</span>" in visible for words in ("Copy", "Helpful", "Not helpful"))
    assert all(f'data-event="{event}"' in menu for event in ("again", "fork", "keep", "bundle"))


def test_an_earlier_run_can_be_shown(opened: FakeServices, open_page: OpenPage, clicks: Clicks) -> None:
    with_documents(opened)
    first = answered(opened)
    answered(opened, "And when?", "t1")
    app = open_page(thread="t1")
    assert 'data-event="run"' in parts_of(app, "turn")[0]["actions"]
    assert 'data-event="run"' not in parts_of(app, "turn")[1]["actions"]
    clicks.sent[f"turn-{first}"] = Action("run")
    app.run()
    assert app.query_params["run"] == first


def test_clicks_in_two_turns_while_the_page_is_drawn_are_both_handled(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks
) -> None:
    with_documents(opened)
    first, last = answered(opened), answered(opened, "And when?", "t1")
    clicks.sent = {f"turn-{first}": Action("up"), f"turn-{last}": Action("down")}
    app = open_page(thread="t1")
    assert not app.exception
    assert {id: given.verdict for id, given in opened.storage.records.feedback.given.items()} == {
        first: Verdict.UP,
        last: Verdict.DOWN,
    }


def test_a_long_conversation_draws_its_newest_turns_and_reads_old_ones_once(
    opened: FakeServices, open_page: OpenPage
) -> None:
    with_documents(opened)
    for number in range(50):
        answered(opened, f"Question {number}?", "t1" if number else "")
    app = open_page(thread="t1")
    turns = parts_of(app, "turn")
    assert len(turns) == 20
    assert "Question 49?" in turns[-1]["question"]
    before = opened.runs.reads
    app.run()
    assert opened.runs.reads == before
    app.button(key="earlier").click().run()
    assert len(parts_of(app, "turn")) == 50


def test_threads_can_be_searched_opened_renamed_and_deleted(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    for number in range(9):
        answered(opened, f"Question {number}?")
    app = open_page()
    app.text_input(key="thread-search").set_value("question 3").run()
    app.button(key="open-t4").click().run()
    assert app.query_params["thread"] == "t4"
    assert "Question 3?" in parts_of(app, "turn")[0]["question"]
    app.button(key="new-chat").click().run()
    assert parts_of(app, "turn") == []


def test_what_a_search_of_threads_leaves_out_is_counted(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_threads, "MAX_LISTED", 2)
    with_documents(opened)
    for number in range(9):
        answered(opened, f"Question {number}?")
    app = open_page()
    assert "7 older chats. Search to find them." in [caption.value for caption in app.sidebar.caption]
    app.text_input(key="thread-search").set_value("question").run()
    assert any(caption.value.startswith("7 more chats match.") for caption in app.sidebar.caption)


def test_a_hostile_title_is_only_text(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    answered(opened, "![x](https://evil.example/p.png) <b>")
    labels = [button.label for button in open_page().button if (button.key or "").startswith("open-")]
    assert labels == ["\\!\\[x\\]\\(https\u2060\\:\\/\\/evil\\.example\\/p\\.png\\) \\<b\\>"]


class Dropped:
    name = "tide.md"

    def getvalue(self) -> bytes:
        return b"# Tide"


def test_a_dropped_file_goes_into_the_open_base(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    app = open_page()
    app.session_state["chat-files"] = [Dropped()]
    app.run()
    assert not app.exception
    assert [file.base_id for file in opened.library.documents.kept.values() if file.name == "tide.md"] == [BASE.id]
    assert opened.worker.asked == []


def test_a_question_that_is_sent_with_a_file_is_asked_at_once_and_waits_for_it(
    opened: FakeServices, open_page: OpenPage
) -> None:
    with_documents(opened)
    app = open_page()
    app.session_state["chat-files"], app.session_state["chat-files-question"] = [Dropped()], "How high is it?"
    app.run()
    assert not app.exception
    (asked,) = opened.worker.asked
    assert (asked.question, asked.base_id) == ("How high is it?", BASE.id)
    assert asked.options.attached == (AttachedFile("tide.md", sha256(b"# Tide").hexdigest()),)
    assert app.query_params["thread"]


def test_a_click_while_files_are_taken_loses_neither_them_nor_their_question(
    opened: FakeServices, open_page: OpenPage
) -> None:
    class Interrupting(Dropped):
        name = "wind.md"
        clicks: ClassVar = [RerunData()]

        def getvalue(self) -> bytes:
            if self.clicks:
                raise RerunException(self.clicks.pop())
            return b"# Wind"

    with_documents(opened)
    app = open_page()
    app.session_state["chat-files"] = [Dropped(), Interrupting()]
    app.session_state["chat-files-question"] = "How high is it?"
    app.run()
    app.run()
    taken = [file.name for file in opened.library.documents.kept.values() if file.name in ("tide.md", "wind.md")]
    assert sorted(taken) == ["tide.md", "wind.md"]
    (asked,) = opened.worker.asked
    assert [file.name for file in asked.options.attached] == ["tide.md", "wind.md"]
    assert asked.question == "How high is it?"


@pytest.mark.parametrize(("data", "toasts"), [(b"# Tide", 1), (b"", 0)])
def test_only_files_that_are_taken_are_said_to_be_read(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, data: bytes, toasts: int
) -> None:
    told: list[str] = []
    monkeypatch.setattr(st, "toast", lambda words, **_: told.append(words))
    monkeypatch.setattr(Dropped, "getvalue", lambda _: data)
    with_documents(opened)
    app = open_page()
    app.session_state["chat-files"] = [Dropped()]
    app.run()
    assert told == ["Files being read: 1. Progress is shown on the Documents page."] * toasts


def test_files_that_are_sent_while_others_wait_join_them(monkeypatch: pytest.MonkeyPatch) -> None:
    state: dict[str, object] = {}
    monkeypatch.setattr(st, "session_state", state)
    first, second = Dropped(), Dropped()
    hold_files([first], "How high is it?")
    hold_files([second], "How strong is it?")
    assert list(state.values()) == [[first, second], "How high is it?\n\nHow strong is it?"]


@pytest.mark.parametrize("why", ["refused", "cancelled"])
def test_a_question_whose_file_is_not_taken_comes_back_to_the_field(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, why: str
) -> None:
    with_documents(opened)
    app = open_page()
    if why == "refused":
        monkeypatch.setattr(Dropped, "getvalue", lambda self: b"")
    else:
        opened.library.bases.kept[BASE.id] = replace(BASE, name=SAMPLE)
    app.session_state["chat-files"], app.session_state["chat-files-question"] = [Dropped()], "How high is it?"
    app.run()
    if why == "cancelled":
        app.button(key="files-cancel").click().run()
    assert opened.worker.asked == []
    assert app.chat_input[0].proto.value == "How high is it?"


@pytest.mark.parametrize(("button", "base"), [("files-own", "My documents"), ("files-sample", SAMPLE)])
def test_before_a_file_goes_into_the_sample_the_reader_is_asked(
    opened: FakeServices, open_page: OpenPage, button: str, base: str
) -> None:
    with_documents(opened)
    opened.library.bases.kept[BASE.id] = replace(BASE, name=SAMPLE)
    app = open_page()
    app.session_state["chat-files"] = [Dropped()]
    app.run()
    assert len(opened.library.documents.kept) == 1
    app.session_state["chat-files-question"] = "How high is it?"
    app.button(key=button).click().run()
    (taken,) = [file for file in opened.library.documents.kept.values() if file.name == "tide.md"]
    assert opened.library.bases.get(taken.base_id).name == base
    assert [asked.base_id for asked in opened.worker.asked] == [taken.base_id]


def test_without_a_model_the_picker_says_what_each_workflow_would_add(opened: FakeServices) -> None:
    assert all("Only with a model: " in promise_of(name) for name in workflow_names())
    opened.llm.engine = "some-model"
    assert not any("Only with a model" in promise_of(name) for name in workflow_names())


def test_the_last_choices_are_there_after_a_reload(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    opened.library.bases.kept["b2"] = replace(BASE, id="b2", name="Ships")
    opened.library.documents.kept["d2"] = replace(document(), id="d2", base_id="b2")
    app = open_page()
    app.radio(key="workflow-choice").set_value("guarded").run()
    app.selectbox(key=f"chat-base-{BASE.id}").set_value("b2").run()
    again = open_page()
    again.chat_input[0].set_value("How do buoys drift?").run()
    assert (opened.worker.asked[0].workflow, opened.worker.asked[0].base_id) == ("guarded", "b2")
    opened.storage.access.preferences.kept = {"chat-choices": {"workflow": ["x"]}, "base": 3}
    assert not open_page().exception


def test_a_question_is_limited_to_what_is_chosen_or_named(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    app = open_page()
    app.multiselect(key=f"scope-{BASE.id}-0").set_value([("document", "d-handbook.pdf")]).run()
    app.chat_input[0].set_value("What of @KelpNet?").run()
    (asked,) = opened.worker.asked
    assert asked.options.documents == ("d-handbook.pdf",)
    (entity,) = asked.options.entities
    assert opened.graph.entity(entity).name == "KelpNet"


def test_a_question_can_be_asked_of_several_bases(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    other = opened.library.bases.create("Harbour")
    app = open_page()
    app.multiselect(key=f"scope-bases-{BASE.id}-0").set_value([other.id]).run()
    app.chat_input[0].set_value("What drifts?").run()
    (asked,) = opened.worker.asked
    assert asked.options == RunOptions(bases=(other.id,))
    assert "1 more knowledge base searched" in parts_of(app, "turn")[0]["facts"]


def test_a_conversation_goes_on_with_the_base_that_was_asked_last(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    other = opened.library.bases.create("Harbour")
    first = opened.worker.start(RunRequest("How do buoys drift?", BASE.id))
    thread = opened.runs.get(first).thread_id
    opened.worker.start(RunRequest("What drifts?", other.id, thread_id=thread))
    open_page(thread=thread)
    assert open_page().selectbox(key=f"chat-base-{other.id}").value == other.id


def test_memory_can_be_left_out_of_a_question(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    app = open_page()
    app.button_group(key="uses").set_value([]).run()
    app.chat_input[0].set_value("How do buoys drift?").run()
    assert opened.worker.asked[0].use_memory is False


def test_the_web_is_offered_only_where_it_is_configured(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    assert len(open_page().button_group(key="uses").options) == 1
    opened.answering.web_configured = True
    app = open_page()
    assert len(app.button_group(key="uses").options) == 2
    assert app.button_group(key="uses").help


@pytest.mark.parametrize(
    ("workflow", "offered"), [("tool_loop", 2), ("memory_loop", 2), ("guarded", 1), ("planner", 1)]
)
def test_the_web_is_offered_only_with_workflows_that_search_it(
    opened: FakeServices, open_page: OpenPage, workflow: str, offered: int
) -> None:
    with_documents(opened)
    opened.answering.web_configured = True
    app = open_page()
    app.button_group(key="uses").set_value(["memory", "web"]).run()
    app.radio(key="workflow-choice").set_value(workflow).run()
    assert len(app.button_group(key="uses").options) == offered
    app.button_group(key="uses").set_value([]).run()
    app.radio(key="workflow-choice").set_value("adaptive").run()
    app.chat_input[0].set_value("How do buoys drift?").run()
    assert opened.worker.asked[0].use_memory is False
    assert opened.worker.asked[0].use_web is (offered == 1)


def test_the_web_is_shown_as_used_when_it_is_offered_again(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    opened.answering.web_configured = True
    app = open_page()
    app.button_group(key="uses").set_value(["memory", "web"]).run()
    app.radio(key="workflow-choice").set_value("guarded").run()
    assert app.button_group(key="uses").value == ["memory"]
    app.radio(key="workflow-choice").set_value("adaptive").run()
    assert app.button_group(key="uses").value == ["memory", "web"]
    app.button_group(key="uses").set_value(["memory"]).run()
    app.chat_input[0].set_value("How do buoys drift?").run()
    assert opened.worker.asked[0].use_web is False


def test_the_engine_is_chosen_beside_the_workflow_where_there_is_a_model(
    opened: FakeServices, open_page: OpenPage
) -> None:
    with_documents(opened)
    assert "engine-choice" not in {radio.key for radio in open_page().radio}
    opened.llm.engine = "some-model"
    app = open_page()
    app.radio(key="engine-choice").set_value("built-in").run()
    again = open_page()
    again.chat_input[0].set_value("How do buoys drift?").run()
    assert opened.worker.asked[0].options.engine == "built-in"


def test_what_a_browser_sends_is_checked() -> None:
    hostile: list[object] = [None, "x", 3, [], {"event": 5}, {"value": "x"}, {"event": None, "value": {}}]
    assert all(action_of(value) is None for value in hostile)
    sent: Mapping[str, Any] = {"event": "again", "value": 7}
    action = action_of(sent)
    assert action
    assert action.value == "7"


def test_an_answer_is_saved_with_all_that_it_rests_on(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks
) -> None:
    with_documents(opened)
    run_id = answered(opened, "What <b>drifts</b>?", chunk=chunks_of("d-handbook.pdf")[0].id)
    clicks.sent[f"turn-{run_id}"] = Action("bundle")
    app = open_page(thread="t1")
    assert not app.exception
    view = ended_view(run_id, RunStatus.DONE)
    view = replace(view, citations=tuple(replace(citation, page=1) for citation in view.citations))
    written = bundle_html(opened.runs.get(run_id), view)
    assert "What &lt;b&gt;drifts&lt;/b&gt;?" in written
    assert 'href="#source-1"' in written
    assert chunks_of("d-handbook.pdf")[0].text[:20] in written
    assert "data:image/png;base64," in written
    assert "Check the question" in written
    assert not re.search(r"<script|(?:src|href)=\"(?!data:|#)", written)


def test_a_question_is_saved_from_a_turn_or_typed_and_comes_back_into_the_field(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks
) -> None:
    with_documents(opened)
    clicks.sent[f"turn-{answered(opened, 'What *drifts*?')}"] = Action("keep")
    app = open_page(thread="t1")
    assert app.text_area(key="saved-new-0").placeholder == "Summarise the safety rules for {place}"
    app.text_area(key="saved-new-0").set_value("  What <b>floats</b>?  ")
    app.button(key="saved-save").click().run()
    assert [app.button(key=f"saved-ask-{place}").label for place in (0, 1)] == [
        "What \\<b\\>floats\\<\\/b\\>\\?",
        "What \\*drifts\\*\\?",
    ]
    dropped = next(button for button in app.button if (button.key or "").startswith("saved-drop-"))
    dropped.click().run()
    assert dropped.key not in {button.key for button in app.button}, "a second click would drop the next one"
    app.button(key="saved-ask-0").click().run()
    assert app.chat_input[0].proto.value == "What *drifts*?"
    assert not app.exception


def test_a_slash_finds_a_saved_question_and_its_variables_are_filled_in(
    opened: FakeServices, open_page: OpenPage
) -> None:
    with_documents(opened)
    opened.storage.access.preferences.kept = {"saved-questions": ["Rules for {place} in {year}?", "What drifts?"]}
    app = open_page()
    app.chat_input[0].set_value("/drifts").run()
    assert app.chat_input[0].proto.value == "What drifts?"
    app.chat_input[0].set_value("/").run()
    assert app.selectbox(key="saved-which").options == ["Rules for {place} in {year}?", "What drifts?"]
    app.text_input(key="saved-value-place").set_value(" Lyon ")
    next(each for each in app.button if each.label == "Use this question").click().run()
    assert app.chat_input[0].proto.value == "Rules for Lyon in {year}?"
    app.chat_input[0].set_value("/export all").run()
    assert "No saved question has “export all”" in app.error[0].value
    app.chat_input[0].set_value("/etc/hosts: what is it?").run()
    assert [asked.question for asked in opened.worker.asked] == ["/etc/hosts: what is it?"]


def test_the_scope_of_a_conversation_stays_with_it(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    app = open_page()
    app.multiselect(key=f"scope-{BASE.id}-0").set_value([("document", "d-handbook.pdf")]).run()
    app.chat_input[0].set_value("What of @KelpNet?").run()
    app.button(key="new-chat").click().run()
    assert scope_of(app) == []
    again = open_page(thread="t1")
    assert scope_of(again) == [("document", "d-handbook.pdf"), ("entity", entity_id("KelpNet"))]
    again.button(key="scope-drop-d-handbook.pdf").click().run()
    assert scope_of(again) == [("entity", entity_id("KelpNet"))]


def test_what_a_question_names_limits_the_next_one_of_the_conversation(
    opened: FakeServices, open_page: OpenPage
) -> None:
    with_documents(opened)
    app = open_page()
    app.chat_input[0].set_value("@handbook.pdf What drifts?").run()
    assert app.button(key="scope-drop-d-handbook.pdf")
    opened.worker.end("r1", [AnswerReady("Buoys.", (), ()), RunFinished("answered", 1.0, Usage())])
    app.run().chat_input[0].set_value("And what sinks?").run()
    assert opened.worker.asked[-1].options.documents == ("d-handbook.pdf",)
    opened.library.documents.kept["d-log.pdf"] = replace(document(), id="d-log.pdf", name="log.pdf")
    opened.worker.end("r2", [AnswerReady("Stones.", (), ()), RunFinished("answered", 1.0, Usage())])
    app.run().chat_input[0].set_value("@log.pdf What floats?").run()
    assert opened.worker.asked[-1].options.documents == ("d-log.pdf",)


def test_a_conversation_is_not_limited_to_what_no_longer_exists(opened: FakeServices, open_page: OpenPage) -> None:
    with_documents(opened)
    opened.library.documents.kept["d-log.pdf"] = replace(document(), id="d-log.pdf", name="log.pdf")
    harbour, quay = opened.library.bases.create("Harbour"), opened.library.bases.create("Quay")
    app = open_page()
    chosen = [("document", "d-handbook.pdf"), ("document", "d-log.pdf"), ("entity", entity_id("KelpNet"))]
    app.multiselect(key=f"scope-{BASE.id}-0").set_value(chosen).run()
    app.multiselect(key=f"scope-bases-{BASE.id}-0").set_value([harbour.id, quay.id]).run()
    del opened.library.documents.kept["d-log.pdf"], opened.library.bases.kept[harbour.id]
    del opened.graph.entities[entity_id("KelpNet")]
    app.chat_input[0].set_value("What drifts?").run()
    assert opened.worker.asked[-1].options == RunOptions(documents=("d-handbook.pdf",), bases=(quay.id,))
    assert [toast.value for toast in app.toast] == [text("chat.scope.gone", "en")]
    assert not app.run().toast
    del opened.library.documents.kept["d-handbook.pdf"]
    again = open_page(thread="t1")
    assert scope_of(again) == []
    assert [toast.value for toast in again.toast] == [text("chat.scope.gone", "en")]
    assert next(button for button in again.button if button.key == f"scope-drop-{quay.id}")


def test_an_answer_asked_again_is_not_limited_to_what_no_longer_exists(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks
) -> None:
    with_documents(opened)
    options = RunOptions(documents=("d-gone.pdf",), engine="built-in")
    run_id = opened.worker.start(RunRequest("What drifts?", BASE.id, interface_language="en", options=options))
    opened.worker.end(run_id, [RunFinished("not_found", 0.1, Usage())])
    clicks.sent[f"turn-{run_id}"] = Action("again")
    open_page(thread="t1")
    assert opened.worker.asked[-1].options == RunOptions(engine="built-in")


def test_a_document_that_the_list_leaves_out_can_be_named(
    opened: FakeServices, open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(chat_scope, "MAX_DOCUMENTS", 1)
    with_documents(opened)
    opened.library.documents.kept["d-plan.pdf"] = replace(document(), id="d-plan.pdf", name="tide-plan.pdf")
    app = open_page()
    assert any("first 1 documents" in caption.value for caption in app.caption)
    app.chat_input[0].set_value("@tide-plan.pdf Who signs?").run()
    assert opened.worker.asked[-1].options.documents == ("d-plan.pdf",)
    assert scope_of(app) == [("document", "d-plan.pdf")]


def scope_of(app: AppTest) -> list[tuple[str, str]]:
    (picker,) = (each for each in app.multiselect if (each.key or "").startswith(f"scope-{BASE.id}-"))
    return list(picker.value)


def test_every_step_leads_to_the_graph_of_what_it_looked_at(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks
) -> None:
    with_documents(opened)
    run_id = opened.worker.start(RunRequest("What is SeaLoom?", BASE.id, interface_language="en"))
    weighed = Scored(chunks_of("d-handbook.pdf")[0].id, "handbook.pdf", 0, "x", 0.2, (), "")
    ended = [NodeFinished(node, 1, 0.1, "") for node in ("guard", "grade")]
    told: list[Event] = [NodeStarted("guard", 1), ended[0], NodeStarted("grade", 1)]
    told += [PassagesGraded("grade", (), (weighed,)), ended[1], RunFinished("not_found", 0.1, Usage())]
    opened.worker.end(run_id, told)
    named = {it.id for it in opened.graph.of_chunks([weighed.chunk_id])[weighed.chunk_id]}
    *_, guard, grade = range(len(ended_view(run_id, RunStatus.DONE).steps))
    for number, entities, step in ((guard, {entity_id("SeaLoom")}, None), (grade, named, "1"), (99, set(), None)):
        clicks.sent[f"run-{run_id}"] = Action("step", str(number))
        app = open_page(thread="t1")
        assert set(filter(None, app.query_params.get("entities", "").split(","))) == entities
        assert app.query_params.get("step") == step
    assert named
    clicks.sent[f"run-{run_id}"] = Action("names", "PERSON")
    shown = open_page(thread="t1").query_params
    assert (shown.get("types"), shown.get("view")) == ("PERSON", "entities")


def test_a_refused_passage_is_used_and_a_memory_left_out_in_a_new_version(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks
) -> None:
    with_documents(opened)
    run_id = opened.worker.start(RunRequest("What drifts?", BASE.id, interface_language="en"))
    refused = Scored("c-9", "handbook.pdf", 2, "Left <b>out</b>", 0.2, (), "run.rejected.off_topic")
    recalled = MemoriesRecalled((("m1", "I like tea"),))
    told: list[Event] = [NodeStarted("grade", 1), PassagesGraded("grade", (), (refused,)), recalled]
    opened.worker.end(run_id, [*told, RunFinished("not_found", 0.1, Usage())])
    clicks.sent[f"turn-{run_id}"] = Action("insist", "c-8")
    app = open_page(thread="t1")
    turn = parts_of(app, "turn")[0]
    assert "Left &lt;b&gt;out" in turn["refused"]
    assert "I like tea" in turn["memories"]
    for action in (Action("without", "m2"), Action("insist", "c-9")):
        clicks.sent[f"turn-{run_id}"] = action
        app.run()
    assert [asked.options for asked in opened.worker.asked[1:]] == [RunOptions(insisted=("c-9",))]
    assert "with a passage you added" in parts_of(app, "turn")[0]["facts"]
    opened.worker.end("r2", [RunFinished("not_found", 0.1, Usage())])
    assert "you added a passage; the answer does not cite it" in parts_of(app.run(), "turn")[0]["facts"]
    opened.threads.show("t1", run_id)
    clicks.sent[f"turn-{run_id}"] = Action("without", "m1")
    app.run()
    assert opened.worker.asked[-1].options == RunOptions(without_memories=("m1",))


def test_a_run_goes_on_from_a_step_with_what_the_reader_changed_there(
    opened: FakeServices, open_page: OpenPage, clicks: Clicks
) -> None:
    with_documents(opened)
    run_id = opened.worker.start(RunRequest("What drifts?", BASE.id, interface_language="en"))
    update = '{"search":{"rejected":[{"chunk_id":"c-9","score":0.2,"reason":"run.rejected.off_topic"}]}}'
    graded: list[Event] = [
        NodeStarted("grade_evidence", 1),
        PassagesGraded("grade_evidence", (), (Scored("c-9", "<b>", 2, "Left <b>out</b>", 0.2, (), "why"),)),
        NodeFinished("grade_evidence", 1, 0.1, "nothing", update=update),
    ]
    opened.worker.end(run_id, [*graded, RunFinished("not_found", 0.1, Usage())])
    app = open_page(thread="t1")
    step = parts_of(app, "run")[0]["step-1"]
    assert 'value="c-9"' in step
    assert "<b>out" not in step
    for nowhere in (
        '{"node": "telemetry", "attempt": "1"}',
        '{"node": "grade_evidence", "attempt": "2"}',
        '{"node": []}',
    ):
        clicks.sent[f"run-{run_id}"] = Action("continue", nowhere)
        app.run()
    assert len(opened.worker.asked) == 1
    sent = {"node": "grade_evidence", "attempt": "1", "kept": ["c-9", "c-0"], "outcome": "", "answer": "No."}
    clicks.sent[f"run-{run_id}"] = Action("continue", json.dumps(sent))
    app.run()
    wanted = Continuation(run_id, "grade_evidence", 1, outcome="found", kept=("c-9",))
    assert opened.worker.asked[-1].options == RunOptions(continues=wanted)
    assert "changed: way on, passages" in parts_of(app, "turn")[0]["facts"]


def test_what_is_taken_out_of_the_evidence_is_named_as_such() -> None:
    passage = Scored("c-9", "a.pdf", 2, "Text", 0.2, (), "run.rejected.by_reader")
    kept = tuple(replace(passage, chunk_id=name, reason="") for name in ("c-1", "c-2"))
    update = '{"search":{}}'
    events: list[Event] = [
        RunStarted("What drifts?", "adaptive", "x"),
        NodeStarted("grade_evidence", 1),
        PassagesGraded("grade_evidence", kept, (passage, replace(passage, chunk_id="c-8", reason="why"))),
        NodeFinished("grade_evidence", 1, 0.1, "found", update=update),
        RunFinished("answered", 0.1, Usage()),
    ]
    sent = {"node": "grade_evidence", "attempt": "1", "kept": ["c-2"]}
    wanted = continuation("r1", fold(events), sent)
    assert wanted is not None
    assert (wanted.kept, wanted.dropped) == (("c-2",), ("c-1", "c-9"))
