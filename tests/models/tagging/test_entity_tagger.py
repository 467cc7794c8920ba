"""The network that finds names: what it marks, long texts, odd texts, one thread, one result."""

from itertools import pairwise
from pathlib import Path

import pytest

from core.models.tagging import entity_tagger
from core.models.tagging.entity_tagger import LONGEST, OnnxEntityTagger
from core.platform.errors import ServiceError

ENGLISH = "Maria Lindqvist leads the Harrow Valley Water Board in Northmere, which bought Hydro Systems Ltd last year."
CHINESE = "云岭灌区管理局位于临江市，负责人为周启明。"


def marked(text: str) -> dict[str, str]:
    return {text[each.start : each.end]: each.kind for each in OnnxEntityTagger().tag([text])[0]}


def test_persons_organizations_and_places_of_two_languages() -> None:
    assert marked(ENGLISH) == {
        "Maria Lindqvist": "PERSON",
        "Harrow Valley Water Board": "ORGANIZATION",
        "Northmere": "LOCATION",
        "Hydro Systems Ltd": "ORGANIZATION",
    }
    assert marked(CHINESE) == {"云岭灌区管理局": "ORGANIZATION", "临江市": "LOCATION", "周启明": "PERSON"}


def test_traditional_characters() -> None:
    assert marked("臺灣大學位於臺北市，負責人為周啟明教授。") == {
        "臺灣大學": "ORGANIZATION",
        "臺北市": "LOCATION",
        "周啟明": "PERSON",
    }


def test_ordinary_sentences_name_nobody() -> None:
    assert not marked(
        "I'm sure that they're done by mid-April. However, results vary. 第三条：问题主要是高度重视不够。"
    )


@pytest.mark.parametrize("sentence", [ENGLISH, CHINESE])
def test_a_long_text_is_read_to_its_end(sentence: str) -> None:
    text = f"{sentence}\n" * (3 * LONGEST // 20)
    found = OnnxEntityTagger().tag([text])[0]
    assert all(one.end <= other.start for one, other in pairwise(found))
    last = max(found, key=lambda each: each.end)
    assert last.end > len(text) - len(sentence)


def test_what_is_read_with_a_text_changes_nothing() -> None:
    alone = OnnxEntityTagger().tag([ENGLISH])
    assert OnnxEntityTagger().tag([CHINESE, ENGLISH, ""])[1:] == [*alone, []]


def test_a_name_is_never_a_part_of_a_word() -> None:
    for text in ("Quarkdownist Brindlewickers met.", "the preMaria-Lindqvistian era", "EskFlow2x"):
        for each in OnnxEntityTagger().tag([text])[0]:
            assert each.start == 0 or not (text[each.start - 1].isalnum() and text[each.start].isalnum())
            assert each.end == len(text) or not (text[each.end].isalnum() and text[each.end - 1].isalnum())


def test_weights_that_are_lost_are_said_with_the_remedy(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(entity_tagger, "FOLDER", tmp_path)
    with pytest.raises(ServiceError, match="Reinstall GraphTalk"):
        OnnxEntityTagger().tag([ENGLISH])


@pytest.mark.parametrize(
    ("text", "name"),
    [
        ("the Companies Act 2014,", "Companies Act 2014"),
        ("Lund College (", "Lund College"),
        ("“Lund College", "Lund College"),
        ("Acme (UK)", "Acme (UK)"),
        ('"Weird Al" Holm', '"Weird Al" Holm'),
        ("《山中归路》、", "《山中归路》"),
        ("Acme Inc.", "Acme Inc."),
    ],
)
def test_marks_around_a_name_are_no_part_of_it(text: str, name: str) -> None:
    start = text.index(name.split()[0]) if text.startswith("the") else 0
    found = entity_tagger._without_marks(text, start, len(text))
    assert text[slice(*found)] == name


def test_titles_that_follow_each_other_are_several_names() -> None:
    assert list(entity_tagger._titles("《山》《海》", 0, 6)) == [(0, 3), (3, 6)]
