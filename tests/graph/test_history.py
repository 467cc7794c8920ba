"""What the log tells of a span of time, and of one entity."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta

from core.graph.edits import EventKind, GraphEdit, GraphEvent, LoggedEdit
from core.graph.model import Entity
from core.graph.resolution import editing
from core.graph.resolution.resolution import Difference, difference, documents_at, edits_of, in_force, way_back

NOON = datetime(2026, 11, 20, 12, tzinfo=UTC)
ADA, BECK, COVE = (Entity(name, "b", name.title(), "PERSON") for name in ("ada", "beck", "cove"))


def log(*edits: GraphEdit, undone: int = 0) -> list[LoggedEdit]:
    """An hour apart; the one of the given number is undone."""
    return [
        LoggedEdit(number, number, NOON + timedelta(hours=number), edit, undone=number == undone)
        for number, edit in enumerate(edits, start=1)
    ]


EDITS = (
    editing.rename(ADA, "A. L."),
    editing.merge(ADA, [BECK]),
    editing.delete([COVE]),
    editing.retype([ADA], "robot"),
)


def test_an_entity_has_the_edits_that_name_it_or_a_part_of_it() -> None:
    assert [each.number for each in edits_of(log(*EDITS), ("ada",))] == [4, 2, 1]
    assert [each.number for each in edits_of(log(*EDITS), ("beck",))] == [2]
    assert [each.number for each in edits_of(log(*EDITS, undone=2), ("ada",))] == [4, 1]


def hour(number: int) -> datetime:
    return NOON + timedelta(hours=number)


def turn(kind: EventKind, subject: object, at: int) -> GraphEvent:
    return GraphEvent(kind, hour(at), str(subject))


def test_an_edit_is_in_force_from_when_it_was_made_until_it_was_undone_and_again_once_redone() -> None:
    events = [turn(EventKind.UNDONE, 2, 5), turn(EventKind.REDONE, 2, 7), turn(EventKind.UNDONE, 3, 8)]
    made = log(*EDITS, undone=3)
    in_force_at = {at: in_force(made, events, hour(at)) for at in (1, 2, 3, 5, 6, 8, 9)}
    assert in_force_at == {
        1: set(),
        2: {1},
        3: {1, 2},
        5: {1, 2, 3, 4},
        6: {1, 3, 4},
        8: {1, 2, 3, 4},
        9: {1, 2, 4},
    }


def test_an_edit_of_a_file_counts_from_when_it_was_brought_in_whatever_its_own_time() -> None:
    events = [turn(EventKind.ADDED, 1, 6), turn(EventKind.ADDED, 2, 6)]
    assert in_force(log(*EDITS), events, hour(5)) == {3, 4}
    assert in_force(log(*EDITS, undone=1), events, hour(7)) == {2, 3, 4}


def test_the_way_back_undoes_what_came_later_and_redoes_what_was_undone_since() -> None:
    events = [turn(EventKind.UNDONE, 1, 5)]
    undo, redo = way_back(log(*EDITS, undone=1), events, hour(3))
    assert ([each.number for each in undo], [each.number for each in redo]) == ([3, 4], [1])


def test_documents_are_there_from_when_they_were_read_until_they_were_deleted() -> None:
    events = [
        GraphEvent(EventKind.PUBLISHED, hour(1), "d1", name="a.pdf"),
        GraphEvent(EventKind.PUBLISHED, hour(2), "d2", name="b.pdf"),
        GraphEvent(EventKind.DELETED, hour(3), "d1", name="a.pdf"),
        turn(EventKind.UNDONE, 1, 3),
    ]
    assert documents_at(events, hour(1)) == {}
    assert documents_at(events, hour(3)) == {"d1": "a.pdf", "d2": "b.pdf"}
    assert documents_at(events, hour(9)) == {"d2": "b.pdf"}


def test_entities_of_two_times_are_new_gone_or_changed() -> None:
    renamed = replace(ADA, name="A. L.")
    told = difference([ADA, BECK], [renamed, COVE])
    assert told == Difference((COVE,), (BECK,), ((ADA, renamed),))
    assert difference([ADA], [ADA]) == Difference((), (), ())
