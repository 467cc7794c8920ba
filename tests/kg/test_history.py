"""What the log tells of a span of time, and of one entity."""

from datetime import UTC, datetime, timedelta

from core.domain.graph_edits import EditKind, GraphEdit, LoggedEdit
from core.domain.knowledge import Entity
from core.kg import editing
from core.kg.history import edited_between, edits_of

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


def test_a_span_of_time_has_its_edits_and_what_went_by_them() -> None:
    edited = edited_between(log(*EDITS), NOON + timedelta(hours=2), NOON + timedelta(hours=4))
    assert [each.edit.kind for each in edited.changed] == [EditKind.DELETE, EditKind.MERGE]
    assert edited.gone == ("Cove", "Beck")


def test_what_was_undone_changed_nothing() -> None:
    edited = edited_between(log(*EDITS, undone=3), NOON, NOON + timedelta(days=1))
    assert edited.gone == ("Beck",)
