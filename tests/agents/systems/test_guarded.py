"""Graded retrieval and checked answers: two loops with their own counters, fixed replies, nothing shown unchecked."""

from pathlib import Path

import pytest

from core.agents.nodes.check.compliance_rules import (
    DEFAULT_TERMS,
    baseless_sentences,
    sensitive_sentences,
    unlawful_sentences,
    without_sentences,
)
from core.agents.nodes.check.evaluate_compliance import ComplianceVerdict
from core.agents.nodes.plan.route_query import RouteChoice, SearchRoute
from core.agents.nodes.search.grade_evidence import Grades
from core.agents.nodes.search.rewrite_query import SearchTerms
from core.models.chat.llm import ChatLlm
from core.platform.settings.settings import load_settings
from core.platform.texts import text
from core.runs.events import AnswerDelta, AnswerReady, PassagesGraded
from core.runs.history.view import RunView
from core.runs.model import AnswerOutcome
from tests.agents.systems.conftest import SystemWorld, decisions, path, run
from tests.fakes import FakeLlm, Said
from tests.loopback.answers import Reply
from tests.loopback.openai_server import OpenAiServer
from tests.models.chat.examples import impatient

SEARCH = ["retrieve", "evaluate_relevance"]
ANSWERED = ["router", "rewrite", *SEARCH, "generate", "evaluate_compliance"]
NOT_FOUND = ["router", "rewrite", *SEARCH, *["rewrite_relevance", *SEARCH] * 2, "knowledge_fallback"]
DIRECT = ["router", "direct_answer", "evaluate_compliance"]
FINE = ComplianceVerdict()
UNLAWFUL = [
    "make explosives", "build grenades", "cook methamphetamine", "synthesise nerve agents", "assemble ghost guns",
    "evade taxes", "launder money", "forge the signature", "counterfeit", "hack into it", "break into it", "steal it",
    "bribe them", "blackmail them", "stalk them",
]  # fmt: skip
UNLAWFUL_ZH = [
    "制造炸弹", "合成炸药", "制作毒品", "合成冰毒", "组装枪支", "偷税", "逃税", "洗钱", "伪造护照", "行贿", "入侵系统",
    "盗窃", "敲诈",
]  # fmt: skip
"""One for each act that is advised against."""
WORDS = SearchTerms(query="KelpNet developed Lena Vogt", reason="Names.")


@pytest.mark.parametrize(
    ("question", "outcome", "words", "nodes"),
    [
        ("Who developed KelpNet?", AnswerOutcome.ANSWERED, "Lena Vogt", ANSWERED),
        ("How often is a buoy calibrated?", AnswerOutcome.ANSWERED, "every 90 days", ANSWERED),
        ("校准层是什么？", AnswerOutcome.ANSWERED, "一组参数", ANSWERED),
        ("谁是站长？", AnswerOutcome.ANSWERED, "林雨晴", ANSWERED),
        ("hello", AnswerOutcome.DIRECT, "Hello!", DIRECT),
        ("你好", AnswerOutcome.DIRECT, "您好", DIRECT),
        ("set an alarm for 7", AnswerOutcome.OUT_OF_SCOPE, "cannot", DIRECT),
        ("What is the capital of France?", AnswerOutcome.NOT_FOUND, text("answer.not_found.fixed"), NOT_FOUND),
        ("站长的电话号码是多少？", AnswerOutcome.CLOSEST, "没有检索到答案", NOT_FOUND),
    ],
)
def test_scenarios_without_a_model(
    world: SystemWorld, question: str, outcome: AnswerOutcome, words: str, nodes: list[str]
) -> None:
    view = run("guarded", world, question)
    assert path(view) == nodes
    assert view.outcome == outcome.value
    assert words in view.answer


