"""Whether a sentence tells what is asked for: the kind of number, a date, a name that the question has not."""

import pytest

from core.rulebook.assessing.answer_types import asks_for_a_form, matcher_for, sides
from core.rulebook.assessing.synonyms import implied_terms
from core.rulebook.model import QuestionKind
from core.rulebook.understanding.questions import kind_of


@pytest.mark.parametrize(
    ("question", "sentence", "told"),
    [
        ("How often is a buoy cleaned?", "It is cleaned every 60 days.", True),
        ("How often is a buoy cleaned?", "It was cleaned by 3 people.", False),
        ("How often are the buoys cleaned?", "A layer is fitted anew at each buoy, and it warns often.", False),
        ("浮标多久清洗一次？", "每个浮标都装有传感器。", False),
        ("浮标多久清洗一次？", "浮标每隔两周清洗。", True),
        ("浮标多久清洗一次？", "浮标每60天清洗。", True),
        ("浮标多久清洗一次？", "浮标于2017年启用。", False),
        ("How many people may the boat take?", "The boat takes at most six people.", True),
        (
            "How many people may the boat take?",
            "Most people of the town say that it rains on 40 days of the year.",
            False,
        ),
        ("How many members does the club have?", "The club has 12 members.", True),
        ("How many members does the club have?", "At least two members shall attend.", False),
        ("How many members does the club have?", "A panel is made up of two or more members.", False),
        ("How many members must attend?", "At least two members shall attend.", True),
        ("How many directors are there?", "3.2 All directors must be 16 or older.", False),
        ("How many members do we have?", "Annual fee: $185 per youth member.", False),
        ("How many members do we have?", "The 25 members pay $185 each.", True),
        ("社團現在有多少社員？", "社員入社時繳納社費，其數額由社長決定並公告收取之，最高不得超過三百。", False),
        ("社團現在有多少社員？", "本社現有社員四十二人。", True),
        ("俱乐部有多少名成员？", "至少3名成员须出席。", False),
        ("How many nights were spent here?", "Nights: 184 nights.", True),
        ("How many parameters does the network have?", "The network has 180,000 parameters.", True),
        ("How many buoys are there?", "Buoy: L6; Position: Head of the inlet; Depth (m): 12", False),
        ("How many buoys are there?", "Region: North; Buoys: 6", True),
        ("How many buoys are there?", "Item: Buoys; 2021: 300", True),
        ("有几个浮标？", "浮标: Q1; 位置: 湾口; 水深（米）: 28", False),
        ("小宇什么时候生日？", "小宇9岁，上三年级。", False),
        ("学校有多少名职工？", "学校现有教师与职工30人。", True),
        ("学校有多少名职工？", "学校成立于1990年。", False),
        ("How much does a buoy cost?", "A buoy costs 12,000 euros.", True),
        ("How much does a buoy cost?", "A buoy weighs 120 kg.", False),
        ("How much does a buoy cost?", "Buoy: L6; Price: R 5800.00", True),
        ("How much does a buoy cost?", "I paid 400 yen for it.", True),
        ("How old must a director be?", "All directors must be 16 or older.", True),
        ("How large is the grant?", "The grant is £500.", True),
        ("What temperature should the tank have?", "The tank is kept above 60C.", True),
        ("How long is the tunnel?", "The tunnel of 4.5 km is the oldest.", True),
        ("How long does the battery last?", "The battery lasts for about three years.", True),
        ("How long does the battery last?", "The battery is the 12th of its kind.", False),
        ("What is the water depth at L4?", "Buoy: L4; Water depth (m): 88", True),
        ("What is the water depth of buoy 4?", "Buoy 4 measures the water.", False),
        ("When was the station founded?", "It was founded in 2011.", True),
        ("When was the station founded?", "It was founded by the trust.", False),
        ("When are the seals most active?", "They are most active at dusk.", True),
        ("When is the bin emptied?", "It is emptied on Fridays.", True),
        ("观测站何时成立？", "观测站成立于2016年。", True),
        ("观测站何时成立？", "观测站由海洋局成立。", False),
        ("Who leads the Marlow Trust?", "The Marlow Trust is led by Ann Other.", True),
        ("Who leads the Marlow Trust?", "The Marlow Trust leads everything.", False),
        ("Who chairs the meeting?", "One person chairs the meeting.", False),
        ("Who is the rent officer?", "The rent officer informs all members.", False),
        ("Which film came out first, Ogro or Kalavar King?", "Ogro is a film of 1979.", True),
        ("Which film came out first, Ogro or Kalavar King?", "Ogro is a long film.", False),
        ("How often is each buoy calibrated?", "Each buoy is calibrated every 90 days.", True),
        ("How often is each buoy calibrated?", "The layer is fitted anew at each buoy.", False),
        ("Why is the bay small?", "The bay is small because the cliffs are hard.", True),
        ("Why is the bay small?", "The bay is small.", False),
    ],
)
def test_a_sentence_tells_what_is_asked_for(question: str, sentence: str, told: bool) -> None:
    tells = matcher_for(question, kind_of(question))
    assert tells is not None
    assert tells(sentence) is told


@pytest.mark.parametrize("question", ["What is KelpNet?", "What colour is it?", "校准层是什么？"])
def test_answers_of_other_kinds_have_no_telling_form(question: str) -> None:
    assert matcher_for(question, kind_of(question)) is None


@pytest.mark.parametrize(
    ("question", "asks"),
    [
        ("Who is the secretary?", True),
        ("Who can veto an applicant?", False),
        ("When does the meeting end?", True),
        ("How long are meetings?", True),
        ("What is the rent?", False),
    ],
)
def test_a_role_is_answered_by_a_name_and_a_deed_by_anything(question: str, asks: bool) -> None:
    assert asks_for_a_form(question, kind_of(question)) is asks


def test_the_things_to_choose_from_are_named() -> None:
    assert sides("Which came first, Ogro or Kalavar King?") == ["Ogro", "Kalavar King"]
    assert sides("When did Ogro come out?") == []


@pytest.mark.parametrize(
    ("sentence", "implied"),
    [
        ("Pál Gábor (2 November 1932 – 21 October 1987) was a director.", {"born", "die", "出生", "去世"}),
        ("王沈（220年－266年），太原人。", {"born", "die", "出生", "去世"}),
        ("She was an Italian painter.", {"nation", "countri"}),
        ("The bay (12 km) is small.", set()),
        ("It is an inlet.", set()),
    ],
)
def test_a_sentence_says_some_things_without_their_words(sentence: str, implied: set[str]) -> None:
    assert implied_terms(sentence) == implied


@pytest.mark.parametrize("piece", ["(", "1 ", "（1", "was a ", "1000 – ", "每", "A", "one ", "(1900 "])
def test_hostile_sentences_are_read_in_time(piece: str) -> None:
    sentence = (piece * 4000)[:4000]
    implied_terms(sentence)
    for kind in QuestionKind:
        for question in ("How many people are there, A or B?", "How much does it cost?", "多久一次？"):
            if tells := matcher_for(question, kind):
                tells(sentence)


def test_a_longer_name_of_what_is_asked_about_is_nobodys() -> None:
    question = "Who is the head of the Qingyu station?"
    matches = matcher_for(question, QuestionKind.WHO)
    assert matches is not None
    assert not matches("The station shares its methods with the Qingyu Marine Station.")
    assert matches("The Qingyu Marine Station is led by Lin Yuqing.")


def test_which_ones_are_no_number() -> None:
    question = "替咖啡打分數是看哪幾個項目？"
    assert not asks_for_a_form(question, kind_of(question))
