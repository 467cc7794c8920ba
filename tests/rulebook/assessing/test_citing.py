"""Numbers in answers are tied to the place on the page, and sentences without support are named."""

import pytest

from core.rulebook.assessing.citing import citations_of, locate, verbatim
from core.rulebook.checking.support import claims, unsupported_sentences
from core.search.model import Passage
from tests.fakes import chunk_of

TEXT = "KelpNet is a neural network [4]. It has 180,000\nparameters and reads 180 bands. The sea is cold."
PASSAGE = Passage(chunk_of("d", 0, TEXT, page=3), "note.pdf", 0.8)
OTHER = Passage(chunk_of("d", 1, "Buoys are calibrated every 90 days by the crew.", page=4), "note.pdf", 0.7)


def test_a_citation_has_the_boxes_of_the_quoted_sentences_only() -> None:
    answer = "- “It has 180,000 parameters and reads 180 bands.” [1]\n- “KelpNet is a neural network (4).” [1]"
    (citation,) = citations_of(answer, [PASSAGE])
    assert citation.page == 3
    assert citation.boxes == ((3, (100, 100, 900, 140)),)
    assert citation.text == "KelpNet is a neural network (4). … It has 180,000 parameters and reads 180 bands."


def test_a_reworded_claim_is_tied_to_the_sentence_that_shares_most() -> None:
    start, end = locate("The network reads 180 bands", PASSAGE) or (0, 0)
    assert TEXT[start:end].startswith("It has 180,000")
    assert locate("Completely different words here", PASSAGE) is None


@pytest.mark.parametrize(
    "claim", ["“KelpNet is a neural network [4].", "It has 180,000 parameters and reads 180 bands.”"]
)
def test_a_sentence_of_a_longer_quote_is_found_word_by_word(claim: str) -> None:
    assert verbatim(claim, TEXT)


def test_numbers_beyond_the_passages_are_no_citations() -> None:
    assert citations_of("Nothing [7].", [PASSAGE]) == ()


@pytest.mark.parametrize(
    ("answer", "unsupported"),
    [
        ("KelpNet is a neural network [1]. Buoys are calibrated every 90 days [2].", []),
        ("From your documents: “It has 180,000 parameters and reads 180 bands.” [1]", []),
        ("KelpNet has 190,000 parameters [1].", ["KelpNet has 190,000 parameters."]),
        ("The crew sells ice cream in summer [1].", ["The crew sells ice cream in summer."]),
        ("In short:\n- Buoys are calibrated by the crew [2]", []),
        ("Does it work?", []),
    ],
)
def test_sentences_without_support(answer: str, unsupported: list[str]) -> None:
    assert unsupported_sentences(answer, [PASSAGE, OTHER]) == unsupported


@pytest.mark.parametrize(
    ("answer", "unsupported"),
    [
        ("根据您的文档：“传输加密。” [1]", []),
        ("根据您的文档：“全盘加密。” [1]", ["根据您的文档：“全盘加密。”"]),
        ("根据“传输加密”的规定，密码每九十天更换。 [1]", ["根据“传输加密”的规定，密码每九十天更换。"]),
    ],
)
def test_a_short_sentence_that_is_quoted_whole_is_supported(answer: str, unsupported: list[str]) -> None:
    passage = Passage(chunk_of("d", 0, "客户数据如何传输？\n传输加密。\n密码须妥善保管。", page=1), "安全手册.pdf", 0.8)
    assert unsupported_sentences(answer, [passage]) == unsupported


def test_an_answer_in_another_script_is_not_judged_by_words_but_by_its_numbers() -> None:
    assert unsupported_sentences("该网络读取180个波段 [1]。", [PASSAGE]) == []
    assert unsupported_sentences("该网络读取777个波段 [1]。", [PASSAGE]) == ["该网络读取777个波段。"]


def test_claims_are_sentences_without_their_numbers() -> None:
    assert claims("Intro:\n- KelpNet reads many bands [1]. It is small and fast [2].") == [
        "KelpNet reads many bands.",
        "It is small and fast.",
    ]
