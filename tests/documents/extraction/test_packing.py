"""Units of texts: packed evenly, nothing lost, every offset back to its text."""

from core.documents.extraction.packing import BETWEEN, halves, pack
from core.models.tokens import estimate_tokens

TEXTS = [f"Text {number} speaks of valley {number} at length. " * 12 for number in range(60)]


def test_every_text_is_in_exactly_one_unit_in_order() -> None:
    units = pack(TEXTS, 1_000)
    assert [place for unit in units for place in unit.members] == list(range(len(TEXTS)))
    assert all(unit.text == BETWEEN.join(TEXTS[place] for place in unit.members) for unit in units)


def test_units_are_of_about_equal_size_and_as_few_as_possible() -> None:
    units = pack(TEXTS, 1_000)
    sizes = [estimate_tokens(unit.text) for unit in units]
    assert max(sizes) <= 1_080
    assert min(sizes) > 600
    assert len(units) <= -(-sum(map(estimate_tokens, TEXTS)) // 1_000) + 1


def test_offsets_lead_back_to_the_text_and_never_over_its_end() -> None:
    unit = pack(["云岭灌区", "", "Ada Quill", "  ", "润禾系统"])[0]
    assert unit.members == (0, 2, 4)
    start = unit.text.index("Quill")
    assert unit.origin(start, start + 5) == (2, 4, 9)
    start = unit.text.index("润禾")
    assert unit.origin(start, start + 2) == (4, 0, 2)
    assert unit.origin(2, 8) is None


def test_blank_texts_make_no_unit() -> None:
    assert pack([]) == pack(["", " \n"]) == []


def test_a_long_text_is_a_unit_of_its_own() -> None:
    units = pack(["short one.", "word " * 10_000, "another short one."], 1_000)
    assert [unit.members for unit in units] == [(0,), (1,), (2,)]


def test_halves_hold_the_same_texts() -> None:
    unit = pack(TEXTS[:5])[0]
    assert [part.members for part in halves(TEXTS, unit)] == [(0, 1), (2, 3, 4)]
    assert [part.members for part in halves(TEXTS, pack(TEXTS[:1])[0])] == [(0,)]
