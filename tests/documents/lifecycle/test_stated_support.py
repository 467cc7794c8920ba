"""Relations after an edit: kept where their words stand or another place states them, gone where they were changed."""

from dataclasses import replace

import pytest

from core.documents.lifecycle.edited_text import Edit, still_stated, stretches
from core.graph.model import Mention, Relation

OLD = "Ingrid leads the Observatory. Lumen floats near Marlow."
NAMES = ("Ingrid", "Observatory", "Lumen", "Marlow")
PAGE = ("d", 0)
LEADS = Relation("Ingrid", "Observatory", "leads", 0.9, (PAGE,))


def mentions(text: str, chunk: str = "c", page: int = 0) -> tuple[Mention, ...]:
    return tuple(
        Mention(f"{chunk}-{name}", name, "d", chunk, page, text.index(name), text.index(name) + len(name), name, 1.0)
        for name in NAMES
        if name in text
    )


def edited(new: str, *elsewhere: Mention, old: str = OLD) -> Edit:
    return Edit(mentions(old), mentions(new), elsewhere, tuple(stretches(old, new)))


@pytest.mark.parametrize(
    ("new", "stays"),
    [
        (OLD.replace("Lumen floats", "Halo swims"), True),
        (f"In 2021, {OLD}", True),
        (OLD.replace("leads", "left"), False),
        (OLD.replace("leads", "no longer leads"), False),
        (OLD.replace("Ingrid", "Rafael"), False),
        (OLD.replace("Ingrid leads the Observatory. ", ""), False),
        ("", False),
    ],
)
def test_the_words_from_one_name_to_the_other_must_stand(new: str, stays: bool) -> None:
    assert still_stated([LEADS], edited(new)) == ((LEADS,) if stays else ())


def test_a_relation_that_another_chunk_of_the_page_may_state_stays() -> None:
    other = mentions("The Observatory is where Ingrid works.", "other")
    assert still_stated([LEADS], edited("Nothing.", *other)) == (LEADS,)
    on_another_page = mentions("The Observatory is where Ingrid works.", "other", page=7)
    assert still_stated([LEADS], edited("Nothing.", *on_another_page)) == ()


def test_only_the_page_that_was_edited_is_lost() -> None:
    twice = replace(LEADS, pages=(PAGE, ("d", 7)))
    assert still_stated([twice], edited("Nothing.")) == (replace(LEADS, pages=(("d", 7),)),)


def test_one_that_was_stated_over_two_chunks_stays_while_both_names_do() -> None:
    old, far = "Ingrid writes.", mentions("The Observatory hums.", "other")
    assert still_stated([LEADS], edited("Ingrid writes much.", *far, old=old)) == (LEADS,)
    assert still_stated([LEADS], edited("She writes.", *far, old=old)) == ()


def test_imported_relations_without_a_page_stay() -> None:
    imported = replace(LEADS, pages=())
    assert still_stated([imported], edited("Nothing.")) == (imported,)
