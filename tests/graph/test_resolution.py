"""What edits of a graph come to, in any order."""

import pytest

from core.graph.edits import GraphEdit, Resolution
from core.graph.model import Entity, Relation, Saying
from core.graph.network.cooccurrence import Cooccurrence
from core.graph.network.network import Network
from core.graph.resolution import editing
from core.graph.resolution.resolution import NOTHING, combined, resolve
from core.platform.errors import InputError
from tests.graph.edited_graphs import Editor

A, B, C, D, E, F = ENTITIES = [Entity(letter, "base", letter.upper(), "CONCEPT") for letter in "abcdef"]
EVERYTHING = frozenset(entity.id for entity in ENTITIES)


def after(*edits: GraphEdit, existing: frozenset[str] = EVERYTHING) -> Resolution:
    return resolve(edits, existing)


def test_without_edits_nothing_changes() -> None:
    assert after() is NOTHING
    assert (NOTHING.of("a"), NOTHING.members("a"), NOTHING.changes_entities) == ("a", ("a",), False)


def test_merging_follows_what_was_merged_before() -> None:
    found = after(editing.merge(A, [B]), editing.merge(C, [A]))
    assert [found.of(id) for id in "abc"] == ["c", "c", "c"]
    assert found.members("c") == ("c", "a", "b")


def test_merging_in_a_circle_keeps_one_entity() -> None:
    found = after(editing.merge(A, [B]), editing.merge(B, [A]))
    assert {found.of("a"), found.of("b")} == {"a"}


def test_what_leaves_takes_along_what_was_merged_into_it() -> None:
    found = after(editing.merge(A, [B]), editing.merge(C, [A]), editing.split(A))
    assert [found.of(id) for id in "abc"] == ["a", "a", "c"]


def test_names_given_before_a_merge_become_aliases_and_return_with_a_split() -> None:
    edits = [editing.rename(A, "Alpha"), editing.alias(A, "First"), editing.merge(B, [A])]
    merged, split = after(*edits), after(*edits, editing.split(A))
    assert (merged.names, merged.aliases) == ({}, {"b": ("First", "Alpha")})
    assert (split.names, split.aliases) == ({"a": "Alpha"}, {"a": ("First",)})


def test_what_is_deleted_is_gone_with_its_parts_until_somebody_merges_it() -> None:
    deleted = [editing.merge(A, [B]), editing.delete([A])]
    assert after(*deleted).removed == {"a", "b"}
    assert (after(*deleted).of("b"), after(*deleted).into) == ("", {})
    assert after(*deleted, editing.merge(C, [A])).members("c") == ("c", "a", "b")


def test_when_the_entity_merged_into_is_gone_another_takes_its_place_and_its_name() -> None:
    found = after(editing.merge(A, [B, C]), editing.rename(A, "Alpha"), existing=frozenset("bc"))
    assert (found.members("b"), found.names, found.of("c")) == (("b", "c"), {"b": "Alpha"}, "b")


def test_of_a_relation_what_was_said_last_holds() -> None:
    stated, denied = editing.state(A, "owns", B), editing.deny(A, "owns", B)
    assert not after(stated, denied).stated
    assert after(stated, denied).denied == {("a", "b", "owns")}
    assert (len(after(denied, stated).stated), after(denied, stated).denied) == (1, frozenset())
    assert after(denied, editing.merge(C, [A])).denied == {("c", "b", "owns")}
    assert after(denied, editing.delete([B])).denied == frozenset()


def test_what_is_denied_is_not_in_the_graph() -> None:
    network = Network(Cooccurrence({}), (Relation("a", "b", "owns", 0.9), Relation("a", "b", "founded", 0.9)))
    assert [each.relation for each in network.resolved(after(editing.deny(A, "owns", B))).stated] == ["founded"]


def test_what_a_text_states_too_is_not_stated_by_hand() -> None:
    network = Network(Cooccurrence({}), (Relation("a", "b", "owns", 0.9),))
    resolved = network.resolved(after(editing.state(A, "owns", B), editing.state(B, "owns", A)))
    assert {(each.source_id, each.by_hand) for each in resolved.stated} == {("a", False), ("b", True)}