def asked_of_a_model(world: SystemWorld, said: str, *more: Reply, question: str = "Who developed KelpNet?") -> RunView:
    """With the answer that a model writes, and what it says before or after it."""
    before, after = more[:-1], more[-1:]
    with OpenAiServer([*before, Reply(said), *after]) as server:
        llm = ChatLlm(impatient(server.base_url))
        view = run("guarded", world, question, llm=llm)
        llm.close()
    return view


def test_a_clear_answer_costs_one_call(world: SystemWorld) -> None:
    """A name of the graph needs no other words, a claim that stands in the passages no judge."""
    view = asked_of_a_model(world, "KelpNet was developed by Lena Vogt [1].")
    assert path(view) == ANSWERED
    assert [call.task for step in view.steps for call in step.calls] == ["generate"]
    assert view.outcome == AnswerOutcome.ANSWERED.value
    assert view.citations[0].document_name == "handbook.pdf"


@pytest.mark.parametrize(
    "said",
    [
        "KelpNet was developed by Lena Vogt [1]. It was sold to a bank.",
        "KelpNet was developed by Lena Vogt [1] and kills nobody.",
        "KelpNet由Lena Vogt开发，用于估计份额 [1]。",
    ],
)
def test_what_words_cannot_settle_is_judged_by_the_model(world: SystemWorld, said: str) -> None:
    view = asked_of_a_model(world, said, Reply(FINE.model_dump_json()))
    assert [call.task for step in view.steps for call in step.calls] == ["generate", "evaluate_compliance"]
    assert path(view) == ANSWERED


@pytest.mark.parametrize(
    ("question", "asked"), [("Which days matter for the crew?", True), ("Who runs KelpNet?", False)]
)
def test_a_question_without_known_words_is_widened_by_the_model(world: SystemWorld, question: str, asked: bool) -> None:
    world.llm = FakeLlm(
        route_query=RouteChoice(route=SearchRoute.DIRECT_CHUNK_SEARCH, question=question),
        expand_query=SearchTerms(query="buoy calibrated days"),
        grade_evidence=Grades(relevant=[1]),
        generate=Said("Each buoy is lifted, cleaned and calibrated every 90 days by the crew [1]."),
        evaluate_compliance=FINE,
    )
    run("guarded", world, question)
    assert ("expand_query" in [name for name, _ in world.llm.requests]) is asked


def test_the_first_search_is_widened_by_other_words(world: SystemWorld) -> None:
    world.graph.add("Karenia", aliases=("red tide",))
    run("guarded", world, "What estimates the share of Karenia?")
    assert "red tide" in world.retriever.asked[0][1]


def test_the_answer_is_written_with_the_conversation(world: SystemWorld) -> None:
    world.llm = FakeLlm(
        route_query=RouteChoice(route=SearchRoute.DIRECT_CHUNK_SEARCH, question="Who developed KelpNet?"),
        generate=Said("KelpNet was developed by Lena Vogt [1]."),
        evaluate_compliance=FINE,
    )
    run("guarded", world, "Who developed it?", ("What is KelpNet?", "A network [1]."))
    asked = next(request for name, request in world.llm.requests if name == "generate")
    assert [turn.text for turn in asked.history] == ["What is KelpNet?", "A network [1]."]  # type: ignore[attr-defined]


def test_where_a_model_refuses_the_rules_answer(world: SystemWorld) -> None:
    world.llm = FakeLlm(generate=Said("NOT ANSWERED: the passages name no price."), evaluate_compliance=FINE)
    view = run("guarded", world, "Who developed KelpNet?")
    assert path(view) == ANSWERED
    assert view.outcome == AnswerOutcome.ANSWERED.value
    assert "Lena Vogt" in view.answer
    assert view.answer.endswith(text("answer.by_rules"))


def test_a_document_that_is_named_is_searched_first_and_then_the_others_too(world: SystemWorld) -> None:
    world.library.add("log.pdf", ("Crew", "Ida Holm leads the crew and keeps the log."))
    view = run("guarded", world, "Who leads the crew according to the Station Handbook?")
    graded = [event for event in world.events if isinstance(event, PassagesGraded)]
    names = [{item.document_name for item in (*each.kept, *each.rejected)} for each in graded]
    assert names[0] == {"handbook.pdf"}
    assert "log.pdf" in names[1]
    assert any("Ida Holm" in passage.text for passage in view.passages)
    assert view.outcome == AnswerOutcome.CLOSEST, "it does not stand in the document that was named"


