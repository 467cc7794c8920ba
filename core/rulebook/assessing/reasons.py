"""The sentence that gives the reason of what an answer said, where no more than "why?" was asked of it."""

from collections.abc import Sequence

from core.rulebook.assessing.cues import GIVES_REASON
from core.rulebook.assessing.question_terms import QuestionTerms
from core.rulebook.assessing.sentence_ranking import Quote

SAID = 0.65
"""The share of the words of the question answered that the sentence has to have: it is the reason of that."""


def reason_among(quotes: Sequence[Quote], needs: QuestionTerms) -> Quote | None:
    """The first that says both; a table has none.

    needs: of the question that was answered before.
    """
    told = (quote for quote in quotes if not quote.is_row and GIVES_REASON.search(quote.text))
    return next((quote for quote in told if needs.coverage(quote.terms) >= SAID), None)
