"""What documents are about, told by their own titles, first sentences and headings."""

from dataclasses import replace

import pytest

from core.agents.nodes.answer.answer_by_outline import MOST_HEADINGS
from core.agents.nodes.answer.generate import generate
from core.documents.model import Block, Span
from core.runs.model import AnswerOutcome
from core.search.model import Hit
from core.search.ports import WebResult
from tests.agents.nodes.conftest import Call
from tests.fakes import World, state_of

HEADED = (
    (1, "Tenants"),
    (2, "1 Purpose"),
    (0, "This house is for tenants. Rent is due."),
    (2, "2 Repairs"),
    (0, "Call us."),
)
MANY = ((0, "Press the button on the left side."), *((2, f"{at} PART {at}") for at in range(1, 12)))


def written(world: World, *pieces: tuple[int, str]) -> str:
    """The id of a document of one passage with these blocks and their levels."""
    text = "\n\n".join(piece for _, piece in pieces)
    id = world.library.add("guide.pdf", ("1 Purpose", text), title="Guide")
    starts = [len("\n\n".join(piece for _, piece in [*pieces[:at], (0, "")])) for at in range(len(pieces))]
    spans = tuple(Span(at, at + len(it[1]), n, 0, None) for n, (at, it) in enumerate(zip(starts, pieces, strict=True)))
    chunks = world.library.passages.chunk_list
    chunks[-1] = replace(chunks[-1], spans=spans)
    blocks = [Block(at, 0, "text", piece, level) for at, (level, piece) in enumerate(pieces)]
    world.library.passages.make_blocks = lambda document_id: blocks if document_id == id else []
    return id


def test_a_document_is_outlined_by_its_title_its_first_sentence_and_its_headings(call: Call, world: World) -> None:
    id = written(world, *HEADED)
    state = state_of("Summarise the guide in three sentences", kept=(Hit(f"{id}-0", 0.9),), documents=(id,))
    draft = call(generate, state)["draft"]
    assert draft.answer == (
        "How guide.pdf begins, and its headings:\n\n“Tenants” [1]\n\n“This house is for tenants.” [1]\n\n"
        "- “1 Purpose” [1]\n- “2 Repairs” [1]"
    )
    assert draft.citations[0].text == "Tenants … 1 Purpose … This house is for tenants. … 2 Repairs"
    assert draft.outcome is AnswerOutcome.ANSWERED


def test_of_many_headings_the_first_are_told(call: Call, world: World) -> None:
    id = written(world, *MANY)
    answer = call(generate, state_of("Summarise the guide", kept=(Hit(f"{id}-0", 0.9),), documents=(id,)))[
        "draft"
    ].answer
    assert "“1 PART 1” [1]" in answer
    assert answer.endswith(f"and {11 - MOST_HEADINGS} more headings")


@pytest.mark.parametrize(
    "question", ["Summarise what the guide says on repairs", "What are the main findings of the guide?"]
)
def test_what_stands_in_a_document_is_no_question_for_its_outline(call: Call, world: World, question: str) -> None:
    id = written(world, *HEADED)
    draft = call(generate, state_of(question, kept=(Hit(f"{id}-0", 0.9),), documents=(id,)))["draft"]
    assert "headings" not in draft.answer
    assert draft.outcome is None


def test_pages_of_the_web_are_no_documents_with_an_outline(call: Call, world: World) -> None:
    page = WebResult("The guide", "https://example.org", "The guide is about the house and its tenants.", 0.9)
    draft = call(generate, state_of("What is the guide about?", web=(page,)))["draft"]
    assert draft.outcome is None
    assert "The guide is about the house and its tenants." in draft.answer


@pytest.mark.parametrize(
    ("pieces", "frame"),
    [
        (((0, "This house is for tenants. Rent is due."),), "How guide.pdf begins:"),
        (((2, "1 Repairs"), (0, "Call us when the heating fails."), (2, "2 Rent")), "The headings of guide.pdf:"),
    ],
)
def test_the_line_above_names_what_is_told(
    call: Call, world: World, pieces: tuple[tuple[int, str], ...], frame: str
) -> None:
    id = written(world, *pieces)
    chunks = world.library.passages.chunk_list
    chunks[-1] = replace(chunks[-1], section=("1 Repairs",))
    state = state_of("Summarise the guide", kept=(Hit(f"{id}-0", 0.9),), documents=(id,))
    assert call(generate, state)["draft"].answer.startswith(frame)
