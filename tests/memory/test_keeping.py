"""What a new memory meets: twins, older ones that say otherwise, and what was declined or deleted."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.memory.contradictions import StatementMeanings
from core.memory.keeping import compared, keep, may_be_replaced, quoted, repeats
from core.memory.model import AnswerForm, Memory, MemoryKind, MemoryStatus
from tests.fakes import memory_of
from tests.fakes.memories import FakeMemories

PREFERENCE = MemoryKind.PREFERENCE


def forms(text: str) -> AnswerForm | None:
    brief, long = {"brief", "short"}, {"long"}
    words = set(text.lower().split())
    return AnswerForm.SHORTER if words & brief else AnswerForm.LONGER if words & long else None


MEANINGS = StatementMeanings(forms)


def kept(*memories: Memory) -> FakeMemories:
    return FakeMemories({memory.id: memory for memory in memories})


@pytest.mark.parametrize(
    ("older", "newer", "kind"),
    [
        ("I like brief replies", "I prefer short answers", PREFERENCE),
        ("Name: Alex", "name: alex", MemoryKind.FACT),
        ("I work on the buoys", "I work on buoys", MemoryKind.FACT),
    ],
)
def test_near_twins_are_known(older: str, newer: str, kind: MemoryKind) -> None:
    store = kept(memory_of(older, kind))
    standing, met = keep(store, memory_of(newer, kind), MEANINGS)
    assert met.twin == standing == store.get(f"m-{older}")
    assert len(store.kept) == 1


@pytest.mark.parametrize(
    ("older", "newer", "kind"),
    [
        ("I like brief replies", "I prefer long answers", PREFERENCE),
        ("Name: Alex", "Name: Sam", MemoryKind.FACT),
        ("Our buoys are calibrated every 90 days", "Our buoys are calibrated every 60 days", MemoryKind.FACT),
    ],
)
def test_what_says_otherwise_is_superseded(older: str, newer: str, kind: MemoryKind) -> None:
    store = kept(memory_of(older, kind))
    standing, met = keep(store, replace(memory_of(newer, kind), thread_id="t"), MEANINGS)
    assert [one.text for one in met.outdated] == [older]
    superseded = store.get(f"m-{older}")
    assert (superseded.status, superseded.superseded_by) == (MemoryStatus.SUPERSEDED, standing.id)


@pytest.mark.parametrize("said", ["Name: Alex", "Name: Sam"])
def test_what_holds_in_another_chat_alone_stays_and_keeps_nothing_out(said: str) -> None:
    elsewhere = replace(memory_of("Name: Alex", id="elsewhere"), thread_id="t1", in_thread_only=True)
    store = kept(elsewhere)
    _, met = keep(store, replace(memory_of(said), thread_id="t2"), MEANINGS)
    assert (met.twin, met.outdated) == (None, ())
    assert store.get("elsewhere") == elsewhere
    assert len(store.kept) == 2


@pytest.mark.parametrize("status", [MemoryStatus.PROPOSED, MemoryStatus.ACTIVE])
def test_what_holds_in_another_chat_alone_holds_everywhere_once_it_is_certainly_said(status: MemoryStatus) -> None:
    elsewhere = replace(memory_of("I keep bees"), thread_id="t1", in_thread_only=True)
    store = kept(elsewhere)
    said = replace(elsewhere, status=status, thread_id="t2", in_thread_only=False)
    keep(store, said, MEANINGS)
    assert store.find() == [said if status is MemoryStatus.ACTIVE else elsewhere]


def test_the_nearest_older_statement_on_the_same_thing_may_be_replaced() -> None:
    said = replace(memory_of("I moved to Trieste"), thread_id="t")
    boat = memory_of("My boat lies in Trieste")
    graz = memory_of("I live in Graz")
    later = replace(memory_of("I live in Porto"), created_at=said.created_at + timedelta(minutes=1))
    far = memory_of("I have a cat")
    store = kept(boat, graz, later, far)
    store.nearest = {boat.id: 0.1, later.id: 0.2, graz.id: 0.3, far.id: 0.9}
    assert may_be_replaced(store, said, MEANINGS, lambda _, older: "boat" not in older) == graz
    assert may_be_replaced(store, said, MEANINGS, lambda _, older: "cat" in older) is None


@pytest.mark.parametrize(
    ("older", "newer"),
    [
        ("校長的生日是五月三日", "校慶是十月十日"),
        ("Work email: j@brightmere.example", "Personal email: j@mail.example"),
    ],
)
def test_what_says_something_of_another_thing_is_not_offered_to_be_replaced(older: str, newer: str) -> None:
    store = kept(known := memory_of(older))
    store.nearest = {known.id: 0.1}
    assert may_be_replaced(store, replace(memory_of(newer), thread_id="t"), MEANINGS, lambda *_: True) is None


def test_what_is_replaced_anyway_is_not_offered_to_be() -> None:
    said = replace(memory_of("Name: Sam"), thread_id="t")
    store = kept(older := memory_of("Name: Alex"))
    store.nearest = {older.id: 0.1}
    assert may_be_replaced(store, said, MEANINGS, lambda *_: True) is None


def test_tastes_beside_each_other_are_both_kept() -> None:
    store = kept(memory_of("I like tea", PREFERENCE))
    assert keep(store, memory_of("I like coffee", PREFERENCE), MEANINGS)[1].outdated == ()


def test_the_same_said_by_another_speaker_by_hand_supersedes_nothing() -> None:
    store = kept(memory_of("Caroline: I went home"))
    assert keep(store, memory_of("Caroline: I stayed"), MEANINGS)[1].outdated == ()


@pytest.mark.parametrize("status", [MemoryStatus.PROPOSED, MemoryStatus.REJECTED, MemoryStatus.ACTIVE])
def test_nothing_is_proposed_twice(status: MemoryStatus) -> None:
    store = kept(memory_of("I keep bees", status=status))
    proposal = replace(memory_of("I keep the bees"), status=MemoryStatus.PROPOSED)
    assert compared(store, proposal, MEANINGS).twin == store.get("m-I keep bees")


def test_what_the_user_says_takes_its_proposal_out_of_the_inbox() -> None:
    store = kept(memory_of("I keep bees", status=MemoryStatus.PROPOSED))
    keep(store, memory_of("I keep the bees"), MEANINGS)
    assert store.find(MemoryStatus.PROPOSED) == []


def test_a_proposal_that_says_otherwise_goes_unless_it_was_said_later() -> None:
    earlier = memory_of("Name: Alex", status=MemoryStatus.PROPOSED)
    now = replace(memory_of("Name: Sam"), thread_id="t", created_at=earlier.created_at + timedelta(minutes=1))
    later = replace(memory_of("Name: Kim", status=MemoryStatus.PROPOSED), created_at=now.created_at + timedelta(1))
    store = kept(earlier, later)
    assert keep(store, now, MEANINGS)[1].outdated == (earlier,)
    assert store.find(MemoryStatus.PROPOSED) == [later]


def test_only_a_statement_with_what_was_said_then_repeats_the_older_one() -> None:
    older = memory_of("I live in Graz")
    assert repeats(memory_of("I live in Graz, then “no, Linz”"), older)
    assert repeats(memory_of("我住杭州，随后说“是苏州”"), memory_of("我住杭州"))
    assert not repeats(memory_of("I live in Graz, near the river"), older)


@pytest.mark.parametrize(
    ("language", "told"),
    [
        ("en", "“I live in Graz”; Name: Alex"),
        ("zh-hans", "“I live in Graz”；Name: Alex"),
        ("zh-hant", "「I live in Graz」；Name: Alex"),
    ],
)
def test_an_answer_tells_what_a_person_said_in_quotation_marks(language: str, told: str) -> None:
    assert quoted(["I live in Graz", "Name: Alex"], language) == told
