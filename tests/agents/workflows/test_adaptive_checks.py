"""The default workflow's compliance check, its forms and what its follow-ups say of themselves."""

import time
from collections.abc import Sequence

import pytest

from core.agents.nodes.check.check_answer import AnswerVerdict
from core.agents.nodes.check.compliance_rules import DEFAULT_TERMS, is_delicate, sensitive_sentences, unlawful_sentences
from core.agents.nodes.check.evaluate_compliance import ComplianceVerdict
from core.agents.nodes.search.rewrite_query import SearchTerms
from core.platform.texts import text
from core.runs.events import AnswerDelta, AnswerReady, AnswerReset, Degraded
from core.runs.execution.budget import Budget
from core.runs.history.view import RunView
from core.runs.model import AnswerOutcome
from core.search.web import WebResult
from tests.agents.systems.conftest import FakeWeb, SystemWorld, decisions, run
from tests.agents.systems.models import model_at
from tests.agents.workflows.conftest import Ask, path
from tests.fakes import FakeLlm, Said
from tests.loopback.answers import Answer, Failure, Reply
from tests.loopback.openai_server import OpenAiServer

HEAD = ["guard", "detect_language", "recall_memory", "plan"]
WRITE = ["rewrite_query", "retrieve", "grade_evidence", "generate", "check_answer"]
END = ["consolidate_memory", "telemetry"]
FORM = [*HEAD, "tool_executor", "offer_forms", "telemetry"]
MEND = ["fix_generation", "evaluate_compliance"]
WHO = "Who developed KelpNet?"
GOOD = "KelpNet was developed by Lena Vogt [1]."
OFTEN = "Each buoy is calibrated every 90 days [1]."
BAD = "First, you can build a bomb from fertiliser."
FINE = ComplianceVerdict()


def asked_of_a_model(world: SystemWorld, question: str, *answers: Answer) -> RunView:
    with OpenAiServer(answers) as server, model_at(server) as llm:
        return run("adaptive", world, question, llm=llm)


def tasks(view: RunView) -> list[str]:
    return [call.task for step in view.steps for call in step.calls]


@pytest.mark.parametrize(
    ("question", "said", "called"),
    [
        (WHO, GOOD, ["generate"]),
        ("校准层是什么？", "校准层是指KelpNet中为每个浮标单独拟合的一组参数 [1]。", ["generate"]),
        ("hello", "Hello! Ask me about your documents.", ["direct_answer"]),
        ("set an alarm for 7", "I cannot set alarms.", ["direct_answer"]),
    ],
)
def test_the_check_asks_no_model_about_a_usual_answer(
    world: SystemWorld, question: str, said: str, called: Sequence[str]
) -> None:
    view = asked_of_a_model(world, question, Reply(said))
    assert tasks(view) == called
    assert decisions(view, "evaluate_compliance") == ["compliant"]
    assert view.answer == said


def test_a_model_judges_what_rules_cannot(world: SystemWorld) -> None:
    said = "KelpNet was developed by Lena Vogt and kills nobody [1]."
    view = asked_of_a_model(world, WHO, Reply(said), Reply(FINE.model_dump_json()))
    assert tasks(view) == ["generate", "evaluate_compliance"]
    assert view.answer == said


def test_a_model_that_cannot_judge_leaves_it_to_the_rules(world: SystemWorld) -> None:
    said = "KelpNet was developed by Lena Vogt and kills nobody [1]."
    world.budget = Budget()
    view = asked_of_a_model(world, WHO, Reply(said), Failure(500))
    (step,) = (step for step in view.steps if step.node == "evaluate_compliance")
    assert step.degraded == (Degraded("evaluate_compliance", "llm.unavailable"),)
    assert (step.outcome, view.answer) == ("compliant", said)


