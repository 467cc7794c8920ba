import re
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from snowballstemmer import stemmer
from snowballstemmer.english_stemmer import EnglishStemmer

from core.platform.language.terms import content_terms, content_words, query_terms, terms


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Directors", "director"),
        ("ＢＥＲＴ １２３", "bert 123"),
        ("2,021", "2021"),
        ("1,234,567.5", "1234567.5"),
        ("軟體工程師", "软体工程师"),
        ("Trần Anh Hùng", "Tran Anh Hung"),
        ("co\u00adoperate", "cooperate"),
        ("the company’s", "the company's"),
    ],
)
def test_spellings_of_one_word_are_one_term(one: str, other: str) -> None:
    assert terms(one) == terms(other) != []


@pytest.mark.parametrize(
    ("compound", "expected"),
    [
        ("bi-encoder", {"biencod", "bi", "encod"}),
        ("TableFormer", {"tableform", "tabl", "former"}),
        ("GPT-4", {"gpt4", "gpt", "4"}),
        ("10-K", {"10k", "10", "k"}),
        ("FY2021", {"fy2021", "fy", "2021"}),
    ],
)
def test_a_compound_is_found_whole_and_by_its_parts(compound: str, expected: set[str]) -> None:
    assert set(terms(compound)) == expected


@pytest.mark.parametrize("word", ["USA", "iPhone", "58th", "3.5", "BM25", "Boston"])
def test_what_is_no_compound_stays_one_term(word: str) -> None:
    assert len(terms(word)) == 1


def test_a_list_of_numbers_is_not_joined_to_one_number() -> None:
    assert terms("1,2,3") == ["1", "2", "3"]


def test_chinese_runs_give_overlapping_pairs_and_lone_characters() -> None:
    assert terms("知识图谱") == ["知识", "识图", "图谱"]
    assert terms("308分") == ["308", "分"]


def test_question_words_and_particles_carry_no_content() -> None:
    assert content_terms("小灰头稚冠雉生活在什么地带？") == [
        "小灰",
        "灰头",
        "头稚",
        "稚冠",
        "冠雉",
        "雉生",
        "生活",
        "活在",
        "地带",
    ]
    assert content_terms("Who is the director of the film?") == ["director", "film"]


def test_content_terms_are_a_part_of_all_terms() -> None:
    text = "What does 什么是 bi-encoders cost in 2,021? 请问知识图谱的作用是什么"
    assert set(content_terms(text)) < set(terms(text))


def test_a_question_of_function_words_alone_still_has_terms() -> None:
    assert content_terms("The Who") == []
    assert query_terms("The Who") == ["the", "who"]


@pytest.mark.parametrize("text", ["", " \n\t", "!?…", "\u200b", "\ud800"])
def test_texts_without_words_have_no_terms(text: str) -> None:
    assert terms(text) == []


def test_a_word_without_end_is_cut() -> None:
    assert [len(term) for term in terms("a" * 1_000_000)] == [64]


def test_threads_do_not_disturb_each_other() -> None:
    words = [f"relation{chr(97 + i % 26)}{chr(97 + i // 26)}ing studies" for i in range(600)]
    alone = [terms(word) for word in words]
    with ThreadPoolExecutor(8) as pool:
        assert list(pool.map(terms, words * 3)) == alone * 3


def test_content_words_stand_as_they_are_written() -> None:
    assert content_words("How many gas stations did Costco run in 2021?") == [
        "gas",
        "stations",
        "Costco",
        "run",
        "2021",
    ]
    assert content_words("加油站在哪里？") == ["加油", "油站", "站在"]


def test_the_stemmer_in_c_and_the_one_in_python_agree() -> None:
    taken, words = stemmer("english"), sorted({*re.findall("[a-z']{3,}", Path(__file__).read_text()), *FORMS})
    in_python = EnglishStemmer()  # type: ignore[no-untyped-call]
    known = {word: in_python.stemWord(word) for word in words}  # type: ignore[no-untyped-call]
    assert known == {word: taken.stemWord(word) for word in words}
    assert type(taken) is not EnglishStemmer


FORMS = ["generalizations", "happily", "ponies", "dying", "news", "sky's", "succeeded", "inning", "hopping", "past"]
