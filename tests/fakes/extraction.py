"""An extractor, and a linker of what it finds."""

from collections.abc import Callable, Sequence

from core.documents.model import Chunk
from core.documents.ports.extraction import Extraction, ExtractionRequest
from core.graph.model import Entity, ExtractedName, Mention
from core.graph.naming import entity_id
from core.platform.ids import content_id


class FakeExtractor:
    """Every capitalised word is a concept."""

    def __init__(self, before: Callable[[], None] = lambda: None) -> None:
        self.before = before
        self.calls = 0

    engine = "built-in"

    def extract_document(self, order: ExtractionRequest) -> Extraction:
        return Extraction(tuple(map(tuple, self.extract(order.texts))))

    def extract(self, texts: Sequence[str]) -> list[list[ExtractedName]]:
        self.calls += 1
        self.before()
        return [[ExtractedName(m, m + len(w), w, "CONCEPT", 1.0) for m, w in _capitalised(text)] for text in texts]


def _capitalised(text: str) -> list[tuple[int, str]]:
    found, place = [], 0
    for word in text.split():
        place = text.index(word, place)
        if word[0].isupper():
            found.append((place, word.strip(".,")))
        place += len(word)
    return found


def fake_link(
    base_id: str, document_id: str, chunks: Sequence[Chunk], found: Sequence[Sequence[ExtractedName]]
) -> tuple[tuple[Entity, ...], tuple[Mention, ...]]:
    entities: dict[str, Entity] = {}
    mentions: list[Mention] = []
    for chunk, own in zip(chunks, found, strict=True):
        for one in own:
            id = entity_id(base_id, one.name, one.type)
            entities.setdefault(id, Entity(id, base_id, one.name, one.type))
            mention_id = content_id("mention", chunk.id, str(one.start), id)
            surface = chunk.text[one.start : one.end]
            mentions.append(
                Mention(mention_id, id, document_id, chunk.id, chunk.page, one.start, one.end, surface, one.confidence)
            )
    return tuple(entities.values()), tuple(mentions)
