"""Checking: support sentence by sentence, two corrections, then an honest end."""

import pytest

from core.agents.nodes.check.check_answer import (
    AnswerVerdict,
    CheckOutcome,
    CheckRequest,
    check_answer,
    judged_by_words,
)
from core.agents.state import State
from core.runs.events import AnswerReset
from core.runs.model import AnswerOutcome
from core.search.model import Citation, Hit, Passage
from tests.agents.nodes.conftest import Call
from tests.fakes import FakeLlm, World, chunk_of, state_of

GOOD = "KelpNet was developed by Lena Vogt [1]."
WRONG = "KelpNet was sold in 1997 to a bank in Paris for nine million dollars [1]."
UNSURE = "What does KelpNet cost?"
"""A question that the rules do not answer."""


def written(answer: str, question: str = "Who developed KelpNet?", **fields: object) -> State:
    citation = Citation(1, "d1-1", "d1", "handbook.pdf", 1, (), "quote", 0.9)
    made: dict[str, object] = {"kept": (Hit("d1-1", 0.9),), "answer": answer, "citations": (citation,)}
    return state_of(question, **(made | fields))


def test_a_supported_answer_is_ready(call: Call, world: World) -> None:
    update = call(check_answer, written(GOOD))
    assert update["note"].outcome == CheckOutcome.FINE
    assert update["draft"].outcome == AnswerOutcome.ANSWERED.value
    draft = update["draft"]
    assert (draft.answer, draft.unsupported, len(draft.citations)) == (GOOD, (), 1)
    assert "shown" not in update


def test_a_clear_answer_asks_no_model(call: Call, world: World) -> None:
    world.llm = FakeLlm()
    assert call(check_answer, written(GOOD))["draft"].outcome == AnswerOutcome.ANSWERED.value


def test_an_unsupported_answer_is_withdrawn_and_tried_again(call: Call, world: World) -> None:
    update = call(check_answer, written(WRONG, UNSURE))
    assert update["note"].outcome == CheckOutcome.RETRY
    assert update["draft"].verdict_reason == "run.reason.answer_unsupported"
    assert update["draft"].citations == ()
    assert update["shown"] == AnswerReset("run.reason.answer_unsupported")


def test_only_an_outline_passes_unread(call: Call, world: World) -> None:
    done = {"outcome": AnswerOutcome.ANSWERED}
    update = call(check_answer, written(WRONG, UNSURE, outline=True, **done))
    assert update["note"].outcome == CheckOutcome.FINE
    update = call(check_answer, written(WRONG, UNSURE, **done))
    assert update["note"].outcome == CheckOutcome.RETRY


def test_after_two_corrections_an_answer_is_shown_as_unconfirmed(call: Call, world: World) -> None:
    assert call(check_answer, written(WRONG, UNSURE, corrections=1))["note"].outcome == CheckOutcome.RETRY
    update = call(check_answer, written(WRONG, UNSURE, corrections=2))
    assert update["note"].outcome == CheckOutcome.GIVE_UP
    assert update["draft"].outcome == AnswerOutcome.UNCONFIRMED.value
    assert update["draft"].answer.startswith(WRONG)
    assert "could not be confirmed" in update["draft"].answer
    assert update["draft"].unsupported == ("KelpNet was sold in 1997 to a bank in Paris for nine million dollars.",)


def test_one_wrong_sentence_of_four_is_marked_not_withdrawn(call: Call, world: World) -> None:
    fine = "KelpNet is a neural network [1]. It estimates the share of Karenia [1]. It was developed by Lena Vogt [1]."
    update = call(check_answer, written(f"{fine} It cost 900 euros [1]."))
    assert update["draft"].outcome == AnswerOutcome.ANSWERED.value
    assert update["draft"].unsupported == ("It cost 900 euros.",)


def test_an_answer_without_a_citation_is_none(call: Call) -> None:
    says_no = "The passages do not tell who developed it."
    assert call(check_answer, written(says_no, UNSURE, citations=()))["note"].outcome == CheckOutcome.RETRY
    update = call(check_answer, written(says_no, UNSURE, citations=(), corrections=2))
    assert update["note"].outcome == CheckOutcome.NOTHING


def test_rows_that_were_compared_answer_in_other_words() -> None:
    table = "Bus lines\n\nRoute | Fare (EUR)\nNordby | 6.5\nBallen | 24\nFynshav | 15"
    passages = (Passage(chunk_of("d", 0, table, ()), "bus.csv", 0.9),)
    asked = "Which route is the cheapest?"
    answer = "**{}**: “Route: Nordby; Fare (EUR): 6.5” [1]"
    assert judged_by_words(CheckRequest(asked, answer.format("Nordby: 6.5 EUR"), passages)).answers
    assert not judged_by_words(CheckRequest(asked, answer.format("Nordby"), passages)).answers


def test_the_model_decides_where_words_differ(call: Call, world: World) -> None:
    world.llm = FakeLlm(check_answer=AnswerVerdict(supported=True, answers=True))
    update = call(check_answer, written("A researcher called Vogt created that system herself [1]."))
    assert update["draft"].outcome == AnswerOutcome.ANSWERED.value
    assert update["draft"].unsupported == ()


def test_no_correction_when_the_time_is_up(call: Call, world: World) -> None:
    world.meter.seconds = 0
    assert call(check_answer, written(WRONG, UNSURE))["note"].outcome == CheckOutcome.GIVE_UP


def test_a_broken_off_answer_is_kept_and_marked(call: Call, world: World) -> None:
    update = call(check_answer, written(GOOD, interrupted=True, verdict_reason="llm.timeout"))
    assert update["draft"].outcome == AnswerOutcome.UNCONFIRMED.value
    assert "incomplete" in update["draft"].answer
    assert "shown" not in update


def test_what_a_model_refused_to_answer_is_searched_again_for_what_it_missed(call: Call, world: World) -> None:
    world.llm = FakeLlm()
    update = call(check_answer, written("", UNSURE, citations=(), verdict_reason="No price is named."))
    assert update["note"].outcome == CheckOutcome.RETRY
    assert update["draft"].verdict_reason == "No price is named."
    assert world.events == []


@pytest.mark.parametrize("interrupted", [False, True])
@pytest.mark.parametrize("answer", ["", WRONG])
def test_the_rules_answer_takes_the_place_of_one_that_does_not_stand(
    call: Call, world: World, answer: str, interrupted: bool
) -> None:
    world.llm = FakeLlm(check_answer=AnswerVerdict(supported=False, answers=True))
    update = call(check_answer, written(answer, interrupted=interrupted, citations=()))
    assert update["note"].outcome == CheckOutcome.FINE
    assert update["draft"].answer.startswith("**Lena Vogt**: “KelpNet is a neural network")
    assert update["draft"].answer.endswith("The text above is what the search found without a model.")
    assert update["draft"].outcome is AnswerOutcome.ANSWERED
    assert isinstance(update["shown"], AnswerReset)


@pytest.mark.parametrize("is_small", [True, False])
def test_what_a_small_model_writes_answers_as_it_said_itself_if_passages_bear_it_out(
    call: Call, world: World, is_small: bool
) -> None:
    world.small_model = is_small
    update = call(check_answer, written("The buoys are blue [1].", "Who paints KelpNet in Rotterdam each summer?"))
    assert update["draft"].verdict_reason == "run.reason.answer_unsupported"
    beside = written("It was developed by Lena Vogt [1].", "Who paints bridges in Rotterdam each summer?")
    assert (call(check_answer, beside)["note"].outcome == CheckOutcome.FINE) is is_small
