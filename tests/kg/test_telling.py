"""What is said of a community: sentences of the documents that name several of its entities, each for other ones."""

from collections.abc import Sequence

from core.domain.knowledge import Entity, Told
from core.kg.telling import SENTENCES, telling_sentences
from tests.fakes import FakeLibrary, TextGraph

TEXT = (
    "KelpNet runs at the Harbor Institute. Nobody knows why. KelpNet, SeaLoom and the buoys of Bergen share one clock. "
    "SeaLoom is old. KelpNet | SeaLoom | 12 | 14 | 3.5 | 77 | 18 | 22 | 90 | 41. Ada Wren visited Bergen."
)


def told(*names: str, text: str = TEXT) -> tuple[Told, ...]:
    """names: the most central first."""
    library = FakeLibrary()
    library.add("log.md", text)
    graph = TextGraph(library)
    for name in names:
        graph.add(name)
    members: Sequence[Entity] = graph.entities
    return telling_sentences(graph, library.passages, members)


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


def test_each_sentence_stands_once_and_says_where_it_stands() -> None:
    found = told("KelpNet", "Bergen", text="KelpNet reads Bergen. KelpNet reads Bergen. 林雨晴 leads KelpNet.")
    assert [each.sentence for each in found] == ["KelpNet reads Bergen."]
    assert (found[0].document_name, found[0].names) == ("log.md", ("KelpNet", "Bergen"))


def test_there_are_few_of_them() -> None:
    many = " ".join(f"Anna{number} met Berta{number}." for number in range(9))
    names = [f"{name}{number}" for number in range(9) for name in ("Anna", "Berta")]
    assert len(sentences(*names, text=many)) == SENTENCES
