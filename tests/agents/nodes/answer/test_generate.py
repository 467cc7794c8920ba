"""Writing: quotes with numbers offline, a model's text with its numbers mended, stops and breaks survived."""

import pytest

import core.agents.nodes.answer.generate as generating
from core.agents.nodes.answer.generate import AnswerRequest, generate
from core.agents.nodes.answer.small_model import AnswerableRequest
from core.agents.state import State
from core.memory.model import MemoryKind
from core.platform.errors import BudgetError, CancelledError, ServiceError
from core.rulebook.assessing import rejections
from core.rulebook.assessing.answering import ANSWER_THRESHOLD, CERTAIN_THRESHOLD
from core.runs.events import AnswerDelta
from core.runs.model import AnswerOutcome
from core.search.model import Hit
from tests.agents.nodes.conftest import Call
from tests.fakes import FakeLlm, Said, World, memory_of, state_of

KEPT = (Hit("d1-1", 0.9), Hit("d1-2", 0.7))
EXCERPT = "Buoys are calibrated."


def asked(question: str, **fields: object) -> State:
    return state_of(question, kept=KEPT, **fields)


def streamed(world: World) -> str:
    return "".join(event.text for event in world.of(AnswerDelta) if isinstance(event, AnswerDelta))


def test_the_rule_quotes_the_best_sentence_and_cites_its_place(call: Call, world: World) -> None:
    update = call(generate, asked("Who developed KelpNet?"))
    assert "It was developed by Lena Vogt.” [1]" in update["draft"].answer
    (citation,) = update["draft"].citations
    assert (citation.number, citation.chunk_id, citation.document_name) == (1, "d1-1", "handbook.pdf")
    assert citation.page == 1
    assert citation.boxes == ((1, (100, 110, 900, 150)),)
    assert citation.text.endswith("It was developed by Lena Vogt.")
    assert streamed(world) == update["draft"].answer


def test_the_frame_is_in_the_language_of_the_question_and_the_quote_in_the_documents(call: Call) -> None:
    state = state_of("校准层是什么？", language="zh-hans", kept=(Hit("d1-3", 0.9),))
    answer = call(generate, state)["draft"].answer
    assert answer.startswith("您的文档这样说明：")
    assert "“校准层是指为每个浮标单独拟合的一组参数。” [1]" in answer


def test_a_quote_follows_a_full_width_colon_without_a_blank(call: Call) -> None:
    state = state_of("红色预警由谁批准？", language="zh-hans", kept=(Hit("d1-3", 0.9),))
    assert "：“" in call(generate, state)["draft"].answer


@pytest.mark.parametrize(
    ("text", "opening"),
    [
        ("Otters eat fish, and badgers eat worms.", "From your documents: "),
        ("Otters eat fish in the river.\n\nBadgers eat worms in the wood.", "What your documents say on each side:"),
    ],
)
def test_two_sides_are_announced_where_there_are_two(
    call: Call, world: World, monkeypatch: pytest.MonkeyPatch, text: str, opening: str
) -> None:
    monkeypatch.setattr(rejections, "probability", lambda features, encoder: CERTAIN_THRESHOLD)
    id = world.library.add("animals.pdf", text)
    state = state_of("What is the difference between otters and badgers?", kept=(Hit(f"{id}-0", 0.9),))
    assert call(generate, state)["draft"].answer.startswith(opening)


@pytest.mark.parametrize(
    ("probability", "opening"), [(CERTAIN_THRESHOLD, "**Lena Vogt**"), (ANSWER_THRESHOLD, "Probably this")]
)
def test_a_less_likely_answer_says_so_and_claims_no_value(
    call: Call, monkeypatch: pytest.MonkeyPatch, probability: float, opening: str
) -> None:
    monkeypatch.setattr(rejections, "probability", lambda features, encoder: probability)
    assert call(generate, asked("Who developed KelpNet?"))["draft"].answer.startswith(opening)


def test_a_models_sentences_are_cited_by_what_bears_them_out(call: Call, world: World) -> None:
    world.llm = FakeLlm(
        generate=Said(
            "Buoys are calibrated every 90 da", "ys [", "2]. Lena Vogt developed", " it [1", "][7]. Both [1, 2]."
        )
    )
    update = call(generate, asked("What is done?"))
    assert update["draft"].answer == "Buoys are calibrated every 90 days [1]. Lena Vogt developed it [2]. Both."
    assert [(c.number, c.chunk_id) for c in update["draft"].citations] == [(1, "d1-2"), (2, "d1-1")]
    assert streamed(world) == "Buoys are calibrated every 90 days [1]. Lena Vogt developed it [2]. Both [2][1]."
    assert update["draft"].citations[0].text == "Each buoy is lifted, cleaned and calibrated every 90 days."


