"""Which questions the graph answers: those that ask for a connection or a list, and for nothing besides."""

import pytest

from core.graph.model import ENTITY_TYPES, Entity
from core.graph.questions import GraphQuestion
from core.models.embedding.hashed import HashedEmbedder
from core.platform.texts import LANGUAGES, text
from core.rulebook.graph.asked import EXAMPLES, GraphQuestions
from core.rulebook.graph.masking import masked_beside, masked_names, masked_type
from core.rulebook.graph_questions import named_by_form
from tests.fakes import graph_questions

NAMED = [Entity(name, "b", name, "CONCEPT", aliases) for name, aliases in (("BERT", ("bert model",)), ("GPT-3", ()))]


def kind_of_names(question: str) -> GraphQuestion:
    masked = masked_names(question, NAMED)
    return graph_questions().of(masked.question) if masked else GraphQuestion.OTHER


def listed(question: str, *documents: str) -> str:
    masked = masked_type(question, ENTITY_TYPES, documents)
    return masked.type if masked and graph_questions().of(masked.question) is GraphQuestion.LIST else ""


@pytest.mark.parametrize(
    "question",
    [
        "How is BERT connected to GPT-3?",
        "Could you tell me how the bert model and GPT-3 are related to each other?",
        "is there any link between GPT-3 and BERT",
        "BERT 和 GPT-3 有什么关系？",
        "請問「BERT」與「GPT-3」之間有什麼關聯？",
        *(text("graph.ask.how", language, one="BERT", other="GPT-3") for language in LANGUAGES),
        *(text("chat.example.relation", language, first="BERT", second="GPT-3") for language in LANGUAGES),
    ],
)
def test_a_question_about_a_connection_is_understood(question: str) -> None:
    assert kind_of_names(question) is GraphQuestion.CONNECTION


@pytest.mark.parametrize(
    "question",
    [
        "What did BERT improve over GPT-3?",
        "How does BERT differ from GPT-3?",
        "How much training data connects BERT and GPT-3?",
        "How is BERT related?",
        "Who showed that BERT is related to GPT-3?",
        "How is BERT connected to GPT-3 by its tokenizer?",
        "How are BERTs connected to GPT-3?",
        "BERT相比GPT-3有什么改进？",
        "BERT和GPT-3的关系是谁提出的？",
    ],
)
def test_a_question_for_more_is_searched(question: str) -> None:
    assert kind_of_names(question) is GraphQuestion.OTHER


@pytest.mark.parametrize(
    ("question", "type"),
    [
        ("Which technologies are mentioned in the paper?", "TECHNOLOGY"),
        ("Which products are mentioned?", "TECHNOLOGY"),
        ("哪些产品被提到？", "TECHNOLOGY"),
        ("Which events are mentioned?", "EVENT"),
        ("Which organizations appear in the report?", "ORGANIZATION"),
        ("List all people.", "PERSON"),
        ("文中提到了哪些机构？", "ORGANIZATION"),
        ("請列出文中提到的所有地點", "LOCATION"),
        ("Which technologies improved recall?", ""),
        ("Which organizations and people are mentioned?", ""),
        ("Which technologies does Costco use?", ""),
        ("How many people are mentioned?", ""),
        ("哪些技术提高了召回率？", ""),
        ("哪些机构负责验收？", ""),
    ],
)
def test_a_list_is_asked_for_by_the_word_for_a_type_alone(question: str, type: str) -> None:
    assert listed(question) == type


@pytest.mark.parametrize(
    ("question", "beside"),
    [
        ("Which organizations are mentioned together with BERT?", ("ORGANIZATION", "BERT")),
        ("Which other people is the bert model connected to?", ("PERSON", "BERT")),
        ("Please list the technologies related to GPT-3.", ("TECHNOLOGY", "GPT-3")),
        ("与BERT有关的机构有哪些？", ("ORGANIZATION", "BERT")),
        ("哪些技術和 GPT-3 一起出現？", ("TECHNOLOGY", "GPT-3")),
        ("Which organizations use BERT?", None),
        ("Which people founded BERT?", None),
        ("Which technologies are related to BERT by their tokenizer?", None),
        ("Which technologies are related to BERT and GPT-3?", None),
        ("How many people are connected to BERT?", None),
        ("哪些机构使用BERT？", None),
    ],
)
def test_a_list_beside_a_name_is_asked_for_by_words_of_connection(
    question: str, beside: tuple[str, str] | None
) -> None:
    masked = masked_beside(question, NAMED, ENTITY_TYPES)
    understood = masked and graph_questions().of(masked.question) is GraphQuestion.BESIDE
    assert ((masked.type, masked.entities[0].name) if masked and understood else None) == beside


