import math

import pytest

from core.app.bench.retrieval import Judged, ndcg, quality, recall, reciprocal_rank


def test_recall_is_the_share_of_what_should_be_found() -> None:
    assert recall(["a", "x", "b"], {"a", "b"}, 2) == 0.5
    assert recall(["a", "x", "b"], {"a", "b"}, 3) == 1.0


def test_ndcg_is_one_for_the_best_order_and_less_for_others() -> None:
    assert ndcg(["a", "b", "x"], {"a", "b"}, 10) == 1.0
    assert ndcg(["x", "a"], {"a"}, 10) == pytest.approx(1 / math.log2(3))
    assert ndcg(["x"], {"a"}, 10) == 0.0


def test_the_reciprocal_rank_looks_at_the_first_hit_within_the_cut() -> None:
    assert reciprocal_rank(["x", "a", "b"], {"a", "b"}, 10) == 0.5
    assert reciprocal_rank(["x", "a"], {"a"}, 1) == 0.0


def test_means_leave_out_questions_without_an_answer() -> None:
    rows = [Judged(("a", "b"), frozenset("ab")), Judged(("x",), frozenset("a")), Judged(("x",), frozenset())]
    found = quality(rows)
    assert (found.recall, found.ndcg, found.mrr, found.questions) == ((0.5, 0.5, 0.5), 0.5, 0.5, 2)


def test_no_questions_give_zeros() -> None:
    assert quality([]).recall == (0.0, 0.0, 0.0)
