"""Entities and relations by a model through LangExtract: batched, parallel, cached; rules take over if it fails."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.adapters.langextract.model import JsonModel
from core.domain.documents import noted
from core.domain.knowledge import ENTITY_TYPES, Found, FoundRelation
from core.extraction.packing import Unit, pack
from core.llm.parallel import spread
from core.ports.extraction import Extraction, ExtractionRequest, Extractor

if TYPE_CHECKING:
    from core.adapters.langextract.reader import Read, UnitReader

AT_ONCE = 8
"""Concurrent calls."""
READING = 8
"""Threads beyond those waiting for an answer; they parse answers or prepare prompts."""
NOTE = "extraction.note.rules"


class LangExtractExtractor:
    """DocumentExtractor."""

    def __init__(self, model: JsonModel, rules: Extractor, at_once: int = AT_ONCE) -> None:
        """`at_once` is the number of concurrent calls; units are prepared and parsed beside them."""
        self._model = model
        self._rules = rules
        self._threads = at_once + READING

    @property
    def engine(self) -> str:
        return self._model.engine

    def extract(self, texts: Sequence[str], language: str) -> list[list[Found]]:
        """Without a store, for single texts and for benchmarks."""
        order = ExtractionRequest(texts, language, (), _Nowhere(), _Never(), _unheard)
        return [list(row) for row in self.extract_document(order).found]

    def extract_document(self, order: ExtractionRequest) -> Extraction:
        reader = self._reader(order)
        units = pack(order.texts)
        reads = self._read(reader, units, order)
        found, relations = _placed(order.texts, reads)
        left = [member for read in reads if read.answer is None for member in read.unit.members]
        if left:
            found |= self._by_rules(order, left)
        notes = (noted(NOTE, done=len(left), total=sum(len(unit.members) for unit in units)),) if left else ()
        rows = tuple(tuple(found.get(place, ())) for place in range(len(order.texts)))
        return Extraction(rows, tuple(relations), notes, reader.usage)

    def _reader(self, order: ExtractionRequest) -> "UnitReader":
        """Imported with the first document, because importing LangExtract takes seconds."""
        from core.adapters.langextract.form import ExtractionForm
        from core.adapters.langextract.reader import UnitReader

        form = ExtractionForm(order.types or ENTITY_TYPES, order.language)
        return UnitReader(self._model, form, order)

    def _read(self, reader: "UnitReader", units: Sequence[Unit], order: ExtractionRequest) -> "list[Read]":
        def finished(done: Sequence[Unit]) -> None:
            order.progress(sum(len(unit.members) for unit in done), len(order.texts))

        return [read for part in spread(reader.read, units, self._threads, finished) for read in part]

    def _by_rules(self, order: ExtractionRequest, places: Sequence[int]) -> dict[int, list[Found]]:
        """Restricted to the requested classes. The rules see the whole document, because they need its statistics."""
        types = order.types or ENTITY_TYPES
        rows = self._rules.extract(order.texts, order.language)
        return {place: [each for each in rows[place] if each.type in types] for place in places}


def _placed(texts: Sequence[str], reads: "Sequence[Read]") -> tuple[dict[int, list[Found]], list[FoundRelation]]:
    from core.adapters.langextract.align import align

    found: dict[int, list[Found]] = {}
    relations: list[FoundRelation] = []
    for read in reads:
        if read.answer is not None:
            rows, stated = align(texts, read.unit, read.answer)
            found |= rows
            relations += stated
    return found, relations


class _Nowhere:
    """AnswerStore that stores nothing."""

    def get(self, key: str) -> str:
        del key
        return ""

    def put(self, key: str, answer: str) -> None:
        """Discards the answer."""


class _Never:
    def requested(self) -> bool:
        return False


def _unheard(done: int, total: int) -> None:
    """Ignores progress."""
