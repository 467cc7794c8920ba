"""Grading: what bears on the question is kept, everything else is rejected with a reason."""

from dataclasses import replace
from functools import partial

from core.agents.nodes.evidence import passages_of
from core.agents.nodes.search.grade_evidence import (
    SUPPORTED,
    EvidenceOutcome,
    Grades,
    evaluate_relevance,
    grade_evidence,
    sift,
)
from core.graph.questions import GraphAsked
from core.runs.events import GraphTouched, PassagesGraded
from core.runs.model import RunOptions
from core.search.model import Hit
from tests.agents.nodes.conftest import Call
from tests.fakes import FakeLlm, World, state_of

ABOUT_THE_MAKER = "KelpNet 的作者是谁？"
HITS = (Hit("d1-1", 0.9, ("lexical",)), Hit("d1-2", 0.7, ("lexical",)))


def test_the_rule_keeps_what_answers_and_says_why_not_for_the_rest(call: Call, world: World) -> None:
    update = call(grade_evidence, state_of("Who developed KelpNet?", hits=HITS))
    assert [hit.chunk_id for hit in update["search"].kept] == ["d1-1"]
    assert [(item.chunk_id, item.reason) for item in update["search"].rejected] == [("d1-2", "run.rejected.off_topic")]
    assert update["note"].outcome == EvidenceOutcome.FOUND
    (graded,) = world.of(PassagesGraded)
    assert isinstance(graded, PassagesGraded)
    assert graded.kept[0].text.startswith("KelpNet is a neural network")
    assert graded.rejected[0].reason == "run.rejected.off_topic"


def test_entities_of_the_kept_passages_and_of_the_question_are_touched(call: Call, world: World) -> None:
    call(grade_evidence, state_of("Who developed KelpNet?", hits=HITS))
    assert world.of(GraphTouched) == [GraphTouched("grade_evidence", ("e-KelpNet", "e-Lena Vogt"))]


def test_a_connection_is_answered_only_where_sentences_in_a_row_name_both(call: Call) -> None:
    for names, found in ((("KelpNet", "Lena Vogt"), True), (("KelpNet", "Marlow"), False)):
        asked = state_of("Who developed KelpNet?", hits=HITS)
        asked = replace(asked, search=replace(asked.search, asked=GraphAsked(names=names)))
        assert bool(call(grade_evidence, asked)["search"].kept) is found


def test_passages_that_speak_of_the_name_alone_do_not_answer(call: Call) -> None:
    update = call(grade_evidence, state_of("Where was Lena Vogt born?", hits=HITS))
    assert update["search"].kept == ()
    assert update["note"].outcome == EvidenceOutcome.RETRY
    assert update["draft"].verdict_reason == "run.reason.evidence_short"


def test_after_the_last_correction_nothing_is_nothing(call: Call) -> None:
    update = call(grade_evidence, state_of("What is the capital of France?", hits=(), corrections=2))
    assert update["note"].outcome == EvidenceOutcome.NOTHING


def test_no_retry_when_the_time_is_up(call: Call, world: World) -> None:
    world.meter.seconds = 0
    update = call(grade_evidence, state_of("What is the capital of France?", hits=()))
    assert update["note"].outcome == EvidenceOutcome.NOTHING


def test_clear_evidence_asks_no_model(call: Call, world: World) -> None:
    world.llm = FakeLlm()
    assert call(grade_evidence, state_of("Who developed KelpNet?", hits=HITS))["search"].kept


def test_what_words_cannot_judge_is_left_to_a_models_answer(call: Call, world: World) -> None:
    world.llm = FakeLlm()
    state = state_of(ABOUT_THE_MAKER, language="zh-hans", hits=(Hit("d1-1", 0.9), Hit("d1-2", 0.8)))
    update = call(grade_evidence, state)
    assert [hit.chunk_id for hit in update["search"].kept] == ["d1-1", "d1-2"]
    assert update["search"].in_doubt is True
    assert update["note"].reason == "run.reason.evidence_in_doubt"


def test_a_model_is_asked_before_the_words_of_passages_are_weighed(call: Call, world: World) -> None:
    world.llm = FakeLlm()
    update = call(grade_evidence, state_of("Who developed KelpNet?", hits=HITS))
    assert update["search"].kept
    assert (update["search"].in_doubt, update["search"].likelihood) == (True, None)


def test_passages_that_answer_by_their_words_are_offered_again(call: Call, world: World) -> None:
    world.llm = FakeLlm()
    again = state_of("Who developed KelpNet?", hits=HITS[:1], kept=HITS[:1], in_doubt=True)
    update = call(grade_evidence, again)
    assert [hit.chunk_id for hit in update["search"].kept] == ["d1-1"]
    assert update["note"].reason == "run.reason.evidence_enough"
    assert (update["search"].in_doubt, update["search"].likelihood is None) == (False, False)