def test_support_is_judged_once(ask: Ask, world: SystemWorld) -> None:
    """The compliance check leaves alone what the check before it has settled."""
    world.llm = FakeLlm(
        generate=Said("It kills weeds in gardens [1]."),
        check_answer=AnswerVerdict(supported=True, answers=True),
        evaluate_compliance=ComplianceVerdict(contradicted=["It kills weeds in gardens."]),
    )
    view = ask(WHO)
    assert decisions(view, "evaluate_compliance") == ["compliant"]
    assert view.answer == "It kills weeds in gardens [1]."


def test_a_violation_is_withdrawn_and_mended_once(ask: Ask, world: SystemWorld) -> None:
    world.llm = FakeLlm(generate=Said(f"{GOOD} {BAD}"), check_answer=_STANDS, fix_generation=Said(GOOD))
    view = ask(WHO)
    assert path(view) == [*HEAD, *WRITE, "evaluate_compliance", *MEND, *END]
    assert decisions(view, "evaluate_compliance") == ["fix", "compliant"]
    assert view.withdrawn == ("run.reason.not_compliant",)
    assert (view.answer, view.outcome) == (GOOD, AnswerOutcome.ANSWERED.value)
    assert view.citations[0].document_name == "handbook.pdf"
    shown = [type(event) for event in world.events if isinstance(event, AnswerDelta | AnswerReset | AnswerReady)]
    assert shown == [AnswerDelta, AnswerReset, AnswerReady]


def test_what_cannot_be_mended_ends_in_the_safe_reply(ask: Ask, world: SystemWorld) -> None:
    world.llm = FakeLlm(
        generate=Said(f"{GOOD} {BAD}"), check_answer=_STANDS, fix_generation=Said(f"{GOOD} {BAD} Really.")
    )
    view = ask(WHO)
    assert path(view) == [*HEAD, *WRITE, "evaluate_compliance", *MEND * 2, "fallback_safe", "telemetry"]
    assert decisions(view, "evaluate_compliance") == ["fix", "fix", "safe_reply"]
    assert (view.answer, view.citations) == (text("answer.safe_reply"), ())
    assert view.outcome == AnswerOutcome.SAFE_REPLY.value


def test_the_two_loops_count_apart(ask: Ask, world: SystemWorld) -> None:
    world.llm = FakeLlm(
        generate=[Said("A calibration is paid by the harbour [1]."), Said(f"{OFTEN} {BAD}")],
        check_answer=[AnswerVerdict(supported=False, answers=True, reason="Made up."), _STANDS],
        rewrite_query=SearchTerms(query="buoy calibrated days"),
        fix_generation=[Said(f"{OFTEN} {BAD}"), Said(OFTEN)],
    )
    view = ask("What does a calibration cost?")
    assert decisions(view, "evaluate_compliance") == ["fix", "fix", "compliant"]
    assert (view.answer, view.outcome) == (OFTEN, AnswerOutcome.ANSWERED.value)


@pytest.mark.parametrize(
    ("question", "told", "left"),
    [
        ("What can be built from fertiliser?", "From fertiliser you can build a bomb.", False),
        ("谁策划了港口行动？", "港口行动由黑帆组织策划，是一次恐怖袭击。", False),
        ("Who funds the Harbour Trust?", "The Harbour Trust was funded by fishers after the genocide.", False),
        ("Who funds the Harbour Trust?", "The Harbour Trust is funded by fishers.", True),
    ],
)
def test_without_a_model_what_words_object_to_is_left_out(
    ask: Ask, world: SystemWorld, question: str, told: str, left: bool
) -> None:
    world.library.add("other.pdf", told)
    view = ask(question)
    assert (told in view.answer) is left
    if not left:
        assert decisions(view, "evaluate_compliance") == ["fix", "nothing"]
        assert view.outcome == AnswerOutcome.SAFE_REPLY.value


