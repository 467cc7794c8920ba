"""A reply while it streams: what a degenerate loop is and what is none, and where a reply is cut."""

import pytest

from core.models.reply_text import LEAST_REPEATED, ReplyText, repeats_itself
from core.platform.errors import BudgetError, ServiceError
from tests.models.chat.examples import RecordingMeter

LOOPS = {
    "words": "The buoy is " + "very " * 100,
    "sentence": "It was founded in 2011. " + "The station is on the coast. " * 14,
    "chinese": "该站成立于2016年。" + "浮标每九十天校准一次，" * 30,
    "paragraph": "First.\n" + ("".join(f"Buoy {number} lies north of pier {number}. " for number in range(20))) * 7,
    "line ends": '{"query": "' + "\n" * 400,
}
NO_LOOPS = {
    "report": "".join(
        f"In {year} the board measured {year * 7 % 83} metres at the weir. " for year in range(1950, 2020)
    ),
    "list": "".join(f"- Buoy {number}: calibrated every 90 days\n" for number in range(60)),
    "table": "| Buoy | Days |\n|---|---|\n" + "".join(f"| B{number} | 90 | yes | no |\n" for number in range(60)),
    "equal rows": "| Day | State |\n" + "| open | open | closed |\n" * 8,
    "rule": "Contents " + "." * 120 + " 12",
    "short": "no no no",
    "empty": "",
}


@pytest.mark.parametrize("name", LOOPS)
def test_a_stretch_again_and_again_at_the_end_is_a_loop(name: str) -> None:
    assert repeats_itself(LOOPS[name])


@pytest.mark.parametrize("name", NO_LOOPS)
def test_lists_tables_and_reports_are_no_loops(name: str) -> None:
    assert not any(repeats_itself(NO_LOOPS[name][:end]) for end in range(len(NO_LOOPS[name]) + 1))


@pytest.mark.parametrize("size", [1, 7, 400])
def test_a_loop_is_cut_soon_after_it_has_begun_whatever_the_pieces(size: int) -> None:
    text = "It was founded in 2011. " + "The station is on the coast. " * 1_000
    pieces = [text[start : start + size] for start in range(0, len(text), size)]
    reply = ReplyText(2_000, 0, "", RecordingMeter())
    shown: list[str] = []
    with pytest.raises(ServiceError) as caught:
        shown.extend(map(reply.feed, pieces))
    assert caught.value.key == "llm.repeats"
    assert len("".join(shown)) < 3 * LEAST_REPEATED


def fed_until_cut(reply: ReplyText, **piece: str) -> tuple[str, int]:
    """The key of what cut the reply, and the pieces until then."""
    for count in range(100_000):
        try:
            reply.feed(**{name: text.format(count) for name, text in piece.items()})
        except (ServiceError, BudgetError) as error:
            return error.key, count
    return "", count


def test_a_reply_beyond_its_limit_is_cut_also_while_it_thinks_or_sends_nothing() -> None:
    assert fed_until_cut(ReplyText(100, 0, "", RecordingMeter()), piece="{} apples ")[0] == "llm.too_long"
    assert fed_until_cut(ReplyText(100, 0, "", RecordingMeter()), piece="", hidden="{} apples ")[0] == "llm.too_long"
    assert fed_until_cut(ReplyText(100, 0, "", RecordingMeter()), piece="") == ("llm.too_long", 200)


def test_room_to_think_is_no_room_to_answer() -> None:
    reply = ReplyText(100, 10_000, "", RecordingMeter())
    assert reply.feed("<think>" + "".join(f"hm {number} " for number in range(1_000)) + "</think>") == ""
    key, pieces = fed_until_cut(reply, piece=" {} apples")
    assert (key, pieces < 100) == ("llm.too_long", True)


def test_the_tokens_of_the_question_are_looked_at_while_words_come() -> None:
    key, pieces = fed_until_cut(ReplyText(100_000, 0, "", RecordingMeter(max_tokens=50)), piece="{} apples ")
    assert (key, pieces < 30) == ("llm.budget_tokens", True)
