"""What a document is about is told by sentences that share its terms, not by the lines of its cover."""

from core.rulebook.assessing.evidence_assessment import EvidenceAssessment
from core.rulebook.assessing.quotable_spans import units_of
from core.rulebook.assessing.sentence_ranking import FADING, FIRST, telling
from core.search.model import Passage
from tests.fakes import chunk_of

COVER = (
    "For the fiscal year ended August 29, 2027\n\nMarlow Ferries Corporation (Exact name of registrant as specified in"
    " its charter)\n\n(State or other jurisdiction of incorporation or organization)"
)
BUSINESS = (
    "We run ferries between the islands of Marlow Sound and sell tickets for ferries online. Our offices are rented in"
    " a quiet street. The ferries of the islands carry passengers and cars all year."
)
TICKETS = "Tickets for the ferries are sold in every harbour of the islands."


def passages(*texts: tuple[str, str]) -> tuple[Passage, ...]:
    chunks = (chunk_of("d", index, text, (heading,) if heading else ()) for index, (heading, text) in enumerate(texts))
    return tuple(Passage(chunk, "report.pdf", 0.7) for chunk in chunks)


def test_a_summary_leads_with_what_the_document_shares_and_not_with_its_cover() -> None:
    view = EvidenceAssessment(
        "What is this document about?", passages(("", COVER), ("Business", BUSINESS), ("Tickets", TICKETS)), None
    )
    assert view.quotes[0].text.startswith("We run ferries")
    assert not any("registrant" in quote.text or "jurisdiction" in quote.text for quote in view.quotes)


def test_rows_and_lines_that_break_off_tell_nothing() -> None:
    found = passages(("", f"{COVER}\n\nHarbour | Ferries | Tickets | Passengers\nMarlow | 12 | 3,000 | 90,000"))
    assert set(telling(units_of(found), found)) == {0.0}


def test_the_place_in_the_section_and_shared_terms_count() -> None:
    found = passages(("Business", BUSINESS), ("Tickets", TICKETS))
    first, aside, third, of_next = telling(units_of(found), found)
    assert first > third > aside
    assert aside >= FIRST * FADING
    assert of_next > third, "the first sentence of the next section"


def test_each_document_is_measured_by_itself() -> None:
    one = passages(("Business", BUSINESS))
    other = Passage(chunk_of("e", 0, "The yak lives on high pastures and gives milk."), "yaks.pdf", 0.7)
    both = (*one, other)
    assert telling(units_of(both), both)[:3] == telling(units_of(one), one)
