"""What is least or greatest is told only where the rows of a table can be compared by the numbers of one column."""

import pytest

from core.documents.model import Chunk
from core.rulebook.assessing.answering import ANSWER_THRESHOLD
from core.rulebook.assessing.compared_words import extreme_words
from core.rulebook.assessing.evidence_assessment import EvidenceAssessment
from core.search.model import Passage

_BUOYS = """Table 1. Buoys of the network.

Buoy | Position | Water depth (m) | Reporting interval (min) | State
L1 | Open sea | 62 | 10 | sound
L2 | Outer sill | 41 | 20 | sound
L3 | Farm approach | 24 | 5 | lost
L4 | Head of the inlet | 1,012 | 20 | sound

Each buoy is lifted every 90 days."""
_COSTS = """Costs by year

Item | 2023 | 2024
Wages | 60 | 70
Rent | 30 | 25
Credit | (5) | -8
Total | 85 | 87"""
_STATIONS = """表 1 泵站

泵站 | 河流 | 建成年份
青石泵站 | 白水河 | 2008
双桥泵站 | 白水河 | 2015"""

_HIRE = """Hire of tools

Item | Category | Price per day (EUR) | Deposit (EUR) | Weight (kg)
Hedge trimmer Bosk | Garden | 14 | 60 | 3.6
Tile cutter Slatex | Building | 19 | 80 | 24
Concrete mixer 120 l | Building | 27 | 120 | 51"""
_ROUTES = """Routes

Route | Duration (min) | Fare (EUR) | Distance (km)
Nordby | 12 | 6.5 | 2.1
Ballen | 75 | 24 | 14
Fynshav | 50 | 15 | 44"""
_COTTAGES = """Cottages

Cottage | Price
Quince Barn | 80
Quince House | 70
Elm Barn | 60
Elm House | 90"""
_ROOMS = """房型一覽

房型 | 每晚價格（元） | 可住人數
竹韻單人房 | 1800 | 1
荷香雙人房 | 2600 | 2
溪石通鋪 | 700 | 8"""


_SHOP = """Prices of the network

id | name | price
1 | Ball valve | 520
2 | Gate valve | 450
6 | Shower head | 800"""


def view_of(question: str, text: str) -> EvidenceAssessment:
    return EvidenceAssessment(
        question, (Passage(Chunk("1", "document", 0, text, (), ()), "network.md", 0.9, ("lexical",)),), None
    )


@pytest.mark.parametrize(
    ("question", "table", "told"),
    [
        ("Which buoy has the shortest reporting interval?", _BUOYS, "L3: 5 min"),
        ("Which buoy has the longest reporting interval?", _BUOYS, "L2, L4: 20 min"),
        ("What is the greatest water depth of a buoy?", _BUOYS, "L4: 1,012 m"),
        ("Which item of the costs was highest in 2024?", _COSTS, "Wages: 70"),
        ("Which item of the costs was lowest in 2023?", _COSTS, "Credit: (5)"),
        ("哪座泵站的建成年份最早？", _STATIONS, "青石泵站: 2008"),
        ("Which item is the cheapest to rent?", _HIRE, "Hedge trimmer Bosk: 14 EUR"),
        ("What is the most expensive item?", _HIRE, "Concrete mixer 120 l: 27 EUR"),
        ("Which item is the lightest?", _HIRE, "Hedge trimmer Bosk: 3.6 kg"),
        ("Which item has the cheapest deposit?", _HIRE, "Hedge trimmer Bosk: 60 EUR"),
        ("Which route is the cheapest?", _ROUTES, "Nordby: 6.5 EUR"),
        ("Which route takes the longest?", _ROUTES, "Ballen: 75 min"),
        ("哪種房型最便宜？", _ROOMS, "溪石通鋪: 700 元"),
        ("哪种房型最贵？", _ROOMS, "荷香雙人房: 2600 元"),
    ],
)
def test_the_rows_of_a_table_are_compared(question: str, table: str, told: str) -> None:
    view = view_of(question, table)
    assert [extreme.value for extreme in view.extremes] == [told]
    assert [quote.text.split(": ")[1].split("; ")[0] for quote in view.quotes] == told.partition(": ")[0].split(", ")
    assert view.probability >= ANSWER_THRESHOLD


@pytest.mark.parametrize(
    ("question", "table"),
    [
        ("Which buoy in the open sea has the shortest reporting interval?", _BUOYS),
        ("Which buoy has the lowest state?", _BUOYS),
        ("Which buoy is the most reliable?", _BUOYS),
        ("Which buoy reports least often?", _BUOYS),
        ("Which buoy had the lowest water depth before 1999?", _BUOYS),
        ("Which costs of all the shops in Oslo were highest in 2024?", _COSTS),
        ("哪座泵站的流量最大？", _STATIONS),
        ("Which is the highest and the lowest water depth?", _BUOYS),
        ("Which buoy is the cheapest?", _BUOYS),
        ("Which hotel room is the cheapest?", _HIRE),
        ("What is the cheapest item in Oslo?", _HIRE),
        ("What is the cheapest garden item?", _HIRE),
        ("Which route is the longest?", _ROUTES),
    ],
)
def test_what_cannot_be_compared_is_no_answer(question: str, table: str) -> None:
    view = view_of(question, table)
    assert not view.extremes
    assert view.probability < ANSWER_THRESHOLD


