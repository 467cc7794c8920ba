"""A sentence is borne out by one that has its numbers and names and denies what it denies, in other words, too."""

from dataclasses import replace

import pytest

from core.documents.model import Chunk
from core.models.embedding.encoder.sentence_encoder import UniversalSentenceEncoder
from core.rulebook.checking.support import Bearing, Evidence, claims
from core.search.model import Passage

TEXTS = (
    "Each buoy is lifted and calibrated every 90 days. The crew must not paint the sensor. A buoy weighs 140 kg.",
    "KelpNet was developed by Lena Vogt in six weeks. Rafael Marchetti tested it.",
    "红色预警由值班员提出，经站长林雨晴批准后发布。发布前不得告知媒体。",
)
PASSAGES = [Passage(Chunk(f"c{at}", "d", at, text, (), ()), "handbook.pdf", 0.9) for at, text in enumerate(TEXTS)]
BORNE_OUT, CONTRADICTED, UNKNOWN = Bearing.BORNE_OUT, Bearing.CONTRADICTED, Bearing.UNKNOWN


@pytest.fixture(scope="module")
def evidence() -> Evidence:
    return Evidence(PASSAGES, UniversalSentenceEncoder())


@pytest.mark.parametrize(
    ("claim", "bearing"),
    [
        ("Buoys are lifted and calibrated every 90 days.", BORNE_OUT),
        ("Buoys are lifted and calibrated every 140 days.", CONTRADICTED),
        ("Buoys are not calibrated every 90 days.", CONTRADICTED),
        ("The crew must paint the sensor.", CONTRADICTED),
        ("The crew may never paint the sensor.", BORNE_OUT),
        ("Lena Vogt needed 6 weeks to develop KelpNet.", BORNE_OUT),
        ("Lena Vogt needed 7 weeks to develop KelpNet.", CONTRADICTED),
        ("KelpNet was developed by Rafael Marchetti in six weeks.", CONTRADICTED),
        ("A bakery sells bread to the crew in summer.", UNKNOWN),
        ("红色预警经站长林雨晴批准后发布。", BORNE_OUT),
        ("红色预警不经站长林雨晴批准后发布。", CONTRADICTED),
        ("每个浮标每90天校准一次。", BORNE_OUT),
        ("每个浮标每30天校准一次。", CONTRADICTED),
    ],
)
def test_a_sentence_is_held_to_the_nearest_one(evidence: Evidence, claim: str, bearing: Bearing) -> None:
    assert evidence.support(claim).bearing is bearing


def test_parts_may_come_from_several_passages(evidence: Evidence) -> None:
    found = evidence.support("Buoys are calibrated every 90 days, and KelpNet was developed by Lena Vogt.")
    assert [place.passage for place in found.places] == [0, 1]


def test_a_place_is_the_sentence_and_not_the_passage(evidence: Evidence) -> None:
    ((place,),) = (evidence.support("The buoy has a weight of 140 kg.").places,)
    assert place.span is not None
    assert TEXTS[0][slice(*place.span)] == "A buoy weighs 140 kg."


def test_numbers_and_names_of_the_question_may_be_repeated() -> None:
    claim = "No, Anna may paint none of the 12 sensors."
    assert Evidence(PASSAGES).support(claim).bearing is CONTRADICTED
    assert Evidence(PASSAGES, question="May Anna paint 12 sensors?").support(claim).bearing is not CONTRADICTED


@pytest.mark.parametrize(
    ("question", "claim", "bearing"),
    [
        ("How heavy is a buoy?", "140", BORNE_OUT),
        ("浮标有多重？", "140", UNKNOWN),
        (
            "What must the volunteers of the harbour crew never do on board in summer?",
            "The volunteers of the harbour crew must never paint the sensor on board in summer.",
            BORNE_OUT,
        ),
        (
            "What must the volunteers of the harbour crew never do on board in summer?",
            "The volunteers of the harbour crew must never smoke or drink on board in summer.",
            UNKNOWN,
        ),
    ],
)
def test_what_a_claim_says_besides_its_question_may_be_enough(question: str, claim: str, bearing: Bearing) -> None:
    assert Evidence(PASSAGES, question=question).support(claim).bearing is bearing


def test_a_denial_is_read_in_traditional_characters_too() -> None:
    denied = replace(PASSAGES[0], chunk=replace(PASSAGES[0].chunk, text="暫無試用版，但提供 7 天滿意保證。"))
    assert Evidence([denied]).support("有試用版").bearing is CONTRADICTED


def test_the_numbers_of_steps_are_no_claims() -> None:
    steps = "“Descaling takes 35 minutes. 1. Empty the tank. 2. Remove the water filter.” [1]"
    assert claims(steps) == ["“Descaling takes 35 minutes.", "Empty the tank.", "Remove the water filter.”"]
    assert claims("您的文档列出： “1. 提交材料并登记。 2. 领取证件。” [1]") == ["提交材料并登记。", "领取证件。”"]