def test_passages_that_did_not_answer_are_not_offered_again(call: Call, world: World) -> None:
    world.llm = FakeLlm()
    first, second = Hit("d1-1", 0.9), Hit("d1-2", 0.8)
    refused = partial(
        state_of,
        ABOUT_THE_MAKER,
        language="zh-hans",
        kept=(first,),
        in_doubt=True,
        verdict_reason="No maker is named.",
    )
    update = call(grade_evidence, refused(hits=(first,)))
    assert update["note"].outcome == EvidenceOutcome.RETRY
    assert update["draft"].verdict_reason == "No maker is named."
    assert update["search"].in_doubt is False
    assert call(grade_evidence, refused(hits=(first, second)))["search"].in_doubt is True


def test_where_nothing_is_written_without_grades_a_model_gives_them(call: Call, world: World) -> None:
    world.llm = FakeLlm(grade_evidence=Grades(relevant=[1, 99], reason="It names the maker."))
    state = state_of(ABOUT_THE_MAKER, language="zh-hans", hits=(Hit("d1-1", 0.9), Hit("d1-2", 0.8)))
    update = call(evaluate_relevance, state)
    assert [hit.chunk_id for hit in update["search"].kept] == ["d1-1"]
    assert update["search"].rejected[0].reason == "run.rejected.no_answer"
    assert update["note"].reason == "It names the maker."


def test_a_passage_that_is_insisted_on_and_not_quoted_makes_no_quote_more_certain(call: Call) -> None:
    hits = (Hit("d1-2", 1.0, ("reader",)), HITS[0])
    insisting = state_of("Who developed KelpNet?", hits=hits, options=RunOptions(insisted=("d1-2",)))
    search = call(grade_evidence, insisting)["search"]
    assert [hit.chunk_id for hit in search.kept] == ["d1-1"]
    assert [item.reason for item in search.rejected] == ["run.rejected.no_answer"]
    insisting = state_of("Who is on the moon?", hits=hits, options=RunOptions(insisted=("d1-2",)))
    assert [hit.chunk_id for hit in call(grade_evidence, insisting)["search"].kept] == ["d1-2"]


def test_near_duplicates_and_more_than_enough_are_left_out(world: World) -> None:
    text = "Every buoy of the inlet number {} is calibrated by hand after {} days of storm in the bay {}."
    texts = [text.format(at, at * 7, chr(65 + at)) + f" Word{at} and thing{at} and item{at}." for at in range(10)]
    world.library.add("many.pdf", *texts, texts[0])
    hits = [Hit(f"d2-{at}", 0.9) for at in (0, 10, 1, 2, 3, 4, 5, 6, 7, 8, 9)]
    kept, refused = sift("How is a buoy calibrated?", passages_of(hits, world.deps()), {})
    reasons = {passage.chunk.id: reason for passage, reason in refused}
    assert len(kept) == 8
    assert reasons["d2-10"] == "run.rejected.duplicate"
    assert reasons["d2-8"] == "run.rejected.over_limit"


def test_passages_that_are_gone_are_no_evidence(call: Call) -> None:
    update = call(grade_evidence, state_of("Who developed KelpNet?", hits=(Hit("gone", 0.9),)))
    assert update["search"].kept == ()


def test_an_answer_found_by_other_words_counts_if_the_question_itself_found_anything_near_one(call: Call) -> None:
    first = call(grade_evidence, state_of("Who developed KelpNet?", hits=HITS[1:]))["search"]
    assert first.likelihood is not None
    assert first.likelihood < SUPPORTED
    again = state_of("Who developed KelpNet?", hits=HITS, likelihood=first.likelihood)
    assert call(grade_evidence, again)["search"].kept == ()
    near = state_of("Who developed KelpNet?", hits=HITS, likelihood=SUPPORTED)
    assert [hit.chunk_id for hit in call(grade_evidence, near)["search"].kept] == ["d1-1"]


def test_the_first_found_are_read_though_they_have_few_words_of_the_question(world: World) -> None:
    texts = ("A buoy drifts far away.", "Every buoy weighs eighty kilograms.", "One buoy was painted red by hand.")
    world.library.add("few.pdf", *texts)
    passages = passages_of([Hit(f"d2-{at}", 0.3) for at in range(3)], world.deps())
    kept, refused = sift("How is the buoy of the northern inlet calibrated before storms?", passages, {})
    assert [len(kept), [reason for _, reason in refused]] == [2, ["run.rejected.off_topic"]]


def test_a_table_with_what_is_compared_is_read_whole(call: Call, world: World) -> None:
    parts = ["Dish | Time (min)\nPie | 140\nStew | 90", "Dish | Time (min)\nHam | 300\nBuns | 95", "Eat them soon."]
    added = world.library.add("recipes.md", *(("Overview", part) for part in parts))
    found = [f"{added}-{at}" for at in range(3)]
    hits = (*HITS, Hit(found[1], 0.3))
    for question, kept in (("Which recipe takes the longest?", found[:2]), ("What do recipes tell of sheep?", [])):
        update = call(grade_evidence, state_of(question, hits=hits))
        assert sorted(hit.chunk_id for hit in update["search"].kept if hit.chunk_id in found) == kept
