"""Names of entities in answers and passages lead to the graph."""

import re
from html.parser import HTMLParser
from random import Random
from urllib.parse import parse_qs, urlsplit

import pytest

from core.documents.model import Chunk
from core.graph.model import Entity
from core.runs.events import AnswerReady, NodeStarted, PassagesGraded, RunFinished, RunStarted, Scored
from core.runs.history.view import fold
from core.runs.model import Usage
from core.search.model import Citation, Passage
from pages.components.graph.types import NameLinks, links_to
from pages.components.run.citation_html import CitedPlaces
from pages.components.run.run_html import run_parts
from pages.components.run.turn_html import turn_parts
from pages.components.shell.text import answer_html, clean
from tests.pages.test_untrusted_text import HOSTILE, tags

pytestmark = pytest.mark.usefixtures("opened")


def entity(name: str, *aliases: str, id: str = "", type: str = "TECHNOLOGY") -> Entity:
    return Entity(id or f"e-{name}", "b1", name, type, aliases, 3, 1)


BERT, ROBERTA = entity("BERT"), entity("RoBERTa")
COSTCO = entity("Costco", "Costco Wholesale Corporation", type="ORGANIZATION")
BANK = entity("中国人民银行", type="ORGANIZATION")
ENTITIES = (BERT, ROBERTA, COSTCO, entity("Costco Wholesale Corporation", id="other"), entity("IT"), BANK)
SIGNS = "aAbBIT <>&\"'\n中国"


class Links(HTMLParser):
    """The linked words with their entities, and the text as it is read."""

    def __init__(self, markup: str) -> None:
        super().__init__()
        self.found: list[tuple[str, str]] = []
        self.text = ""
        self._id: str | None = None
        self.feed(str(markup))

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        given = dict(attrs)
        if tag == "a":
            assert self._id is None, "a link in a link"
            self._id = given["data-value"] or ""
            assert parse_qs(urlsplit(given["href"] or "").query)["entity"] == [self._id]
            self.found.append(("", self._id))

    def handle_endtag(self, tag: str) -> None:
        self._id = None if tag == "a" else self._id

    def handle_data(self, data: str) -> None:
        self.text += data
        if self._id is not None:
            words, id = self.found[-1]
            self.found[-1] = (words + data, id)


def linked(text: str, *entities: Entity) -> list[tuple[str, str]]:
    return Links(links_to(entities or ENTITIES)(text)).found


def test_names_are_whole_words_and_longer_ones_win() -> None:
    assert linked("RoBERTa and BERT, BERTs") == [("RoBERTa", "e-RoBERTa"), ("BERT", "e-BERT")]
    assert linked("the costco wholesale\n corporation") == [("costco wholesale\n corporation", "e-Costco")]
    assert linked("由中国人民银行发布") == [("中国人民银行", "e-中国人民银行")]
    assert linked("使用BERT模型") == [("BERT", "e-BERT")]


def test_names_in_capitals_are_other_words_without_them() -> None:
    assert linked("it is IT") == [("IT", "e-IT")]
    assert linked("a bert") == []
    assert linked("COSTCO") == [("COSTCO", "e-Costco")]


def test_a_link_says_what_it_leads_to() -> None:
    assert "Product or technology · 3 mentions in 1 document · Show in Graph" in links_to([BERT])("BERT")


def test_the_text_stays_as_it_is() -> None:
    chance = Random(7)
    for _ in range(500):
        text = clean("".join(chance.choices(SIGNS, k=40)))
        names = ["".join(chance.choices(SIGNS, k=chance.randint(0, 4))) for _ in range(4)]
        assert Links(links_to([entity(name) for name in names])(text)).text == text


@pytest.mark.parametrize("hostile", HOSTILE)
def test_hostile_names_and_ids_are_inert(hostile: str) -> None:
    named = Entity(hostile, "b1", hostile, hostile, (hostile[:30],), 1, 1)
    drawn = links_to([named])(clean(f"{hostile} {hostile[:30]}"))
    assert tags(drawn) <= {"a"}
    assert not re.search(r"<a[^>]*\s(on\w+|src|style)\s*=", re.sub(r'"[^"]*"', '""', drawn), re.IGNORECASE)
    assert all(address.startswith("graph?entity=") for address in re.findall(r'href="([^"]*)"', drawn))


def test_an_answer_has_links_outside_of_code_and_links_and_keeps_its_marks_and_chips() -> None:
    answer = "**BERT** is new [1]. See [BERT](https://example.org) and `BERT`. RoBERTa is old."
    sources, draw = ["https://example.org"], links_to(ENTITIES)
    markup = answer_html(answer, {1}, lambda number: "<b>1</b>", ["RoBERTa is old."], sources, draw)
    assert markup.count('class="gt-name"') == 2
    assert "<b>1</b>" in markup
    assert "<code>BERT</code>" in markup
    marked = re.findall(r'<mark class="gt-unsupported">(.*?)</mark>', markup)
    assert [Links(words).text for words in marked] == ["RoBERTa is old."]


def test_answers_quotes_passages_and_steps_have_links() -> None:
    text = "BERT reads. Costco sells."
    cited = Citation(1, "c1", "d1", "notes.md", 0, (), "BERT reads.", 0.8)
    graded = PassagesGraded("grade", (Scored("c1", "notes.md", 0, text, 0.8),), ())
    ready, end = AnswerReady("BERT reads [1].", (cited,), ()), RunFinished("answered", 1.0, Usage())
    view = fold([RunStarted("q", "adaptive", "m"), NodeStarted("grade", 1), graded, ready, end])
    passage = Passage(Chunk("c1", "d1", 0, text, (), ()), "notes.md", 0.8)
    names = NameLinks((("c1", (BERT, COSTCO)),))
    parts = dict(turn_parts(view, CitedPlaces((), (passage,), names))) | dict(run_parts(view, names))
    both = [("BERT", "e-BERT"), ("Costco", "e-Costco")]
    assert Links(parts["answer"]).found == both[:1]
    assert Links(parts["panels"].partition("<blockquote>")[2].partition("</blockquote>")[0]).found == both[:1]
    assert Links(parts["panels"].partition('<div class="gt-passage">')[2]).found == both
    assert Links(parts["step-0"]).found == both
