"""Lists made from the documents: only names whose page is certain are asked about."""

from collections.abc import Iterator

from core.graph.model import Entity, Mention, MentionView
from core.runs.evaluation.written_questions import cases_from
from core.search.ports import IndexEntry
from tests.fakes.graph import FakeGraph

CHUNKS = {
    "a1": ("a.pdf", 0, "The Lumen buoy was built by Ada Holm in Bergen."),
    "a2": ("a.pdf", 1, "Ada Holm left. Rolf Lund came. The Lumen stayed."),
    "b1": ("b.pdf", 4, "杭州的王芳负责校准。"),
    "b2": ("b.pdf", 5, "Nobody marked that Rolf Lund is named here too."),
}
MARKED = {
    "Ada Holm": ["a1", "a2"],
    "Bergen": ["a1"],
    "Rolf Lund": ["a2"],
    "王芳": ["b1"],
    "杭州市": ["b1"],
    "Lumen": ["a1"],
}


class Graph(FakeGraph):
    def every(self, base_id: str) -> list[Entity]:
        return [Entity(name, base_id, name, "X", (), len(where)) for name, where in MARKED.items()]

    def mentions(self, entity_id: str, limit: int) -> list[MentionView]:
        return [_mention(entity_id, chunk) for chunk in MARKED[entity_id]][:limit]


def _mention(name: str, chunk: str) -> MentionView:
    document, page, words = CHUNKS[chunk]
    return MentionView(Mention(f"{name}{chunk}", name, document, chunk, page, 0, 1, name, 1.0), document, words, ())


class Passages:
    def index_entries(self, base_id: str, level: str) -> Iterator[list[IndexEntry]]:
        yield [IndexEntry(chunk, document, document, "", words) for chunk, (document, _, words) in CHUNKS.items()]


def test_only_names_on_one_page_are_asked_about_and_documents_take_turns() -> None:
    cases = cases_from("b", Graph(), Passages())  # type: ignore[arg-type]
    assert [(case.document, case.page, case.answer) for case in cases] == [("a.pdf", 1, ""), ("b.pdf", 5, "")]
    assert [case.question for case in cases] == [
        "What do the documents say about Bergen?",
        "关于杭州市，文档说了什么？",
    ]
    assert len({case.id for case in cases}) == 2
