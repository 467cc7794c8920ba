"""Not found: says what was searched, shows what comes closest, and invents nothing."""

from dataclasses import replace

from core.agents.nodes.answer.not_found import knowledge_fallback, not_found
from core.documents.model import DocumentStatus
from core.platform.texts import text
from core.runs.events import AnswerReady
from core.runs.model import AnswerOutcome, RunOptions
from core.search.model import Hit, Rejected
from tests.agents.nodes.conftest import Call
from tests.fakes import FakeLlm, World, state_of

SEARCHED = {"tried_queries": ("capital of France", "France capital"), "retrievals": 2}


def test_it_names_the_base_and_the_question_but_not_the_words_that_were_searched_for(call: Call, world: World) -> None:
    update = call(not_found, state_of("What is the capital of France?", **SEARCHED))
    assert "“Sample”" in update["draft"].answer
    assert "for “What is the capital of France?”, in 2 phrasings." in update["draft"].answer
    assert "France capital" not in update["draft"].answer
    assert update["draft"].citations == ()
    assert update["draft"].outcome == AnswerOutcome.NOT_FOUND.value
    assert update["shown"] == AnswerReady(update["draft"].answer, ())


def test_the_closest_passages_are_shown_with_their_places(call: Call) -> None:
    low = (Rejected("d1-2", 0.05, "run.rejected.low_score"),)
    update = call(not_found, state_of("Where was the network KelpNet sold?", rejected=low, **SEARCHED))
    nearest = "KelpNet is a neural network that estimates the share of Karenia."
    draft = update["draft"]
    assert (draft.answer, draft.outcome) == (
        text("answer.closest", scope="“Sample” (documents: 1)"),
        AnswerOutcome.CLOSEST,
    )
    passage = draft.passages[0]
    ((start, end),) = passage.marked
    assert (passage.number, passage.text[start:end], passage.folded) == (1, nearest, False)
    citation = draft.citations[0]
    assert (citation.chunk_id, citation.page, citation.text) == ("d1-1", 1, nearest)


def test_the_order_is_that_of_a_search_for_the_question_itself(call: Call, world: World) -> None:
    world.library.add("other.pdf", ("Other", "The network was sold."))
    other = (Rejected("d1-1", 0.3, "run.rejected.low_score"),)
    draft = call(not_found, state_of("Who bought the sold network?", rejected=other, **SEARCHED))["draft"]
    assert draft.passages[0].text == "The network was sold."


def test_what_is_far_from_the_question_is_shown_and_said_to_be_far(call: Call, world: World) -> None:
    world.library.add("other.pdf", ("Other", "A tide turns at noon in the harbour, as every sailor of the town knows."))
    asked = "Where do people of the village usually buy a new bicycle at noon?"
    low = (Rejected("d1-2", 0.05, "run.rejected.low_score"),)
    draft = call(not_found, state_of(asked, rejected=low, **SEARCHED))["draft"]
    assert (draft.answer, draft.outcome) == (
        text("answer.closest_far", scope="“Sample” (documents: 2)"),
        AnswerOutcome.CLOSEST,
    )
    assert draft.passages


def test_above_the_closest_passages_stands_how_many_of_the_chosen_documents_were_searched(
    call: Call, world: World
) -> None:
    world.library.add("other.pdf", ("Other", "The tide turns at noon."))
    low = (Rejected("d1-2", 0.05, "run.rejected.low_score"),)
    state = state_of("Where was the network KelpNet sold?", rejected=low, **SEARCHED)
    draft = call(not_found, replace(state, options=RunOptions(documents=("d1",))))["draft"]
    assert "“Sample” (chosen documents: 1)" in draft.answer


def test_another_language_is_named_as_the_reason_where_no_model_translates(call: Call, world: World) -> None:
    state = state_of("网络由谁开发？", language="zh-hans", hits=(Hit("d1-1", 0.4),), **SEARCHED)
    assert "内置引擎不会翻译" in call(not_found, state)["draft"].answer
    world.llm = FakeLlm()
    assert "不会翻译" not in call(not_found, state)["draft"].answer


def test_a_passage_in_the_language_of_the_question_is_not_called_foreign(call: Call, world: World) -> None:
    foreign = world.library.add("天气.pdf", ("天气", "今天的天气很好，海面平静。"))
    state = state_of("Where was the network KelpNet sold?", hits=(Hit(f"{foreign}-1", 0.4),), **SEARCHED)
    assert call(not_found, state)["draft"].answer == text("answer.closest_one", scope="“Sample” (documents: 2)")


def test_a_base_without_documents_says_so(call: Call, world: World) -> None:
    world.library.documents.kept.clear()
    draft = call(not_found, state_of("What?"))["draft"]
    assert "has no documents yet" in draft.answer
    assert draft.outcome == AnswerOutcome.UNREADY
    fixed = call(knowledge_fallback, state_of("What?"))["draft"]
    assert (fixed.answer, fixed.outcome) == (draft.answer, AnswerOutcome.UNREADY)


def test_documents_in_progress_are_no_empty_base(call: Call, world: World) -> None:
    world.library.documents.kept["d1"] = replace(world.library.documents.kept["d1"], status=DocumentStatus.RUNNING)
    assert "not ready yet" in call(not_found, state_of("What?"))["draft"].answer


def test_documents_that_are_still_being_read_are_counted_beside_those_that_were_searched(
    call: Call, world: World
) -> None:
    other = world.library.add("other.pdf", ("Other", "The tide turns at noon."))
    world.library.documents.kept[other] = replace(world.library.documents.kept[other], status=DocumentStatus.QUEUED)
    answer = call(not_found, state_of("What is the capital of France?", **SEARCHED))["draft"].answer
    assert "I searched “Sample” (documents: 1; 1 more still being read) for" in answer


def test_it_says_how_many_of_the_chosen_documents_were_searched_and_claims_no_more(call: Call, world: World) -> None:
    world.library.add("other.pdf", ("Other", "The tide turns at noon."))
    chosen = RunOptions(documents=("d1",))
    answer = call(not_found, state_of("What is the capital of France?", options=chosen, **SEARCHED))["draft"].answer
    assert answer.startswith("This search found no answer. I searched “Sample” (chosen documents: 1) for")
    usual = call(not_found, state_of("What is the capital of France?", **SEARCHED))["draft"].answer
    assert "I searched “Sample” (documents: 2) for" in usual
    assert "do not answer" not in answer + usual


def test_all_searched_bases_are_named(call: Call, world: World) -> None:
    world.library.bases.create("Archive")
    other = world.library.bases.named("Archive")
    assert other
    state = state_of("What is the capital of France?", options=RunOptions(bases=(other.id,)), **SEARCHED)
    assert "“Sample” (documents: 1) and “Archive” (documents: 0)" in call(not_found, state)["draft"].answer