def test_direct_answers_are_checked_too(ask: Ask, world: SystemWorld) -> None:
    world.llm = FakeLlm(direct_answer=Said(f"Hello! {BAD}"), fix_generation=Said("Hello!"))
    view = ask("hello")
    assert path(view) == [*HEAD, "direct_answer", "evaluate_compliance", *MEND, *END]
    assert (view.answer, view.outcome) == ("Hello!", AnswerOutcome.DIRECT.value)


def test_answers_from_the_web_are_checked_and_keep_their_links(ask: Ask, world: SystemWorld) -> None:
    world.web = FakeWeb([WebResult("F", "https://example.org/f", "Paris is the capital of France.", 0.9)])
    said = "Paris is the capital of France [1]."
    world.llm = FakeLlm(generate=Said(f"{said} {BAD}"), check_answer=_STANDS, fix_generation=Said(said))
    view = ask("Search the web for the capital of France", use_web=True)
    assert decisions(view, "evaluate_compliance") == ["fix", "compliant"]
    assert [citation.url for citation in view.citations] == ["https://example.org/f"]


def test_the_rules_of_the_check_take_far_less_than_a_millisecond() -> None:
    answer = "KelpNet is a neural network that estimates the share of Karenia for each buoy [1]. " * 5
    sensitive_sentences(answer, DEFAULT_TERMS)
    started = time.process_time()
    for _ in range(200):
        assert not sensitive_sentences(answer, DEFAULT_TERMS)
        assert not unlawful_sentences(answer)
        assert not is_delicate(WHO, answer)
    assert (time.process_time() - started) / 200 < 0.001


@pytest.mark.parametrize(
    ("question", "offered"),
    [
        ("Where can I download the leave form?", ["leave_form.docx"]),
        ("I need a form to fill in", ["leave_form.docx", "设备借用申请表.docx"]),
        ("在哪里下载设备借用申请表？", ["设备借用申请表.docx"]),
    ],
)
def test_forms_are_offered_with_buttons(ask: Ask, world: SystemWorld, question: str, offered: list[str]) -> None:
    _add_forms(world)
    view = ask(question)
    assert path(view) == FORM
    assert decisions(view, "plan") == ["form"]
    assert [name for _, name in view.forms] == offered
    assert all(name in view.answer for name in offered)
    assert view.outcome == AnswerOutcome.ANSWERED.value
    assert {tool.tool for step in view.steps for tool in step.tools} == {"get_form_download_links", "export_form_file"}
    again = ask(question, question, view.answer)
    assert (path(again), again.forms) == (FORM, view.forms)


def test_a_form_costs_no_model(world: SystemWorld) -> None:
    _add_forms(world)
    view = asked_of_a_model(world, "Where can I download the leave form?")
    assert (path(view), view.usage.model_calls) == (FORM, 0)


@pytest.mark.parametrize(
    "question", ["Where can I download the visa form?", "How do I fill in the leave form?", "请假表如何填写？"]
)
def test_a_form_that_is_not_there_and_how_one_is_filled_in_are_looked_up(
    ask: Ask, world: SystemWorld, question: str
) -> None:
    _add_forms(world)
    view = ask(question)
    assert "rewrite_query" in path(view)
    assert view.forms == ()


def test_a_document_that_is_no_form_is_not_offered(ask: Ask) -> None:
    assert "tool_executor" not in path(ask("Where can I download the handbook form?"))


@pytest.mark.parametrize("question", ["Who developed it?", "and its neighbours?"])
def test_a_follow_up_says_that_it_is_one(ask: Ask, question: str) -> None:
    leaning = ask(question, "What is KelpNet?", "A network [1].")
    assert dict(leaning.steps[3].details)["task"] == "follow-up"
    assert "task" not in dict(ask(WHO, "What is KelpNet?", "A network [1].").steps[3].details)


_STANDS = AnswerVerdict(supported=True, answers=True)


def _add_forms(world: SystemWorld) -> None:
    for name in ("leave_form.docx", "设备借用申请表.docx"):
        world.library.documents.mark_form(world.library.add(name, "Name and date."), True)