def test_what_a_rejected_passage_alone_states_is_not_in_the_graph() -> None:
    sayings = tuple(Saying("d", f"c{number}", 0, 9) for number in range(2))
    stated = Relation("b", "a", "owns", 0.9, sayings=sayings), Relation("b", "a", "runs", 0.9, sayings=sayings[:1])
    (kept,) = Network(Cooccurrence({}), stated).resolved(after(editing.reject(A, B, "c0"))).stated
    assert (kept.relation, kept.sayings) == ("owns", sayings[1:])


def test_relations_follow_their_entities_and_need_two() -> None:
    stated = editing.state(A, "leads", B, [("d", 2)])
    (relation,) = after(stated, stated, editing.merge(C, [A])).stated
    assert relation == Relation("c", "b", "leads", 1.0, (("d", 2),), by_hand=True)
    assert after(stated, editing.merge(A, [B])).stated == after(stated, editing.delete([B])).stated == ()


def test_rejected_passages_and_different_entities_are_kept_by_pair() -> None:
    found = after(editing.reject(B, A, "chunk"), editing.apart(D, C), editing.merge(E, [A]))
    assert set(found.rejected) == {("chunk", "b", "e")}
    assert set(found.apart) == {("c", "d")}


def test_what_was_merged_and_split_again_is_known_to_be_different() -> None:
    assert after(editing.merge(A, [B, C]), editing.split(C)).apart == {("a", "c")}
    assert after(editing.merge(A, [B]), editing.split(B), editing.merge(A, [B])).apart == frozenset()
    assert after(editing.split(B)).apart == frozenset()


def test_resolutions_of_several_bases_stand_side_by_side() -> None:
    found = combined([after(editing.merge(A, [B])), after(editing.delete([C]))])
    assert (found.of("b"), found.of("c")) == ("a", "")
    assert combined([]) is NOTHING


@pytest.mark.parametrize(
    "make",
    [
        lambda: editing.merge(A, [A]),
        lambda: editing.rename(A, " \u200b "),
        lambda: editing.rename(A, "x" * 201),
        lambda: editing.alias(A, ""),
        lambda: editing.retype([A], "<b>"),
        lambda: editing.retype([A], "ONE, TWO"),
        lambda: editing.state(A, "", B),
        lambda: editing.state(A, "is", A),
    ],
)
def test_what_cannot_be_done_is_said(make) -> None:  # type: ignore[no-untyped-def]
    with pytest.raises(InputError):
        make()


def test_types_are_written_as_types_are() -> None:
    assert editing.retype([A], "legal form").text == "LEGAL_FORM"
    assert editing.retype([A], "person").text == "PERSON"
    assert editing.retype([A], "Gene/Protein", ("Gene/Protein",)).text == "Gene/Protein"


def test_any_sequence_of_edits_leaves_every_entity_in_one_place() -> None:
    """A thousand sequences; undoing one edit and redoing it comes to the same, undoing all comes to nothing."""
    for seed in range(1_000):
        editor = Editor(seed, ENTITIES)
        log = [editor.next() for _ in range(12)]
        found = after(*log)
        shown = {id for id in EVERYTHING if found.of(id) == id}
        assert sorted(id for each in shown for id in found.members(each)) == sorted(EVERYTHING - found.removed), seed
        assert all(found.of(part) == id for id in shown for part in found.members(id)), seed
        assert all(found.of(found.of(id)) == found.of(id) for id in EVERYTHING - found.removed), seed
        assert {*found.names, *found.types, *found.aliases, *found.parts} <= shown, seed
        undone = editor.choose(range(len(log)))
        without = [edit for number, edit in enumerate(log) if number != undone]
        assert after(*without[:undone], log[undone], *without[undone:]) == found, seed
        fewer = frozenset(sorted(EVERYTHING)[1:])
        assert {after(*log, existing=fewer).of(id) for id in fewer} <= {*fewer, ""}, seed