def test_the_model_is_given_passages_memories_and_the_resolved_question(call: Call, world: World) -> None:
    world.memories.save(memory_of("Answer briefly", MemoryKind.PREFERENCE))
    world.llm = FakeLlm(generate=Said("Yes [1]."))
    call(
        generate, asked("and it?", resolved_question="Who developed KelpNet?", memory_ids=("m-Answer briefly", "gone"))
    )
    ((_, request),) = world.llm.requests
    assert isinstance(request, AnswerRequest)
    assert request.question == "Who developed KelpNet?"
    assert [passage.chunk.id for passage in request.passages] == ["d1-1", "d1-2"]
    assert [memory.text for memory in request.memories] == ["Answer briefly"]


def test_a_model_that_breaks_off_leaves_what_it_wrote(call: Call, world: World) -> None:
    world.llm = FakeLlm(generate=Said("Lena Vogt developed it [1]. And ", ServiceError("llm.timeout")))
    update = call(generate, asked("Who developed KelpNet?"))
    assert update["draft"].answer == "Lena Vogt developed it [1]. And"
    assert update["draft"].interrupted is True
    assert update["draft"].verdict_reason == "llm.timeout"
    assert len(update["draft"].citations) == 1


def test_without_budget_the_rule_writes(call: Call, world: World) -> None:
    world.llm = FakeLlm(generate=BudgetError("llm.budget_calls"))
    assert "Lena Vogt" in call(generate, asked("Who developed KelpNet?"))["draft"].answer


def test_a_stop_ends_the_writing_at_once(call: Call, world: World) -> None:
    world.llm = FakeLlm(generate=Said("One. ", "Two. ", "Three."))
    world.meter.stopped = lambda: bool(world.of(AnswerDelta))
    with pytest.raises(CancelledError):
        call(generate, asked("Who?"))
    assert streamed(world) == "One."


def test_nothing_to_quote_writes_nothing(call: Call, world: World) -> None:
    update = call(generate, state_of("Who?", kept=(Hit("gone", 0.9),)))
    assert update["draft"].answer == ""
    assert update["draft"].citations == ()


def test_neighbours_are_listed_with_a_sentence_that_has_them(call: Call) -> None:
    answer = call(generate, asked("What are the neighbours of KelpNet?"))["draft"].answer
    assert answer.startswith("Mentioned together with it in your documents:")
    assert "- Lena Vogt: “It was developed by Lena Vogt.” [1]" in answer


@pytest.mark.parametrize(
    "said", [("NOT ANS", "WERED: no price is", " named."), ("**Not answered:** no price is named.",)]
)
def test_a_models_refusal_is_no_answer_and_nobody_sees_it(call: Call, world: World, said: tuple[str, ...]) -> None:
    world.llm = FakeLlm(generate=Said(*said))
    update = call(generate, asked("What does KelpNet cost?", outcome=AnswerOutcome.ANSWERED))
    assert (update["draft"].answer, update["draft"].citations, update["draft"].outcome) == ("", (), None)
    assert update["draft"].verdict_reason == "no price is named."
    assert world.of(AnswerDelta) == []


def test_an_answer_that_begins_like_a_refusal_is_shown_whole(call: Call, world: World) -> None:
    world.llm = FakeLlm(generate=Said("No", "t", " answer", " but data [1]."))
    assert call(generate, asked("What is it?"))["draft"].answer == "Not answer but data [1]."
    assert streamed(world) == "Not answer but data [1]."


@pytest.mark.parametrize("said", ["Yes", "yes, they do", "**Yes**", "是。"])
def test_a_small_model_writes_where_it_says_that_the_passages_tell(call: Call, world: World, said: str) -> None:
    world.small_model = True
    world.llm = FakeLlm(can_answer=Said(said), write_answer=Said("Lena Vogt", " developed it."))
    draft = call(generate, asked("Why was KelpNet developed?"))["draft"]
    assert (draft.answer, streamed(world)) == ("Lena Vogt developed it [1].", "Lena Vogt developed it.")
    assert draft.citations[0].text == "It was developed by Lena Vogt."


