"""How sure a quote is: rules that hold whatever the fitted probability is."""

import pytest

from core.builtin.quoting import evidence_view
from core.builtin.quoting.answering import CERTAIN, SURE, SURE_ACROSS
from core.builtin.quoting.evidence_view import EvidenceView
from tests.builtin.quoting.test_quotes import passages
from tests.builtin.quoting.test_word_meanings import WordVectors

BYLINE = (
    "KelpNet: Early Warning of Algal Blooms. Lena Vogt, Rafael Marchetti. Technical note 14.\n\nAbstract. It warns."
)


@pytest.mark.parametrize(
    ("question", "sure"),
    [
        ("Who wrote this paper?", True),
        ("Who are the authors of the KelpNet paper?", True),
        ("Who wrote the technical note?", True),
        ("这篇论文的作者是谁？", True),
        ("Who wrote the flood manual?", False),
        ('Who wrote the paper "Tides of Marlow"?', False),
        ("Summarise the technical note.", True),
        ("Summarise the flood manual.", False),
    ],
)
def test_a_byline_answers_for_its_own_work_alone(question: str, sure: bool) -> None:
    assert (EvidenceView(question, passages(BYLINE), None).probability >= SURE) is sure


def test_that_a_question_names_nothing_makes_no_answer_certain() -> None:
    view = EvidenceView("How much is the connection fee?", passages("The connection fee has risen since then."), None)
    assert view.probability < CERTAIN


@pytest.mark.parametrize(("text", "sure"), [("观测站成立于2011年。", False), ("It was founded in 2011.", True)])
def test_a_quote_in_another_language_has_to_be_likelier(text: str, sure: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(evidence_view, "probability", lambda features, encoder: (SURE + SURE_ACROSS) / 2)
    view = EvidenceView("When was it founded?", passages(text), WordVectors())
    assert (view.probability >= SURE) is sure
