"""A thread's runs as a tree: which are shown, and which stand beside them."""

from dataclasses import replace

from core.runs.branches import Branches, path_to
from core.runs.model import Run, RunStatus
from tests.fakes.samples import NOW

RUN = Run("", "t", "b", "", "adaptive", "built-in", RunStatus.DONE, NOW)


def run(id: str, question: str, parent: str = "") -> Run:
    return replace(RUN, id=id, question=question, parent_id=parent)


TREE = [
    run("a", "q1"),
    run("b", "q2", "a"),
    run("c", "q3", "b"),
    run("b2", "q2", "a"),
    run("d", "q2, edited", "a"),
    run("e", "q4", "d"),
]


def ids(runs: list[Run]) -> list[str]:
    return [each.id for each in runs]


def test_one_branch_is_shown() -> None:
    branches = Branches(TREE)
    assert ids(branches.path("c")) == ["a", "b", "c"]
    assert ids(branches.path("b2")) == ["a", "b2"]
    assert ids(branches.path("nothing")) == ["a", "d", "e"]
    assert Branches([]).path("") == []


def test_answers_to_one_wording_are_its_versions_and_other_wordings_stand_beside_it() -> None:
    branches = Branches(TREE)
    assert ids(branches.versions(TREE[1])) == ["b", "b2"]
    assert ids(branches.versions(TREE[4])) == ["d"]
    assert ids(branches.wordings(TREE[1])) == ["b", "d"]
    assert ids(branches.wordings(TREE[4])) == ["b2", "d"]
    assert ids(branches.wordings(TREE[0])) == ["a"]


def test_a_version_is_shown_with_what_was_asked_after_it() -> None:
    branches = Branches(TREE)
    assert branches.leaf_below(TREE[1]).id == "c"
    assert branches.leaf_below(TREE[4]).id == "e"
    assert branches.leaf_below(TREE[3]).id == "b2"


def test_a_run_whose_parent_is_gone_begins_a_branch() -> None:
    branches = Branches([run("a", "q1", "gone"), run("b", "q2", "a"), run("c", "q1", "")])
    assert ids(branches.path("b")) == ["a", "b"]
    assert ids(branches.versions(branches.path("b")[0])) == ["a", "c"]


def test_a_circle_ends() -> None:
    assert path_to({"a": "b", "b": "a"}, "a") == ["b", "a"]
