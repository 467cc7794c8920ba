"""Entities and relations by a model through LangExtract: batched, parallel, cached; rules take over if it fails."""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass
from threading import Lock

from core.documents.extraction.langextract.align import align
from core.documents.extraction.langextract.form import ExtractionForm
from core.documents.extraction.langextract.joint_reading import Short, read_together
from core.documents.extraction.langextract.reader import JsonModel, UnitReader, UnitReading
from core.documents.extraction.packing import PackedTexts, pack
from core.documents.extraction.shared_batches import JointCalls
from core.documents.model import noted
from core.documents.ports.extraction import Extraction, ExtractionRequest, Extractor, StoredAnswer
from core.documents.ports.parsing import ignore_progress
from core.graph.model import ENTITY_TYPES, ExtractedName, FoundRelation
from core.models.meter import Uncancelled
from core.models.parallel import spread
from core.models.ports import OF_A_SERVICE, Pace
from core.models.tokens import estimate_tokens
from core.platform.errors import CancelledError
from core.platform.language.detect import detect_language

JOINT_TOKENS = OF_A_SERVICE.unit_tokens
"""Size of a call that documents share."""
SHORT_TOKENS = JOINT_TOKENS // 2
"""Up to this length a document shares a call with others."""
READING = 8
"""Threads beyond those waiting for an answer; they parse answers or prepare prompts."""
NOTE = "extraction.note.rules"


class LangExtractExtractor:
    """DocumentExtractor."""

    def __init__(self, model: JsonModel, rules: Extractor, pace: Pace = OF_A_SERVICE) -> None:
        """rules: used where the model fails."""
        self._model = model
        self._rules = rules
        self._pace = pace
        self._threads = pace.in_flight + READING
        self._forms: dict[tuple[tuple[str, ...], str], ExtractionForm] = {}
        self._joint: JointCalls[Short] = JointCalls(self._read_jointly, JOINT_TOKENS, pace.in_flight)
        self._turn = Lock()
        """Held while an answer is split, since several calculating threads would delay those that send calls."""
        self._lock = Lock()

    @property
    def engine(self) -> str:
        return self._model.engine

    def extract(self, texts: Sequence[str]) -> list[list[ExtractedName]]:
        """Entities without a store, for single texts and for benchmarks."""
        order = ExtractionRequest(
            texts, detect_language("\n".join(texts)), (), _Nowhere(), Uncancelled(), ignore_progress
        )
        return [list(row) for row in self.extract_document(order).found]

    def extract_document(self, order: ExtractionRequest) -> Extraction:
        (made,) = self.extract_together([order], _nobody_else)
        if isinstance(made, Exception):
            raise made
        return made

    def expecting(self) -> AbstractContextManager[Callable[[], None]]:
        return self._joint.expecting()

    def extract_together(
        self, orders: Sequence[ExtractionRequest], arrived: Callable[[], None]
    ) -> list[Extraction | Exception]:
        """Short documents share calls with others, of other threads too; each of the rest has calls of its own."""
        texts = [self._opened(order) for order in orders]
        with ThreadPoolExecutor(len(texts), "alone") as alone, ThreadPoolExecutor(1, "shared") as shared:
            begun = {place: alone.submit(self._alone, text) for place, text in enumerate(texts) if not text.short}
            shorts = [text.short for text in texts if text.short and not text.short.reads]
            for short, error in zip(shorts, self._joint.ask_for(shorts, arrived), strict=True):
                short.error = error
            for place, text in enumerate(texts):
                if text.short and text.short.is_left:
                    begun[place] = alone.submit(self._alone, text)
                elif text.short:
                    begun[place] = shared.submit(self._shared, text)
            return [_outcome(begun[place]) for place in range(len(texts))]

    def _read_jointly(self, shorts: Sequence[Short]) -> None:
        read_together(self._model, shorts, self._turn)

    def _opened(self, order: ExtractionRequest) -> "_Opened":
        """A document with what was answered of it before."""
        most = self._pace.unit_tokens
        reader, units = UnitReader(self._model, self._form(order), order, most), pack(order.texts, most)
        if len(units) != 1 or (size := estimate_tokens(units[0].text)) > SHORT_TOKENS:
            return _Opened(order, reader, units)
        kept = reader.stored(units[0])
        return _Opened(order, reader, units, Short(order, reader, units[0], size, [kept] if kept else []))

    def _form(self, order: ExtractionRequest) -> ExtractionForm:
        types = order.types or ENTITY_TYPES
        with self._lock:
            return self._forms.setdefault((types, order.language), ExtractionForm(types, order.language))

    def _alone(self, text: "_Opened") -> Extraction:
        return self._extraction(text, self._read(text.reader, text.units, text.order))

    def _shared(self, text: "_Opened") -> Extraction:
        """Raises what its call raised, and CancelledError."""
        if text.short and text.short.reads:
            return self._extraction(text, text.short.reads)
        raise (text.short and text.short.error) or CancelledError("error.cancelled")

    def _extraction(self, text: "_Opened", reads: Sequence[UnitReading]) -> Extraction:
        order, reader = text.order, text.reader
        found, relations = _placed(order.texts, reads)
        left = [member for read in reads if read.answer is None for member in read.unit.members]
        if left:
            found |= self._by_rules(order, left)
        notes = (noted(NOTE, done=len(left), total=sum(len(read.unit.members) for read in reads)),) if left else ()
        rows = tuple(tuple(found.get(place, ())) for place in range(len(order.texts)))
        return Extraction(rows, tuple(relations), notes, reader.usage)

    def _read(self, reader: UnitReader, units: Sequence[PackedTexts], order: ExtractionRequest) -> list[UnitReading]:
        def finished(done: Sequence[PackedTexts]) -> None:
            order.progress(sum(len(unit.members) for unit in done), len(order.texts))

        return [read for part in spread(reader.read, units, self._threads, finished) for read in part]

    def _by_rules(self, order: ExtractionRequest, places: Sequence[int]) -> dict[int, list[ExtractedName]]:
        """Restricted to the requested classes. The rules see the whole document, because they need its statistics."""
        types = order.types or ENTITY_TYPES
        rows = self._rules.extract(order.texts)
        return {place: [each for each in rows[place] if each.type in types] for place in places}


def _placed(
    texts: Sequence[str], reads: Sequence[UnitReading]
) -> tuple[dict[int, list[ExtractedName]], list[FoundRelation]]:
    found: dict[int, list[ExtractedName]] = {}
    relations: list[FoundRelation] = []
    for read in reads:
        if read.answer is not None:
            rows, stated = align(texts, read.unit, read.answer)
            found |= rows
            relations += stated
    return found, relations


def _outcome(made: "Future[Extraction]") -> Extraction | Exception:
    error = made.exception()
    return error if isinstance(error, Exception) else made.result()


@dataclass(frozen=True, slots=True)
class _Opened:
    """A document and its units."""

    order: ExtractionRequest
    reader: UnitReader
    units: Sequence[PackedTexts]
    short: Short | None = None
    """Set where the document shares a call."""


class _Nowhere:
    """JointAnswerStore that stores nothing."""

    def get(self, key: str) -> str:
        del key
        return ""

    def put(self, key: str, answer: str) -> None:
        """Discards the answer."""

    def put_along(self, key: str, answer: str, others: Sequence[StoredAnswer]) -> None:
        """Discards the answers."""


def _nobody_else() -> None:
    """Does nothing, where no document was announced."""