@pytest.mark.parametrize(
    ("question", "table", "told"),
    [
        ("Which is cheaper per day, the tile cutter or the concrete mixer?", _HIRE, "Tile cutter Slatex: 19 EUR"),
        ("Which is heavier, the hedge trimmer or the tile cutter?", _HIRE, "Tile cutter Slatex: 24 kg"),
        ("Which is cheaper, a gate valve or a ball valve?", _SHOP, "Gate valve: 450"),
        ("Which takes longer, Ballen or Fynshav?", _ROUTES, "Ballen: 75 min"),
        ("Which is dearer, Quince Barn or Elm House?", _COTTAGES, "Elm House: 90"),
        ("荷香雙人房和竹韻單人房哪個比較貴？", _ROOMS, "荷香雙人房: 2600 元"),
    ],
)
def test_two_rows_are_compared_and_both_are_quoted(question: str, table: str, told: str) -> None:
    view = view_of(question, table)
    assert [extreme.value for extreme in view.extremes] == [told]
    assert len(view.quotes) == 2
    assert view.probability >= ANSWER_THRESHOLD


@pytest.mark.parametrize(
    "question",
    [
        "Which is cheaper, the tile cutter or the lawn mower?",
        "Which is cheaper, the tile cutter, the hedge trimmer or the concrete mixer?",
        "Is there a cheaper tile cutter?",
    ],
)
def test_what_is_no_choice_between_two_rows_is_not_compared(question: str) -> None:
    assert not view_of(question, _HIRE).extremes


_HEAD = "Buoy | Water depth (m) | Reporting interval (min)"
_DEEP = f"{_HEAD}\nL9 | 60 | 2\nL10 | 70 | 12"
_MORE = f"{_HEAD}\nL11 | 80 | 1\nL12 | 90 | 9"


def passages_of(*texts: str, first: int = 0) -> list[Passage]:
    chunks = (Chunk(str(at), "document", at, text, (), ()) for at, text in enumerate(texts, first))
    return [Passage(chunk, "buoys.csv", 0.9) for chunk in chunks]


def test_a_table_that_is_cut_into_passages_is_compared_whole() -> None:
    question = "Which of the buoys has the shortest reporting interval?"
    one, other = passages_of(_DEEP, _MORE)
    for read in ((one, other), (other, one)):
        (found,) = EvidenceAssessment(question, read, None).extremes
        assert found.value == "L11: 1 min"
        assert read[found.rows[0].passage] is other
    assert not EvidenceAssessment(question, (one,), None, beside=lambda _: [other.chunk]).extremes
    end = Chunk("2", "document", 1, "End.", (), ())
    assert EvidenceAssessment(question, (one,), None, beside=lambda _: [end]).extremes


@pytest.mark.parametrize("texts", [(_DEEP, "In the bay:", _MORE), (f"{_DEEP}\n\nIn the bay these report:", _MORE)])
def test_another_table_with_the_same_columns_is_not_taken_for_its_rest(texts: tuple[str, ...]) -> None:
    view = EvidenceAssessment("Which of the buoys has the shortest reporting interval?", passages_of(*texts), None)
    assert not view.extremes


def test_a_table_with_this_column_in_each_document_is_compared_by_itself() -> None:
    there = "Buoy | Water depth (m)\nQ1 | 28\nQ2 | 15\n\nBuoys of the network in the bay."
    passages = [
        Passage(Chunk(name, name, 0, text, (), ()), f"{name}.md", score)
        for name, text, score in (("sound", _BUOYS, 0.9), ("bay", there, 0.8))
    ]
    view = EvidenceAssessment("What is the greatest water depth of a buoy?", passages, None)
    assert [extreme.value for extreme in view.extremes] == ["L4: 1,012 m", "Q1: 28 m"]
    assert [quote.passage for quote in view.quotes] == [0, 1]


def test_a_number_that_all_rows_have_tells_none_of_them_apart() -> None:
    table = "Buoy | Reporting interval\nL1 | 10\nL2 | 10\n\nTwo buoys."
    assert view_of("Which buoy has the shortest reporting interval?", table).extremes == ()


def test_a_row_that_says_what_is_greatest_is_left_to_its_likelihood() -> None:
    table = "Speed | Value\nMaximum speed | 120\nCruising speed | 90\n\nOf the boat."
    view = view_of("What is the maximum speed of the boat?", table)
    assert view.quotes[0].text.startswith("Speed: Maximum speed")


def test_no_single_value_leads_where_several_rows_are_quoted() -> None:
    view = view_of("What are the reporting intervals of the buoys?", _BUOYS)
    assert len(view.quotes) > 1
    assert view.value == ""


@pytest.mark.parametrize(
    ("question", "words"),
    [
        ("Which is the most likely, the least likely?", ("most", "least")),
        ("What is the interest?", ()),
        ("最大的是哪个？", ("最大",)),
        ("The Highest?", ("highest",)),
    ],
)
def test_words_that_ask_for_an_extreme(question: str, words: tuple[str, ...]) -> None:
    assert extreme_words(question) == words


@pytest.mark.parametrize("question", ["Which pump has been in use the longest?", "Which pump is in use the shortest?"])
def test_since_when_something_is_tells_not_how_long(question: str) -> None:
    view = view_of(question, "Table 1. Pumps.\n\nPump | River | In use since\nP1 | Esk | 2012\nP2 | Tarn | 2021")
    assert not view.extremes
    assert view.probability < ANSWER_THRESHOLD


def test_running_numbers_are_no_names() -> None:
    (extreme,) = view_of("What is the most expensive of the network?", _SHOP).extremes
    assert extreme.value == "Shower head: 800"
