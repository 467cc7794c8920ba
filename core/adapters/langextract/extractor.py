"""Entities and relations by a model through LangExtract: batched, parallel, cached; rules take over if it fails."""

from collections.abc import Sequence
from threading import Lock
from typing import TYPE_CHECKING

from core.adapters.langextract.model import JsonModel
from core.domain.documents import noted
from core.domain.knowledge import ENTITY_TYPES, Found, FoundRelation
from core.errors import CancelledError
from core.extraction.joint_calls import JointCalls
from core.extraction.packing import UNIT_TOKENS, Unit, pack
from core.llm.parallel import spread
from core.llm.tokens import estimate_tokens
from core.ports.extraction import Extraction, ExtractionRequest, Extractor
from core.ports.metering import Uncancelled

if TYPE_CHECKING:
    from core.adapters.langextract.form import ExtractionForm
    from core.adapters.langextract.joint_reading import Short
    from core.adapters.langextract.reader import Read, UnitReader

JOINT_TOKENS = UNIT_TOKENS
"""Of a call that documents share."""
SHORT_TOKENS = UNIT_TOKENS // 2
"""Up to this length a document shares a call with others."""
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
        self._joint: dict[tuple[tuple[str, ...], str], JointCalls[Short]] = {}
        self._lock = Lock()

    @property
    def engine(self) -> str:
        return self._model.engine

    def extract(self, texts: Sequence[str], language: str) -> list[list[Found]]:
        """Without a store, for single texts and for benchmarks."""
        order = ExtractionRequest(texts, language, (), _Nowhere(), Uncancelled(), _unheard)
        return [list(row) for row in self.extract_document(order).found]

    def extract_document(self, order: ExtractionRequest) -> Extraction:
        form = self._form(order)
        reader = self._reader(form, order)
        units = pack(order.texts)
        if len(units) == 1 and (size := estimate_tokens(units[0].text)) <= SHORT_TOKENS:
            kept = reader.stored(units[0])
            reads = [kept] if kept else self._read_jointly(form, reader, units[0], size, order)
        else:
            reads = self._read(reader, units, order)
        found, relations = _placed(order.texts, reads)
        left = [member for read in reads if read.answer is None for member in read.unit.members]
        if left:
            found |= self._by_rules(order, left)
        notes = (noted(NOTE, done=len(left), total=sum(len(unit.members) for unit in units)),) if left else ()
        rows = tuple(tuple(found.get(place, ())) for place in range(len(order.texts)))
        return Extraction(rows, tuple(relations), notes, reader.usage)

    def _form(self, order: ExtractionRequest) -> "ExtractionForm":
        """Imported with the first document, because importing LangExtract takes seconds."""
        from core.adapters.langextract.form import ExtractionForm

        return ExtractionForm(order.types or ENTITY_TYPES, order.language)

    def _reader(self, form: "ExtractionForm", order: ExtractionRequest) -> "UnitReader":
        from core.adapters.langextract.reader import UnitReader

        return UnitReader(self._model, form, order)

    def _read_jointly(
        self, form: "ExtractionForm", reader: "UnitReader", unit: Unit, size: int, order: ExtractionRequest
    ) -> "list[Read]":
        """With other short documents where there are some; alone where that fails."""
        from core.adapters.langextract.joint_reading import Short, read_together

        def check() -> None:
            if order.cancel.requested():
                raise CancelledError("error.cancelled")

        with self._joint_calls(order).turn(Short(unit.text, order), size, check) as shorts:
            if len(shorts) > 1:
                reader.count(read_together(self._model, form, shorts))
            kept = reader.stored(unit)
            if shorts and not kept:
                return self._read(reader, [unit], order)
        return [kept] if kept else self._read(reader, [unit], order)

    def _joint_calls(self, order: ExtractionRequest) -> "JointCalls[Short]":
        """Of the documents that are asked about in the same words."""
        with self._lock:
            return self._joint.setdefault((order.types, order.language), JointCalls(JOINT_TOKENS))

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


def _unheard(done: int, total: int) -> None:
    """Ignores progress."""
