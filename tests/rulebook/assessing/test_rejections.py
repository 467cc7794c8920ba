"""Every quote that is not shown as an answer has a reason, which names what is lacking."""

import pytest

from core.platform.texts import LANGUAGES
from core.rulebook.assessing import rejections
from core.rulebook.assessing.answering import ANSWER_THRESHOLD
from core.rulebook.assessing.evidence_assessment import EvidenceAssessment
from core.rulebook.model import Assessment
from tests.rulebook.assessing.test_quotes import passages
from tests.rulebook.assessing.test_word_meanings import WordVectors


def assessed(question: str, *texts: str) -> Assessment:
    return EvidenceAssessment(question, passages(*texts), WordVectors()).assessment


@pytest.mark.parametrize(
    ("question", "text", "name", "said"),
    [
        ("How many stations has Korea?", "We operated 636 stations.", "names_missing", "has Korea"),
        ("What is EskFlow?", "The board plans to extend EskFlow next year.", "undefined", "what EskFlow is"),
        ("橙色预警由谁批准？", "红色预警由站长批准。橙色的浓度较高。", "another_kind", "another kind"),
        ("Which companies are mentioned in the register?", "The companies of Northmere.", "every_mention", "single"),
        ("why: How often is buoy L5 cleaned?", "Buoy L5 is cleaned daily.", "no_cause", "no sentence"),
        (
            "since when: Who leads the mill?",
            "The mill is led by Ann. A dam is there since 2019.",
            "not_together",
            "both",
        ),
        ("When was it founded?", "观测站成立于2011年。", "own_language", "another language"),
    ],
)
def test_a_decline_names_its_reason(
    question: str, text: str, name: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rejections, "probability", lambda features, encoder: 0.54)
    found = assessed(question, text)
    first = found.reasons[0]
    expected = "across" if name == "own_language" else name
    assert (first.key, found.probability < found.threshold) == (f"run.declined.{expected}", True)
    assert said in first.sentence("en")
    assert all(first.sentence(language) for language in LANGUAGES)


def test_a_low_probability_says_how_much_is_needed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rejections, "probability", lambda features, encoder: 0.17)
    found = assessed("When did the ferry sink?", "The ferry sank in 1964.")
    assert (found.probability, found.threshold) == (0.17, ANSWER_THRESHOLD)
    assert [one.details for one in found.reasons] == [(("probability", "0.17"), ("needed", f"{ANSWER_THRESHOLD:.2f}"))]


@pytest.mark.parametrize(("question", "named"), [("EskFlow有多贵？", ["EskFlow"]), ("台北101有多高？", [])])
def test_what_is_missing_is_the_name_not_the_words_around_it(question: str, named: list[str]) -> None:
    reasons = assessed(question, "大楼的高度是五百米，很贵。").reasons
    assert [name for one in reasons for key, name in one.details if key == "names"] == named


def test_a_name_is_not_called_missing_where_another_passage_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rejections, "probability", lambda features, encoder: 0.17)
    told = "The board decided what the board pays for the ledger."
    found = assessed("What did the board decide about Quickbooks?", told, "Quickbooks is cheap.")
    assert [one.key for one in found.reasons] == ["run.declined.low"]


@pytest.mark.parametrize(
    ("question", "told", "key"),
    [
        ("Can the mill run at 11 pm?", "The mill may run from 10 pm to 7 am.", "low"),
        ("When is the mill closed?", "The mill runs all day. A visit costs £25.", "low"),
        ("When is the mill closed?", "The mill runs all day.", "untold"),
    ],
)
def test_a_reason_is_told_only_where_it_is_true_of_all_that_was_found(
    question: str, told: str, key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rejections, "probability", lambda features, encoder: 0.17)
    assert assessed(question, told).reasons[0].key == f"run.declined.{key}"


@pytest.mark.parametrize(
    ("question", "told", "is_answer"),
    [
        ("When does the meeting end?", "Leave the room once the meeting has ended.", False),
        ("When does the meeting end?", "Leave the room once the meeting has ended at 9 pm.", True),
        ("參觀多久？", "參觀需3小時。", True),
        ("How long are meetings?", "All members are expected to attend monthly meetings.", False),
        ("Who is the secretary?", "Societies must have a secretary.", False),
        ("Who is the secretary?", "The secretary is Annie Howitt.", True),
        ("Who can veto an applicant?", "A household with a vacancy can veto an applicant.", True),
    ],
)
def test_what_repeats_the_words_of_the_question_without_what_it_asks_for_is_no_answer(
    question: str, told: str, is_answer: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rejections, "probability", lambda features, encoder: 0.9)
    assert [one.key for one in assessed(question, told).reasons] == ([] if is_answer else ["run.declined.no_value"])


def test_an_answer_has_no_reason_against_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rejections, "probability", lambda features, encoder: 0.9)
    assert assessed("When did the ferry sink?", "The ferry sank in 1964.").reasons == ()


def test_without_a_passage_it_is_said_that_none_was_left() -> None:
    assert [one.key for one in assessed("When did the ferry sink?").reasons] == ["run.declined.no_passages"]