def test_nothing_is_written_from_nothing(world: SystemWorld) -> None:
    world.llm = FakeLlm(
        route_query=RouteChoice(route=SearchRoute.DIRECT_CHUNK_SEARCH, question="What is the capital of France?"),
        expand_query=SearchTerms(query="capital France"),
        rewrite_query=[SearchTerms(query="Paris"), SearchTerms(query="seat of government")],
    )
    view = run("guarded", world, "What is the capital of France?")
    assert decisions(view, "evaluate_relevance") == ["retry", "retry", "nothing"]
    assert "generate" not in path(view)
    assert view.answer == text("answer.not_found.fixed")


def test_direct_answers_pass_the_compliance_check(world: SystemWorld) -> None:
    """The original let them out unchecked."""
    world.llm = FakeLlm(
        direct_answer=Said("Hello! Here is how to make a bomb."),
        evaluate_compliance=FINE,
        fix_generation=Said("Hello!"),
    )
    view = run("guarded", world, "hello")
    assert path(view) == [*DIRECT, "fix_generation", "evaluate_compliance"]
    assert view.answer == "Hello!"


def test_a_violation_is_named_to_the_writer_and_mended(world: SystemWorld) -> None:
    wrong = "It was sold to a bank in 1997."
    world.llm = FakeLlm(
        expand_query=WORDS,
        generate=Said(f"KelpNet was developed by Lena Vogt [1]. {wrong}"),
        evaluate_compliance=[ComplianceVerdict(contradicted=[wrong]), FINE],
        fix_generation=Said("KelpNet was developed by Lena Vogt [1]."),
    )
    view = run("guarded", world, "Who developed KelpNet?")
    assert decisions(view, "evaluate_compliance") == ["fix", "compliant"]
    assert view.answer == "KelpNet was developed by Lena Vogt [1]."
    asked = next(request for name, request in world.llm.requests if name == "fix_generation")
    assert asked.violations == (f"unsupported: {wrong}",)  # type: ignore[attr-defined]


def test_no_reader_sees_an_answer_before_it_passed(world: SystemWorld) -> None:
    world.llm = FakeLlm(
        expand_query=WORDS,
        generate=Said("A mass shooting happened [1]."),
        evaluate_compliance=FINE,
        fix_generation=Said("KelpNet was developed by Lena Vogt [1]."),
    )
    view = run("guarded", world, "Who developed KelpNet?")
    assert world.of(AnswerDelta) == []
    (ready,) = world.of(AnswerReady)
    assert isinstance(ready, AnswerReady)
    assert "shooting" not in ready.text
    assert view.outcome == AnswerOutcome.ANSWERED.value


def test_after_two_mends_the_safe_reply_is_given(world: SystemWorld) -> None:
    bad = Said("A suicide bombing was planned [1].")
    world.llm = FakeLlm(expand_query=WORDS, generate=bad, evaluate_compliance=FINE, fix_generation=bad)
    view = run("guarded", world, "Who developed KelpNet?")
    assert decisions(view, "evaluate_compliance") == ["fix", "fix", "safe_reply"]
    assert path(view)[-1] == "fallback_safe"
    assert (view.outcome, view.answer) == (AnswerOutcome.SAFE_REPLY.value, text("answer.safe_reply"))


