"""The passages shown where nothing surely answers: which, in what order, and what of them is marked."""

from dataclasses import replace

from core.agents.nodes.answer.nearest_passages import UNFOLDED, found_beside, nearest_passages, standing_in
from core.rulebook.evidence import EvidenceAssessment, assess
from core.runs.events import AnswerReady
from core.search.model import Citation, Passage
from tests.fakes import World
from tests.fakes.samples import chunk_of

QUESTION = "Why was the network KelpNet sold?"
OWN = "KelpNet is a small network. Its price was never published. The crew likes it."
FURTHER = "Buoys carry the network home. A network needs power."
BESIDE = "Nothing here is about that. The tide turns at noon."
FOREIGN = "KelpNet 网络于2019年出售。价格没有公布。"


def view_of(*texts: str) -> EvidenceAssessment:
    found = [Passage(chunk_of("d", at, text), "handbook.pdf", 0.9 - at / 10) for at, text in enumerate(texts)]
    return EvidenceAssessment(QUESTION, found, None)


def test_the_likeliest_and_the_first_of_the_search_are_shown_and_the_rest_is_folded() -> None:
    found = nearest_passages(view_of(BESIDE, OWN, FURTHER, "A network again.", "The network grew."))
    at_once = [passage.text for passage in found.shown if not passage.folded]
    assert at_once[:2] == [OWN, BESIDE]
    assert len(at_once) == UNFOLDED
    assert found.shown[2].marked
    assert [passage.folded for passage in found.shown[UNFOLDED:]] == [True, True]
    assert [passage.number for passage in found.shown] == [citation.number for citation in found.citations]


def test_a_passage_that_alone_has_a_name_of_the_question_is_shown_unfolded() -> None:
    found = nearest_passages(view_of(FURTHER, "The network was sold for a network.", "KelpNet grew in spring."))
    assert "KelpNet grew in spring." in [passage.text for passage in found.shown if not passage.folded]


def test_of_a_question_of_two_parts_the_nearest_to_each_is_shown_first() -> None:
    texts = (
        "Refunds are paid to the card.",
        "A refund is a kind of refund.",
        "The lamp burns.",
        "Whoever sends pays postage.",
    )
    found = [Passage(chunk_of("d", at, text), "faq.md", 0.9 - at / 10) for at, text in enumerate(texts)]
    view = assess("When is the refund paid and who pays the postage?", found)
    assert len(view.parts) == 2
    shown = nearest_passages(view).shown
    assert {passage.text for passage in shown[:2]} == {texts[0], texts[3]}
    assert shown[1].marked


def test_the_nearest_sentences_are_marked_and_cited() -> None:
    found = nearest_passages(view_of(OWN))
    (start, end), *_ = found.shown[0].marked
    assert OWN[start:end] == "KelpNet is a small network."
    assert found.citations[0].text.startswith("KelpNet is a small network.")


def test_a_passage_without_a_near_sentence_is_cited_as_a_whole() -> None:
    found = nearest_passages(view_of(BESIDE, OWN))
    beside = next(passage for passage in found.shown if passage.text == BESIDE)
    assert beside.marked == ()
    assert found.citations[beside.number - 1].text == BESIDE


def test_of_what_is_folded_the_own_language_comes_first() -> None:
    found = nearest_passages(view_of(BESIDE, OWN, FURTHER, "A network again.", FOREIGN))
    assert [passage.text for passage in found.shown[UNFOLDED:]] == [FURTHER, FOREIGN]


def test_what_has_no_near_sentence_follows_as_found() -> None:
    texts = (OWN, BESIDE, "The lamp burns.", "Rope is sold by the metre.")
    found = nearest_passages(view_of(*texts))
    assert [passage.text for passage in found.shown] == [*texts]
    assert [passage.folded for passage in found.shown] == [False] * UNFOLDED + [True]


def test_another_language_is_folded_where_the_own_is_near() -> None:
    found = nearest_passages(view_of(FOREIGN, OWN, BESIDE))
    assert (found.shown[0].text, found.shown[0].folded) == (OWN, False)
    assert all(passage.folded for passage in found.shown if passage.text == FOREIGN)
    assert not found.is_abroad


def test_another_language_is_shown_and_said_so_where_there_is_nothing_else() -> None:
    found = nearest_passages(view_of(FOREIGN))
    assert [(passage.text, passage.folded) for passage in found.shown] == [(FOREIGN, False)]
    assert found.is_abroad


def test_an_answer_stands_in_the_passage_of_its_first_source(world: World) -> None:
    cited = Citation(1, "d1-1", "d1", "handbook.pdf", 1, (), "It was developed by Lena Vogt.", 0.9)
    passage = standing_in(QUESTION, [cited], world.deps())
    assert passage
    ((start, end),) = passage.marked
    assert passage.text[start:end] == "It was developed by Lena Vogt."
    web = Citation(1, "web-1", "", "Atlas", 0, (), "Paris.", 0.9, "https://example.org")
    assert standing_in(QUESTION, [web], world.deps()) is None
    assert standing_in(QUESTION, [], world.deps()) is None


def test_a_passage_with_what_no_answer_may_say_is_not_shown_below_one(world: World) -> None:
    cited = Citation(1, "d1-1", "d1", "handbook.pdf", 1, (), "It was developed by Lena Vogt.", 0.9)
    deps = replace(world.deps(), sensitive_terms=("Karenia",))
    assert standing_in(QUESTION, [cited], deps) is None


def test_below_an_answer_is_what_the_rules_showed_and_it_does_not() -> None:
    """The passage that the answer rests on is shown already; one that it cites besides keeps its number."""
    near = nearest_passages(view_of(OWN, FURTHER, BESIDE, "A network again."))
    by_rules = AnswerReady("Closest.", near.citations, passages=near.shown)
    one, other, third = near.citations[:UNFOLDED]
    cited = replace(other, number=1), replace(one, number=2)
    answer = AnswerReady("It [1]. So [2].", cited, stands_in=replace(near.shown[1], number=1))
    found = found_beside(answer, by_rules)
    assert [(it.passage.number, it.citation) for it in found] == [(2, cited[1]), (3, replace(third, number=3))]
    assert [it.passage.text for it in found] == [near.shown[0].text, near.shown[2].text]


def test_below_an_answer_is_the_passage_of_the_answer_of_the_rules() -> None:
    near = nearest_passages(view_of(OWN, FURTHER))
    by_rules = AnswerReady("It [1].", near.citations[:1], stands_in=near.shown[0])
    answer = AnswerReady("No [1].", (replace(near.citations[1], number=1),), stands_in=replace(near.shown[1], number=1))
    (found,) = found_beside(answer, by_rules)
    assert (found.passage.number, found.passage.text) == (2, near.shown[0].text)
