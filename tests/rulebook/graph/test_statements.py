"""Which statements about a name a question asks for."""

import pytest

from core.graph.model import Relation
from core.rulebook.graph.statements import AskedStatement, asked_statement

NAME, OTHER = "e-name", "e-other"


def asked(question: str) -> AskedStatement | None:
    name = "Nordsee AG" if "Nordsee AG" in question else "北海公司"
    start = question.index(name)
    return asked_statement(question, start, start + len(name))


@pytest.mark.parametrize(
    ("question", "relation", "is_source"),
    [
        ("Which companies does Nordsee AG own?", "own", True),
        ("Which companies does Nordsee AG own?", "acquire", True),
        ("Which companies does Nordsee AG own?", "subsidiary of", False),
        ("Who owns Nordsee AG?", "own", False),
        ("Who founded Nordsee AG?", "found", False),
        ("Who founded Nordsee AG?", "co-founder of", False),
        ("Who is the chief executive of Nordsee AG?", "chief executive of", False),
        ("Who is Nordsee AG's CEO?", "CEO of", False),
        ("Where is Nordsee AG based?", "based in", True),
        ("Where is Nordsee AG located?", "headquartered in", True),
        ("What are the subsidiaries of Nordsee AG?", "subsidiary of", False),
        ("北海公司收购了哪些公司？", "收购", True),
        ("北海公司拥有哪些公司？", "子公司", True),
        ("谁创立了北海公司？", "创立", False),
        ("谁创立了北海公司？", "创始人", True),
        ("北海公司的董事长是谁？", "董事长", True),
        ("北海公司位于哪里？", "总部位于", True),
        ("北海公司有哪些子公司？", "子公司", True),
        ("谁是北海公司的院长？", "院长", True),
    ],
)
def test_a_statement_of_the_kind_answers(question: str, relation: str, is_source: bool) -> None:
    found = asked(question)
    assert found is not None
    stated = Relation(*((NAME, OTHER) if is_source else (OTHER, NAME)), relation, 0.8)
    turned = Relation(stated.target_id, stated.source_id, relation, 0.8)
    assert found.is_answered_by(stated, NAME)
    assert not found.is_answered_by(turned, NAME)
    assert not found.is_answered_by(Relation(NAME, OTHER, "sue", 0.8), NAME)


@pytest.mark.parametrize(
    "question", ["What is Nordsee AG?", "When was Nordsee AG founded?", "How large is Nordsee AG?", "北海公司是什么？"]
)
def test_other_questions_ask_for_none(question: str) -> None:
    assert asked(question) is None


@pytest.mark.parametrize("relation", ["acquire from", "acquire stake in", "sell", "work for"])
def test_more_than_what_is_asked_for_is_no_answer(relation: str) -> None:
    found = asked("Which companies does Nordsee AG own?")
    assert found is not None
    assert not found.is_answered_by(Relation(NAME, OTHER, relation, 0.8), NAME)