def test_the_two_loops_count_apart(world: SystemWorld) -> None:
    bad = Said("A suicide bombing was planned [1].")
    question = "Which days matter for the crew?"
    world.llm = FakeLlm(
        route_query=RouteChoice(route=SearchRoute.DIRECT_CHUNK_SEARCH, question=question),
        expand_query=SearchTerms(query="zzz"),
        rewrite_query=SearchTerms(query="crew calibrated"),
        grade_evidence=Grades(relevant=[1]),
        generate=bad,
        evaluate_compliance=FINE,
        fix_generation=bad,
    )
    view = run("guarded", world, question)
    assert decisions(view, "evaluate_relevance") == ["retry", "found"]
    assert decisions(view, "evaluate_compliance") == ["fix", "fix", "safe_reply"]


def test_the_rules_mend_by_leaving_out(world: SystemWorld) -> None:
    drill = "In June a mass shooting drill was staged on Buoy Seven by the harbour police."
    crew = "Ida Holm leads the crew of Buoy Seven and keeps its log."
    world.library.add("log.pdf", ("Crew", crew), ("Alarms", drill))
    world.graph.add("Buoy Seven", "TECHNOLOGY")
    view = run("guarded", world, "What is related to Buoy Seven?")
    assert decisions(view, "evaluate_compliance") == ["fix", "compliant"]
    assert view.outcome == AnswerOutcome.ANSWERED.value
    assert view.answer == f"From your documents:\n\n- “{crew}” [1]"
    assert [citation.page for citation in view.citations] == [0]


def test_where_the_rules_leave_nothing_there_is_no_answer(world: SystemWorld) -> None:
    world.library.add("log.pdf", ("Alarms", "Buoy Seven holds a mass shooting drill in June."))
    view = run("guarded", world, "When does Buoy Seven hold a drill?")
    assert decisions(view, "evaluate_compliance") == ["fix", "nothing"]
    assert (path(view)[-1], view.answer) == ("knowledge_fallback", text("answer.not_found.fixed"))


def test_a_second_question_resolves_and_counts_anew(world: SystemWorld) -> None:
    view = run("guarded", world, "Who developed it?", ("What is KelpNet?", "A network [1]."))
    assert path(view) == ANSWERED
    assert dict(view.steps[0].details)["resolved"] == "Who developed KelpNet?"


@pytest.mark.parametrize(
    ("answer", "sensitive", "unlawful"),
    [
        ("The buoy is calibrated.", 0, 0),
        ("A Suicide  Bombing was planned.", 1, 0),
        ("文件提到恐怖袭击。", 1, 0),
        ("文件提到恐怖襲擊。", 1, 0),
        ("You can build a small bomb from it. The end.", 0, 1),
        ("It is illegal to build a bomb.", 0, 0),
        ("首先可以伪造护照。", 0, 1),
        ("法律禁止任何人伪造护照。", 0, 0),
        ("Therapist attackers", 0, 0),
        *((f"You should {act} today.", 0, 1) for act in UNLAWFUL),
        *((f"首先{act}。", 0, 1) for act in UNLAWFUL_ZH),
    ],
)
def test_what_the_rules_call_sensitive_or_unlawful(answer: str, sensitive: int, unlawful: int) -> None:
    assert len(sensitive_sentences(answer, DEFAULT_TERMS)) == sensitive
    assert len(unlawful_sentences(answer)) == unlawful


def test_sentences_are_left_out_with_their_markers() -> None:
    answer = "One thing [1]. Two things [2][3]. Three things [4].\n\n- “A bad one.” [5]\n- “A good one.” [6]"
    assert without_sentences(answer, ["Two things", "A bad one."]) == (
        "One thing [1]. Three things [4].\n\n- “A good one.” [6]"
    )


def test_an_answer_without_claims_lacks_no_support() -> None:
    assert baseless_sentences("", ()) == []


def test_the_list_of_terms_can_be_edited(tmp_path: Path) -> None:
    assert load_settings(tmp_path).sensitive_terms is None
    (tmp_path / "sensitive_terms.txt").write_text("# ours\nproject heron\n\n", encoding="utf-8")
    terms = load_settings(tmp_path).sensitive_terms
    assert terms == ("project heron",)
    assert sensitive_sentences("Project Heron began.", terms)
