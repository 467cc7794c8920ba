import pytest

from core.search.retrieval.ranking import (
    Link,
    LinkKind,
    RankedChunk,
    Signals,
    VectorWeight,
    Weights,
    diversified,
    link_bonus,
    probability,
    prominence,
    relative,
    strength,
    weight_of_hashed_words,
    weight_of_sentences,
    weight_of_whole_passages,
)

EVEN = Weights(dict.fromkeys("abcd", 1.0), 4.0)


class TestWeights:
    def test_rare_terms_weigh_more_and_unknown_ones_most(self) -> None:
        of = Weights.by_rarity(100, {"common": 90, "rare": 2, "unknown": 0}).of
        assert 0 < of["common"] < of["rare"] < of["unknown"]

    def test_shares_are_of_the_whole_query(self) -> None:
        assert EVEN.share({"a", "b", "elsewhere"}) == 0.5
        assert EVEN.share(set()) == 0.0
        assert Weights().share({"a"}) == 0.0


class TestSignals:
    def test_a_poor_best_match_is_worth_less_than_a_good_one(self) -> None:
        poor, good = {"a": 0.5, "b": 0.25}, {"a": 5.0, "b": 2.5}
        assert relative(poor, strength(poor, 4.0)) == {"a": 0.125, "b": 0.03125}
        assert relative(good, strength(good, 4.0)) == {"a": 1.0, "b": 0.25}

    def test_nothing_found_is_no_signal(self) -> None:
        assert relative({}, strength({}, 4.0)) == {}
        assert strength({"a": 1.0}, 0.0) == 0.0
        assert prominence({}, 0.0) == {}

    def test_models_with_high_and_low_cosines_say_the_same(self) -> None:
        low = prominence({"a": 0.6, "b": 0.2, "c": 0.2}, 0.2)
        high = prominence({"a": 0.85, "b": 0.7, "c": 0.7}, 0.7)
        assert low == pytest.approx(high)
        assert low == pytest.approx({"a": 0.5, "b": 0.0, "c": 0.0})

    def test_what_is_below_the_background_is_worth_nothing(self) -> None:
        assert prominence({"a": 0.1, "b": 1.0}, 0.2) == {"a": 0.0, "b": 1.0}

    @pytest.mark.parametrize("weight", [weight_of_hashed_words, weight_of_whole_passages, weight_of_sentences])
    def test_vectors_count_for_more_where_words_find_nothing(self, weight: VectorWeight) -> None:
        assert weight(0.0, False) > weight(0.5, False) > weight(1.0, False) > 0.0

    def test_vectors_of_sentences_are_believed_across_languages_however_well_words_are_met(self) -> None:
        assert weight_of_sentences(1.0, True) > 5 * weight_of_sentences(1.0, False)

    def test_vectors_that_know_only_words_hardly_count(self) -> None:
        hashed, model = (
            RankedChunk(signals=Signals(similarity=1.0, vector_weight=weight(0.5, False)))
            for weight in (weight_of_hashed_words, weight_of_whole_passages)
        )
        assert hashed.score() < 0.1 < model.score()


class TestLinks:
    def test_a_link_is_worth_as_much_as_its_source(self) -> None:
        assert link_bonus(Link(1.0, 0.2, 1.0, LinkKind.TITLE)) == pytest.approx(
            2 * link_bonus(Link(0.5, 0.2, 1.0, LinkKind.TITLE))
        )

    @pytest.mark.parametrize("kind", LinkKind)
    def test_no_link_takes_anything_away(self, kind: LinkKind) -> None:
        assert link_bonus(Link(1.0, 0.0, 0.0, kind)) >= 0.0
        assert link_bonus(Link(0.0, 1.0, 1.0, kind)) == 0.0

    def test_the_best_link_counts_not_their_number(self) -> None:
        strong, weak = Link(0.9, 0.3, 1.0, LinkKind.TITLE), Link(0.1, 0.0, 0.2, LinkKind.ENTITY)
        assert RankedChunk(links=[weak, strong, weak]).score() == RankedChunk(links=[strong]).score()


def test_probabilities_stay_within_bounds() -> None:
    assert 0.0 < probability(-1e9) < 0.001
    assert 0.999 < probability(1e9) <= 1.0
    assert probability(0.0) == 0.5


class TestDiversified:
    def test_a_chunk_for_each_thing_asked_comes_before_a_second_one_for_the_first(self) -> None:
        candidates = {
            "one": RankedChunk(frozenset("ab"), Signals(1.0, 0.5)),
            "same": RankedChunk(frozenset("ab"), Signals(0.9, 0.5)),
            "other": RankedChunk(frozenset("cd"), Signals(0.6, 0.5)),
        }
        assert diversified(candidates, EVEN) == ["one", "other", "same"]

    def test_words_that_stand_together_change_the_order_and_no_score(self) -> None:
        apart, close = RankedChunk(proximity=-0.2), RankedChunk(proximity=0.2)
        assert apart.score() == close.score()
        assert diversified({"apart": apart, "close": close}, EVEN) == ["close", "apart"]

    def test_a_nearer_meaning_changes_the_order_and_no_score(self) -> None:
        far, near = RankedChunk(nearness=-0.2), RankedChunk(nearness=0.2)
        assert diversified({"far": far, "near": near}, Weights()) == ["near", "far"]
        assert far.score() == near.score()

    def test_without_overlap_the_order_is_that_of_the_scores(self) -> None:
        candidates = {str(n): RankedChunk(frozenset(), Signals(n / 20)) for n in range(20)}
        assert diversified(candidates, EVEN) == [str(n) for n in range(19, -1, -1)]

    def test_equal_candidates_are_ordered_by_id_whatever_their_order(self) -> None:
        names = [f"c{n:02}" for n in range(30)]
        assert diversified({n: RankedChunk() for n in reversed(names)}, EVEN) == names

    def test_nothing_gives_nothing(self) -> None:
        assert diversified({}, Weights()) == []