@pytest.mark.parametrize("said", ["No", "no, nothing is said of it", "NOT ANSWERED", "否"])
def test_a_small_model_that_says_no_is_not_asked_to_write(call: Call, world: World, said: str) -> None:
    world.small_model = True
    world.llm = FakeLlm(can_answer=Said(said))
    draft = call(generate, asked("Why was KelpNet developed?"))["draft"]
    assert (draft.answer, draft.verdict_reason, world.of(AnswerDelta)) == ("", "run.reason.model_denied", [])


@pytest.mark.parametrize(("certainty", "is_taken"), [(-0.1, True), (None, True), (-0.4, False)])
def test_words_of_which_a_small_model_is_not_sure_are_no_answer(
    call: Call, world: World, certainty: float | None, is_taken: bool
) -> None:
    world.small_model = True
    world.llm = FakeLlm(can_answer=Said("Yes"), write_answer=Said("Lena Vogt developed it.", certainty=certainty))
    draft = call(generate, asked("Why was KelpNet developed?"))["draft"]
    assert bool(draft.answer and draft.citations) is is_taken
    assert draft.verdict_reason == ("" if is_taken else "run.reason.model_unsure")


@pytest.mark.parametrize(("written", "is_taken"), [("In 2021 by Lena Vogt.", True), ("By Lena Vogt.", False)])
def test_words_of_a_small_model_without_what_is_asked_for_are_no_answer(
    call: Call, world: World, written: str, is_taken: bool
) -> None:
    world.small_model = True
    world.llm = FakeLlm(can_answer=Said("Yes"), write_answer=Said(written))
    draft = call(generate, asked("When was KelpNet developed?"))["draft"]
    assert draft.verdict_reason == ("" if is_taken else "run.reason.model_untold")


def test_passages_that_a_small_model_copies_are_no_answer(call: Call, world: World) -> None:
    world.small_model = True
    copied = "<passages>\nIt was developed by Lena Vogt.\n</passages>"
    world.llm = FakeLlm(can_answer=Said("Yes"), write_answer=Said(copied))
    draft = call(generate, asked("Why was KelpNet developed?"))["draft"]
    assert (draft.answer, draft.verdict_reason) == ("", "run.reason.model_copied")


def test_what_a_small_model_writes_behind_its_yes_is_not_waited_for(call: Call, world: World) -> None:
    world.small_model = True
    world.llm = FakeLlm(can_answer=Said("Yes", ServiceError("llm.cut_short")), write_answer=Said("Lena Vogt did."))
    assert call(generate, asked("Why was KelpNet developed?"))["draft"].answer == "Lena Vogt did [1]."


def test_a_small_model_reads_excerpts_and_is_cited_by_the_whole_passages(
    call: Call, world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(generating, "excerpts", lambda view, tokens: {1: EXCERPT})
    world.small_model = True
    world.llm = llm = FakeLlm(can_answer=Said("Yes"), write_answer=Said("Buoys are calibrated every 90 days [1]."))
    draft = call(generate, asked("Why are buoys calibrated?"))["draft"]
    for _, request in llm.requests:
        assert isinstance(request, AnswerRequest | AnswerableRequest)
        assert [passage.chunk.text for passage in request.passages] == [EXCERPT]
    assert [citation.chunk_id for citation in draft.citations] == ["d1-2"]


def test_a_small_model_is_not_asked_for_a_value_that_the_rules_are_certain_of(call: Call, world: World) -> None:
    world.small_model = True
    world.llm = FakeLlm()
    assert call(generate, asked("Who developed KelpNet?"))["draft"].answer.startswith("**Lena Vogt**")


def test_in_doubt_the_rule_quotes_nothing_when_the_model_fails(call: Call, world: World) -> None:
    world.llm = FakeLlm(generate=BudgetError("llm.budget_calls"))
    unlikely = asked("Who developed KelpNet?", in_doubt=True, likelihood=0.0)
    assert call(generate, unlikely)["draft"].answer == ""
    unweighed = asked("Who developed KelpNet?", in_doubt=True)
    assert "Lena Vogt" in call(generate, unweighed)["draft"].answer


def test_a_part_without_an_answer_shows_what_comes_closest_to_it(call: Call) -> None:
    answer = call(generate, asked("Who developed KelpNet and what does KelpNet cost?"))["draft"].answer
    first, _, second = answer.partition("### What does KelpNet cost?")
    assert "Lena Vogt" in first
    assert "These sentences come closest" in second
    assert "\n- “KelpNet" in second
