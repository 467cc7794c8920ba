"""Comparing two runs."""

import pytest

from core.runs.events import Scored
from core.runs.history.compare import MAX_PIECES, RunSide, Use, compare, differences, overlap
from core.runs.history.view import RunView, StepView
from core.search.model import Citation


def cited(*chunks: str) -> tuple[Citation, ...]:
    return tuple(Citation(n, chunk, "d", "a.pdf", 0, (), "quote", 0.9) for n, chunk in enumerate(chunks, start=1))


def scored(*chunks: str) -> tuple[Scored, ...]:
    return tuple(Scored(chunk, "a.pdf", 1, f"text of {chunk}", 0.5) for chunk in chunks)


def steps(*nodes: str) -> tuple[StepView, ...]:
    return tuple(StepView(node, 1) for node in nodes)


def texts(view: RunView, other: RunView, side: RunSide) -> str:
    return "".join(piece for kind, piece in differences(view, other) if kind in {RunSide.BOTH, side})


def test_steps_of_the_same_node_stand_side_by_side() -> None:
    left = RunView(steps=steps("plan", "retrieve", "generate"))
    right = RunView(steps=steps("plan", "web_search", "generate"))
    pairs = [(pair.left and pair.left.node, pair.right and pair.right.node) for pair in compare(left, right).steps]
    assert pairs == [("plan", "plan"), ("retrieve", None), (None, "web_search"), ("generate", "generate")]


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("Every 90 days [1].", "Every 30 days, by hand [1]."),
        ("浮标每90天校准。", "浮标每30天由人校准。"),
        ("", "Something."),
        ("The same.", "The same."),
    ],
)
def test_both_answers_can_be_read_from_their_differences(left: str, right: str) -> None:
    one, other = RunView(answer=left), RunView(answer=right)
    assert (texts(one, other, RunSide.LEFT), texts(one, other, RunSide.RIGHT)) == (left, right)


def test_only_the_words_that_differ_are_marked() -> None:
    pieces = differences(RunView(answer="It takes 90 days."), RunView(answer="It takes 30 days."))
    assert pieces == (
        (RunSide.BOTH, "It takes "),
        (RunSide.LEFT, "90"),
        (RunSide.RIGHT, "30"),
        (RunSide.BOTH, " days."),
    )


def test_long_answers_are_compared_by_sentences() -> None:
    left = "One sentence of many. " * MAX_PIECES
    pieces = differences(RunView(answer=left), RunView(answer=f"{left}A last one."))
    assert pieces[-1] == (RunSide.RIGHT, "A last one. ")


def test_evidence_says_what_each_run_made_of_a_passage() -> None:
    left = RunView(citations=cited("a"), steps=(StepView("grade", 1, kept=scored("a", "b"), rejected=scored("c")),))
    right = RunView(citations=cited("a"), steps=(StepView("grade", 1, kept=scored("c"), rejected=scored("d")),))
    rows = [(row.text, row.left, row.right) for row in compare(left, right).evidence]
    assert rows[0] == ("text of a", Use.CITED, Use.CITED)
    assert sorted(rows[1:]) == [("text of b", Use.KEPT, Use.UNSEEN), ("text of c", Use.REJECTED, Use.KEPT)]


def test_overlap_is_the_share_of_what_all_cite() -> None:
    one, other = RunView(citations=cited("a", "b")), RunView(citations=cited("b", "c"))
    assert overlap(one, other) == pytest.approx(1 / 3)
    assert overlap(one, one, one) == 1.0
    assert overlap(one, RunView()) == 0.0
    assert overlap(RunView(), RunView()) is None
