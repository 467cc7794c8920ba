"""Results measured against what is expected, figures by workflow, and what changed."""

from dataclasses import replace
from datetime import timedelta

import pytest

from core.runs.evaluation.comparing import Change, Proportion, changes, figures_of, last_time, rows_of
from core.runs.evaluation.evaluator import measured
from core.runs.evaluation.model import Case, CaseResult, Evaluation, EvaluationStatus
from core.runs.history.prices import Price
from core.runs.model import Run, RunStatus, Usage
from core.search.model import Citation
from tests.fakes.samples import NOW

CITATION = Citation(1, "c", "d", "Handbook.pdf", 2, ((2, (0, 0, 1, 1)), (3, (0, 0, 1, 1))), "quote", 0.9)
RUN = Run(
    "r", "t", "b", "How deep?", "adaptive", "m-1", RunStatus.DONE, NOW, "answered", "**42 m**: “It is 42 m.” Really.",
    (CITATION,), Usage(1, 1_000_000, 0), 2.0,
)  # fmt: skip


def case(**expected: object) -> Case:
    return Case("c1", "How deep?", **expected)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("expected", "page", "answer"),
    [
        ({}, None, None),
        ({"document": "handbook"}, True, None),
        ({"document": "HANDBOOK.PDF", "page": 3}, True, None),
        ({"page": 4}, True, None),
        ({"page": 2}, False, None),
        ({"document": "other.pdf"}, False, None),
        ({"answer": "４２ M"}, None, True),
        ({"answer": "43 m"}, None, False),
        ({"declined": True}, None, False),
    ],
)
def test_a_result_is_measured_by_what_is_expected(
    expected: dict[str, object], page: bool | None, answer: bool | None
) -> None:
    result = measured(case(**expected), RUN, 0)
    assert (result.right_page, result.right_answer) == (page, answer)


def test_sentences_are_counted_where_an_answer_was_written() -> None:
    result = measured(case(), RUN, 1)
    assert (result.sentences, result.supported, result.ending) == (2, 1, "answered")
    declined = measured(case(declined=True), replace(RUN, outcome="not_found"), 0)
    assert (declined.sentences, declined.right_answer) == (0, True)
    assert measured(case(), replace(RUN, status=RunStatus.FAILED, outcome=""), 0).ending == "failed"


def result(**changed: object) -> CaseResult:
    made = CaseResult("c1", "adaptive", "r", "m-1", "answered", True, True, 2, 2, False, 2.0, Usage(1, 1_000_000, 0))
    return replace(made, **changed)  # type: ignore[arg-type]


def test_figures_are_those_of_one_workflow() -> None:
    results = [
        result(),
        result(case_id="c2", ending="closest", right_page=False, right_answer=None, sentences=0, supported=0),
        result(case_id="c3", ending="failed", right_page=None, degraded=True, sentences=2, supported=1, seconds=5.0),
        result(workflow="planner"),
    ]
    found = figures_of("adaptive", results, (Price("m-1", 2.0, 0.0),))
    assert (found.asked, found.answered, found.declined, found.failed, found.degraded) == (3, 1, 1, 1, 1)
    assert (found.right_pages, found.right_answers, found.supported) == (
        Proportion(1, 2),
        Proportion(2, 2),
        Proportion(3, 4),
    )
    assert (found.seconds, found.usage.prompt_tokens, found.costs) == (3.0, 3_000_000, {"USD": 6.0})
    assert figures_of("nobody", results, ()).seconds == 0.0


@pytest.mark.parametrize(
    ("now", "change"),
    [
        ({}, Change.SAME),
        ({"right_page": False}, Change.WORSE),
        ({"ending": "closest", "sentences": 0, "supported": 0}, Change.WORSE),
        ({"ending": "failed"}, Change.WORSE),
        ({"supported": 1}, Change.WORSE),
        ({"seconds": 9.0}, Change.SAME),
    ],
)
def test_worse_in_anything_is_worse(now: dict[str, object], change: Change) -> None:
    assert changes([case()], [result()], [result(**now)]) == {("c1", "adaptive"): change}
    back = {Change.WORSE: Change.BETTER, Change.SAME: Change.SAME}[change]
    assert changes([case()], [result(**now)], [result()]) == {("c1", "adaptive"): back}


def test_declining_what_cannot_be_answered_is_better() -> None:
    wrong, right = result(right_answer=False), result(ending="not_found", right_answer=True, sentences=0, supported=0)
    assert changes([case(declined=True)], [wrong], [right]) == {("c1", "adaptive"): Change.BETTER}


def test_only_what_was_asked_both_times_is_compared() -> None:
    assert changes([case()], [result(case_id="c9")], [result()]) == {}


def test_the_last_time_is_of_the_same_knowledge_base() -> None:
    one = Evaluation("e1", "l", "b", "t", ("adaptive",), (case(),), EvaluationStatus.DONE, "", NOW)
    two = replace(one, id="e2", base_id="other", started_at=NOW + timedelta(hours=1))
    three = replace(one, id="e3", started_at=NOW + timedelta(hours=2))
    assert last_time(three, [three, two, one]) == one
    assert last_time(one, [three, two, one]) is None


def test_rows_stand_in_the_order_of_the_list() -> None:
    other = replace(case(), id="c0", question="Why?")
    rows = rows_of([other, case()], [result(), result(case_id="c0")], {("c1", "adaptive"): Change.WORSE})
    assert [(row["question"], row["change"]) for row in rows] == [("Why?", None), ("How deep?", "worse")]
