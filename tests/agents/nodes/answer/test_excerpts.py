"""Excerpts: the likeliest sentences of all passages, by words and by meaning, within a budget and in reading order."""

from core.agents.nodes.answer.small_model import excerpts
from core.models.embedding.encoder.sentence_encoder import UniversalSentenceEncoder
from core.models.tokens import estimate_tokens
from core.rulebook.evidence import EvidenceAssessment
from tests.rulebook.assessing.test_quotes import passages

FAR = (
    "The hall was painted in spring. Its roof is made of slate. A fountain stands before the door, and two lime trees "
    "grow beside it. Visitors come on Sundays."
)


def excerpts_of(question: str, *texts: str, tokens: int, by_meaning: bool = False) -> dict[int, str]:
    encoder = UniversalSentenceEncoder() if by_meaning else None
    return excerpts(EvidenceAssessment(question, passages(*texts), encoder), tokens)


def test_the_answer_is_there_though_its_passage_was_found_last() -> None:
    found = excerpts_of("How long is the guarantee?", FAR, FAR, "The guarantee lasts two years.", tokens=20)
    assert "The guarantee lasts two years." in found[2]


def test_what_is_near_in_meaning_alone_is_there_too() -> None:
    leave = f"{FAR} New mothers may take maternity leave of eighteen months. {FAR}"
    found = excerpts_of("How long can I stay home after giving birth?", FAR, leave, tokens=40, by_meaning=True)
    assert "maternity leave of eighteen months" in found[1]


def test_no_more_than_the_budget_is_given_and_sentences_stand_in_reading_order() -> None:
    (text,) = excerpts_of("What stands before the door of the hall in spring?", FAR, tokens=25).values()
    assert estimate_tokens(text) <= 26
    lines = text.split("\n")
    assert lines == sorted(lines, key=FAR.index)


def test_the_question_above_an_answer_is_given_with_it() -> None:
    (text,) = excerpts_of("Is there a fee?", "Does it cost anything?\n\nNo, nothing at all.", tokens=40).values()
    assert text == "Does it cost anything?\nNo, nothing at all."


def test_nothing_comes_of_nothing() -> None:
    assert excerpts_of("Why?", tokens=40) == {}
