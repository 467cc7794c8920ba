"""What tools of the graph said bears out an answer that lists it, in any script."""

from core.agents.tools.results.graph_answers import as_sentence, counted_kind_word
from core.documents.model import Chunk
from core.rulebook.verification import unsupported_sentences
from core.search.model import Passage

RESULT = """Neighbors of '红色预警' [CONCEPT] within 1 hop(s):
Hop 1 — 2 related entities:
[ORGANIZATION] 海洋局
[CONCEPT] 预警分级
Total related entities: 2"""
ANSWER = "- 海洋局 (ORGANIZATION) [1]\n- 预警分级 (CONCEPT) [1]"
PAGE = "红色预警由值班员提出，报告市海洋局。"


def passage(text: str) -> Passage:
    return Passage(Chunk("c", "", 0, text, (), ()), "document", 1.0)


def test_a_listed_entity_that_its_page_does_not_name_is_supported_by_the_tool() -> None:
    assert unsupported_sentences(ANSWER, [passage(as_sentence(RESULT)), passage(PAGE)]) == []
    assert unsupported_sentences(ANSWER, [passage(PAGE)]) == ["预警分级 (CONCEPT)"]


def test_one_entity_of_a_type_is_not_named_in_the_plural() -> None:
    assert [counted_kind_word("PERSON", "en", count) for count in (1, 2)] == ["person", "people"]
    assert counted_kind_word("VESSEL", "en", 1) == "VESSEL"
