"""Entities and relations by a model through LangExtract: packed, parallel, stored; where it fails the rules do it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from core.adapters.langextract_model import JsonModel
from core.domain.knowledge import ENTITY_TYPES, Found, FoundRelation
from core.domain.notes import noted
from core.extraction.packing import Unit, pack
from core.llm.parallel import spread
from core.ports import Extraction, ExtractionOrder, Extractor

if TYPE_CHECKING:
    from core.adapters.langextract_reader import Read, UnitReader

AT_ONCE = 8
"""Calls at a time."""
READING = 8
"""Threads beyond those that wait for an answer: they read one, or get the next prompt ready."""
NOTE = "extraction.note.rules"


class LangExtractExtractor:
    """DocumentExtractor."""

    def __init__(self, model: JsonModel, rules: Extractor, at_once: int = AT_ONCE) -> None:
        """at_once: calls that the model lets through; units are got ready and read beside them."""
        self._model = model
        self._rules = rules
        self._threads = at_once + READING

    @property
    def engine(self) -> str:
        return self._model.engine

    def extract(self, texts: Sequence[str], language: str) -> list[list[Found]]:
        """Without a store: for single texts and for measuring."""
        order = ExtractionOrder(texts, language, (), _Nowhere(), _Never(), _unheard)
        return [list(row) for row in self.extract_document(order).found]

    def extract_document(self, order: ExtractionOrder) -> Extraction:
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

    def _reader(self, order: ExtractionOrder) -> "UnitReader":
        """LangExtract takes seconds to import: with the first document, not with the process."""
        from core.adapters.langextract_form import ExtractionForm
        from core.adapters.langextract_reader import UnitReader

        form = ExtractionForm(order.types or ENTITY_TYPES, order.language)
        return UnitReader(self._model, form, order)

    def _read(self, reader: "UnitReader", units: Sequence[Unit], order: ExtractionOrder) -> "list[Read]":
        def finished(done: Sequence[Unit]) -> None:
            order.progress(sum(len(unit.members) for unit in done), len(order.texts))

        return [read for part in spread(reader.read, units, self._threads, finished) for read in part]

    def _by_rules(self, order: ExtractionOrder, places: Sequence[int]) -> dict[int, list[Found]]:
        """Of the classes asked for; the rules see the whole document, whose statistics they need."""
        types = order.types or ENTITY_TYPES
        rows = self._rules.extract(order.texts, order.language)
        return {place: [each for each in rows[place] if each.type in types] for place in places}


def _placed(texts: Sequence[str], reads: "Sequence[Read]") -> tuple[dict[int, list[Found]], list[FoundRelation]]:
    from core.adapters.langextract_align import align

    found: dict[int, list[Found]] = {}
    relations: list[FoundRelation] = []
    for read in reads:
        if read.answer is not None:
            rows, stated = align(texts, read.unit, read.answer)
            found |= rows
            relations += stated
    return found, relations


class _Nowhere:
    """AnswerStore that keeps nothing."""

    def get(self, key: str) -> str:
        del key
        return ""

    def put(self, key: str, answer: str) -> None:
        """Forgotten."""


class _Never:
    def requested(self) -> bool:
        return False


def _unheard(done: int, total: int) -> None:
    """Nobody looks at the progress."""
