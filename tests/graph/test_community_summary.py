"""What is said of a community: sentences of the documents that name several of its entities, each for other ones."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from core.graph.files.import_documents import PARSER
from core.graph.model import CommunitySentence, Entity
from core.graph.network.community_summary import SENTENCES, salient_sentences, sentences_of_both, sentences_of_each
from tests.fakes import FakeLibrary, TextGraph

TEXT = (
    "KelpNet runs at the Harbor Institute. Nobody knows why. KelpNet, SeaLoom and the buoys of Bergen share one clock. "
    "SeaLoom is old. KelpNet | SeaLoom | 12 | 14 | 3.5 | 77 | 18 | 22 | 90 | 41. Ada Wren visited Bergen."
)


def told(*names: str, text: str = TEXT) -> tuple[CommunitySentence, ...]:
    """names: the most central first."""
    library = FakeLibrary()
    library.add("log.md", text)
    graph = TextGraph(library)
    for name in names:
        graph.add(name)
    members: Sequence[Entity] = graph.entities
    return salient_sentences(graph, library.passages, members)


def sentences(*names: str, text: str = TEXT) -> list[str]:
    return [each.sentence for each in told(*names, text=text)]


def test_what_names_most_comes_first_then_what_names_others() -> None:
    assert sentences("KelpNet", "SeaLoom", "Bergen", "Harbor Institute", "Ada Wren") == [
        "KelpNet, SeaLoom and the buoys of Bergen share one clock.",
        "KelpNet runs at the Harbor Institute.",
        "Ada Wren visited Bergen.",
    ]


def test_a_sentence_that_names_one_alone_or_is_a_row_of_figures_tells_nothing() -> None:
    assert sentences("SeaLoom", "Ada Wren") == []
    assert sentences("KelpNet") == sentences() == []


@pytest.mark.parametrize(
    "text",
    ["Ada Wren (Harbor Institute), KelpNet.", "Who | What\nAda Wren | KelpNet reads buoys for the Harbor Institute"],
)
def test_a_list_of_names_or_a_row_of_a_table_tells_nothing(text: str) -> None:
    assert sentences("KelpNet", "Harbor Institute", "Ada Wren", text=text) == []


def test_each_sentence_stands_once_and_says_where_it_stands() -> None:
    found = told("KelpNet", "Bergen", text="KelpNet reads Bergen. KelpNet reads Bergen. 林雨晴 leads KelpNet.")
    assert [each.sentence for each in found] == ["KelpNet reads Bergen."]
    assert (found[0].document_name, found[0].names) == ("log.md", ("KelpNet", "Bergen"))


def test_there_are_few_of_them() -> None:
    many = " ".join(f"Anna{number} met Berta{number}." for number in range(9))
    names = [f"{name}{number}" for number in range(9) for name in ("Anna", "Berta")]
    assert len(sentences(*names, text=many)) == SENTENCES


def test_a_page_of_an_imported_graph_tells_nothing() -> None:
    library = FakeLibrary()
    id = library.add("graph.json", "KelpNet\nBergen\nbuoys at sea\nclocks of old harbours")
    graph = TextGraph(library)
    for name in ("KelpNet", "Bergen"):
        graph.add(name)
    assert salient_sentences(graph, library.passages, graph.entities)
    library.documents.kept[id] = replace(library.documents.kept[id], parser=PARSER)
    assert not salient_sentences(graph, library.passages, graph.entities)


def test_of_two_the_sentence_in_which_they_stand_closest_is_first_and_lists_are_the_last_resort() -> None:
    library = FakeLibrary()
    said = "KelpNet was tried for two years at sites in Bergen. Bergen's KelpNet is new."
    library.add("log.md", f"{said} KelpNet Bergen Ada Wren Harbor Institute. Bergen KelpNet | 12.")
    library.add("copy.md", "Bergen's KelpNet is new, too. KelpNet Bergen is one name.")
    passages = library.passages.get([chunk.id for chunk in library.passages.chunk_list])
    one, other = (Entity(name, "b", name, "CONCEPT") for name in ("KelpNet", "Bergen"))
    found = [line for line, _ in sentences_of_both(one, other, passages[:1], 3)]
    assert found == ["Bergen's KelpNet is new.", "KelpNet was tried for two years at sites in Bergen."]
    assert len(sentences_of_both(one, other, passages, 1)) == 1
    inside = Entity("x", "b", "KelpNet Bergen", "CONCEPT")
    assert sentences_of_both(one, inside, passages, 3) == []
    assert [line for line, _ in sentences_of_each((inside, one), passages[1:])] == [
        "KelpNet Bergen is one name.",
        "Bergen's KelpNet is new, too.",
    ]
    assert sentences_of_each((one, Entity("y", "b", "Cadiz", "LOCATION")), passages) == []


def test_a_heading_is_no_sentence_about_two() -> None:
    library = FakeLibrary()
    id = library.add("log.md", "3.2 KelpNet and Bergen\n\nKelpNet reads every buoy in the bay of Bergen.")
    one, other = Entity("k", "b", "KelpNet", "PRODUCT"), Entity("b", "b", "Bergen", "LOCATION")
    passages = library.passages.get([chunk.id for chunk in library.passages.chunks(id)])
    told = [line for line, _ in sentences_of_both(one, other, passages, 3)]
    assert told == ["KelpNet reads every buoy in the bay of Bergen."]
    assert [line for line, _ in sentences_of_each((one, other), passages)] == told
