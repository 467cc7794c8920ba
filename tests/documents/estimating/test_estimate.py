"""What extraction will take: nothing for nothing, more for more."""

import pytest

from core.documents.estimating.forecast import estimate_extraction, source_tokens
from core.documents.model import Effort
from core.models.ports import Pace


def test_nothing_takes_nothing() -> None:
    assert estimate_extraction(0, 0) == Effort()


def test_a_small_document_takes_one_call_and_one_for_its_summary() -> None:
    estimate = estimate_extraction(3_000, 3)
    assert estimate.model_calls == 2
    assert 750 < estimate.prompt_tokens < 3_000


def test_a_document_of_two_chunks_is_its_own_summary() -> None:
    assert estimate_extraction(2_000, 2).model_calls == 1


def test_a_book_is_packed() -> None:
    estimate = estimate_extraction(400_000, 400)
    assert estimate.model_calls == 25 + 3
    assert estimate.prompt_tokens < 1.3 * 100_000
    assert 30 < estimate.seconds < 120


def test_chinese_characters_are_tokens() -> None:
    assert source_tokens(1_000, wide_share=1.0) == 1_000
    assert estimate_extraction(40_000, 80, wide_share=0.9).model_calls == 10 + 3


@pytest.mark.parametrize("characters", [1, 10_000, 1_000_000])
def test_more_calls_at_a_time_take_no_longer(characters: int) -> None:
    slow, fast = (estimate_extraction(characters, 1_000, pace=Pace(in_flight=count)) for count in (1, 16))
    assert fast.seconds <= slow.seconds
    assert fast.tokens == slow.tokens


def test_a_model_on_this_machine_takes_minutes_and_reads_a_part_of_a_book() -> None:
    pace = Pace(0.0, 73.0, 25.0, 1, 1_000, 40, 2)
    page, book = (estimate_extraction(4 * tokens, tokens // 400, pace=pace) for tokens in (2_000, 100_000))
    assert 40 < page.seconds < 90
    assert (book.model_calls, book.prompt_tokens) == (40 + 10, 40 * (1_000 + 320) + 20 * 700)
    assert 1_000 < book.seconds < 1_500
