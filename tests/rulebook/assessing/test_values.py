"""What was asked for is taken out of a quote only where it can be no other thing."""

import pytest

from core.rulebook.assessing.sentence_ranking import Quote
from core.rulebook.assessing.values import value_asked
from core.rulebook.understanding.questions import kind_of


@pytest.mark.parametrize(
    ("question", "told", "value"),
    [
        ("How often is each buoy calibrated?", "Each buoy is lifted and calibrated every 90 days.", "90 days"),
        ("How many people work there?", "In 2019 the station had 42 employees.", "42 employees"),
        ("When was it founded?", "It was founded on 3 May 2011 by two people.", "3 May 2011"),
        ("When is the pump repaired?", "The pump is repaired before 20 May.", "before 20 May"),
        ("When was it sold?", "It was sold on 3 Jan.", "3 Jan"),
        ("观测站是哪一年成立的？", "观测站成立于2011年5月。", "2011年5月"),
        ("Who developed KelpNet?", "KelpNet was developed by Lena Vogt in Oslo.", "Lena Vogt"),
        ("Who owned the press?", "In World War II her father, L.B. Holm, owned it.", ""),
        ("Who started the choir?", "Rolf Dahl started it, not started but joined it.", ""),
        ("How high is the tower?", "The tower is 88 m high and 12 m wide.", ""),
        ("How many shops are there?", "The chain ran 815, 795, and 782 shops in 2021, 2020 and 2019.", ""),
        ("How many shops are in Peru?", "The chain ran 815 shops: 564 in Chile, 105 in Peru, 39 in Cuba.", ""),
        ("How many shops has Acme?", "On 1 May 2021, Acme ran 815 shops: 564 in Chile, 105 in Peru.", "815 shops"),
        ("On how many systems does it run?", "4.1 On what systems does it run?", ""),
        ("How much memory does it need?", "If you want one that uses less memory, consider zlib-1.2.", ""),
        ("How many gas stations did it run in 2021?", "It ran 636 gas stations in 2021.", "636 gas stations"),
        ("How far does it reach?", "It reaches 10 to 20 km.", ""),
        (
            "How many people may sail?",
            "The boat takes at most six people and needs a wind below 12 metres per second.",
            "",
        ),
        ("What is the phone number of the master?", "The harbour master is Oskar Hjelm, phone 555-0199.", ""),
        ("有多少个浮标？", "共有5和7个浮标。", ""),
        ("浮标的重量是多少？", "每个浮标重85公斤，由两人吊起。", "85公斤"),
        ("观测站有多少名工作人员？", "观测站现有42名工作人员和志愿者。", "42名工作人员"),
        ("录音最长可以录制多久？", "录制时间长达30秒之久。", "30秒"),
        ("浮标多久校准一次？", "浮标应每60天回收清洗并校准一次。", "60天"),
        ("培训持续多久？", "课程需要60天完成。", "60天"),
        ("票价多少钱？", "成人票每张120元含税。", "120元"),
        ("充满电要多久？", "充满电约需3小时左右。", "3小时"),
        ("浮标有多少个传感器？", "传感器的说明见第7章。", ""),
        ("How long does the soup take?", "Add 1.5 litres of stock and simmer for one hour.", ""),
        ("How long does the soup take?", "Add 1.5 litres of stock and simmer for 50 minutes.", "50 minutes"),
        ("How long is the boat?", "The boat of 1,200 kg was sold for €300.", ""),
        ("How much does the boat weigh?", "The boat is 7 m long and sleeps 4.", ""),
        ("How many litres of stock are needed?", "Take 1.5 litres of stock and 900 g of leeks.", "1.5 litres"),
        ("How many kilometres is the path?", "The path of 12 km has 4 bridges.", "12 km"),
        ("How many guests can sleep there?", "It is 7.7 m long and sleeps 4 people.", "4 people"),
        ("How many helpers are needed?", "The tent weighs 48 kg.", ""),
        ("What is the temperature of the oven?", "Bake 12 buns at 220 °C.", "220 °C"),
        ("管理費要多少钱？", "自4月1日起，每坪72元，分機101。", "72元"),
        ("保養要多久？", "保養需3小時，分機101。", "3小時"),
        ("保養要多久？", "保養費用為300元。", ""),
        ("Why is it lifted?", "It is lifted because of 3 reasons.", ""),
        ("When is the boiler replaced?", "The boiler is replaced between 8 and 10 June.", ""),
        ("When is the boiler replaced?", "The boiler is replaced on 10 June.", "10 June"),
    ],
)
def test_of_a_sentence(question: str, told: str, value: str) -> None:
    quote = Quote(0, 0, len(told), told, 1.0, tells=True)
    assert value_asked(question, kind_of(question), quote) == value


def test_of_a_row_the_cell_with_its_unit() -> None:
    row = "Buoy: L4; Water depth (m): 88; Sensors: 5"
    quote = Quote(0, 0, len(row), row, 1.0, is_row=True)
    question = "What is the water depth at buoy L4?"
    assert value_asked(question, kind_of(question), quote) == "88 m"
    question = "How much does the water at buoy L4 weigh?"
    assert value_asked(question, kind_of(question), quote) == ""