def test_the_name_of_a_document_may_stand_in_a_list_question() -> None:
    question = "Which organizations are mentioned in Report-2021.pdf?"
    assert listed(question, "", "report-2021.pdf") == "ORGANIZATION"
    assert listed(question) == ""


@pytest.mark.parametrize(
    ("question", "whole"),
    [
        ("Give me an overview of the knowledge graph.", True),
        ("How many entities does the graph contain?", True),
        ("知識圖譜裡有什麼？", True),
        ("What is a knowledge graph?", False),
        ("What does the graph show?", False),
        ("How many nodes does the cluster have?", False),
        ("Give me an overview of the neural network.", False),
        ("什么是知识图谱？", False),
    ],
)
def test_the_graph_as_a_whole_is_asked_for_by_its_name_alone(question: str, whole: bool) -> None:
    assert (graph_questions().of(question) is GraphQuestion.OVERVIEW) is whole


def test_the_name_of_a_document_is_masked() -> None:
    masked = masked_type("Which people are named in the 10-K?", ENTITY_TYPES, ("the 10-K", "10-K"))
    assert masked is not None
    assert masked.question == "Which things are named in the document?"


def test_the_graphs_own_types_are_listed_too() -> None:
    masked = masked_type("Which sea birds are mentioned?", ["SEA_BIRD"], ())
    assert masked is not None
    assert (masked.type, masked.question) == ("SEA_BIRD", "Which things are mentioned?")


def test_names_are_masked_once_and_the_longer_one_wins() -> None:
    inner, outer = Entity("1", "b", "Costco", "ORGANIZATION"), Entity("2", "b", "Costco Travel", "ORGANIZATION")
    masked = masked_names("Is Costco Travel tied to Costco, or Costco to it?", [inner, outer])
    assert masked is not None
    assert (masked.question, masked.entities) == ("Is X tied to Y, or Y to it?", (outer, inner))
    assert masked_names("Is Costco Travel new?", [inner, outer]) is None


def test_without_meanings_only_an_example_is_understood() -> None:
    plain = GraphQuestions(HashedEmbedder())
    assert plain.of("How is X connected to Y?") is GraphQuestion.CONNECTION
    assert plain.of("How is X linked with Y in the book?") is GraphQuestion.OTHER


def test_no_example_has_two_kinds_and_each_has_its_masks() -> None:
    lines = {kind: (EXAMPLES / f"{kind}.txt").read_text("utf-8").splitlines() for kind in GraphQuestion}
    every = [line for of_kind in lines.values() for line in of_kind]
    assert len(every) == len(set(every))
    assert all("X" in line and "Y" in line for line in lines[GraphQuestion.CONNECTION])
    assert all("thing" in line or "东西" in line for line in lines[GraphQuestion.LIST])
    assert all("X" in line and ("thing" in line or "东西" in line) for line in lines[GraphQuestion.BESIDE])


@pytest.mark.parametrize(
    ("question", "names"),
    [
        ("How is the “Harbor Institute” connected to KelpNet 2?", ("Harbor Institute", "KelpNet 2")),
        ("牛顿法與梯度下降法之间有什麼關係？", ("牛顿法", "梯度下降法")),
        ("哪些段落同时提到甲方和乙方？", ("甲方", "乙方")),
        ("How is it connected to them?", None),
        ("What road connects Bergen with Cadiz?", None),
        ("How is Bergen connected to Cadiz by road, and since when?", ("Bergen", "Cadiz by road, and since when")),
        ("甲方和乙方的关系是谁建立的？", None),
        ("a " * 200, None),
    ],
)
def test_names_that_nobody_knows_are_found_by_the_form_of_the_question(
    question: str, names: tuple[str, str] | None
) -> None:
    assert named_by_form(question) == names
