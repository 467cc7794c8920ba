"""Title, language and summaries of a document."""

import pytest

from core.documents.model import Block
from core.documents.pipeline.summarise import summarise
from core.documents.reading.assemble import assemble, language_of, title_of
from core.platform.language.detect import UNKNOWN

TITLE = Block(0, 0, "text", "Graph Methods for Retrieval", 1)


@pytest.mark.parametrize(
    ("blocks", "declared", "name", "title"),
    [
        ([TITLE], "Declared Title", "file.pdf", "Graph Methods for Retrieval"),
        ([], "Declared Title", "file.pdf", "Declared Title"),
        ([], "Microsoft Word - draft7.doc", "annual report 2021.pdf", "annual report 2021"),
        ([], "0000909832-21-000014", "COSTCO_2021_10K.pdf", "COSTCO_2021_10K"),
        ([Block(0, 5, "text", "A late heading", 1)], "", "a/b\\安徽省 标准.pdf", "安徽省 标准"),
        ([], "", ".pdf", ".pdf"),
        ([], "w" * 500, "x.txt", "x"),
    ],
)
def test_title(blocks: list[Block], declared: str, name: str, title: str) -> None:
    assert title_of(blocks, declared, name) == title


def test_language_is_that_of_the_prose() -> None:
    english = Block(0, 0, "text", "Knowledge graphs connect entities by relations. " * 20)
    chinese = Block(1, 0, "text", "知识图谱用关系把实体连接起来。" * 200)
    assert language_of(assemble([english])) == "en"
    assert language_of(assemble([Block(0, 0, "text", "Cover page in English", 1), chinese])) == "zh-hans"
    assert language_of([]) == UNKNOWN


def section(start: int, name: str, *sentences: str) -> list[Block]:
    body = [Block(start + n + 1, 0, "text", text) for n, text in enumerate(sentences)]
    return [Block(start, 0, "text", name, 2), *body]


FILLER = [f"The retrieval system number {n} ranks passages of the corpus by the score of the index." for n in range(12)]


def test_summaries_of_the_document_and_its_main_sections() -> None:
    blocks = [
        Block(0, 0, "text", "Graph Methods", 1),
        *section(1, "Abstract", "We present a method that retrieves passages over a graph of entities and relations."),
        *section(10, "1 Method", *FILLER),
        *section(
            40, "References", *(f"Author {n}. A reference to the corpus and the index of passages." for n in range(12))
        ),
    ]
    blocks = [Block(n, b.page, b.type, b.text, b.level) for n, b in enumerate(blocks)]
    found = summarise("doc", assemble(blocks))
    assert [summary.section for summary in found] == [(), ("1 Method",)]
    assert found[0].text.startswith("We present a method")
    assert "Author" not in found[0].text
    assert found == summarise("doc", assemble(blocks))
    assert len({summary.id for summary in found}) == 2


def test_nothing_to_say_gives_no_summary() -> None:
    assert summarise("doc", assemble([Block(0, 0, "table", "1 | 2")])) == []
