"""Entities and relations by a model through LangExtract: batched, parallel, cached; rules take over if it fails.

Short documents of the same classes and language share a call; each keeps its own part of the answer.
"""

from collections.abc import Callable, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from functools import partial
from threading import Lock
from time import sleep

from core.documents.extraction.langextract.align import align
from core.documents.extraction.langextract.form import ExtractionForm, ListedNames
from core.documents.extraction.langextract.reader import JsonModel, UnitReader, UnitReading, ask
from core.documents.extraction.packing import BETWEEN, PackedTexts, pack
from core.documents.extraction.shared_batches import JointCalls
from core.documents.extraction.span_alignment import SearchedTexts, SoughtName, most_alike
from core.documents.model import noted
from core.documents.ports.extraction import Extraction, ExtractionRequest, Extractor, StoredAnswer
from core.documents.ports.parsing import ignore_progress
from core.graph.model import ENTITY_TYPES, ExtractedName, FoundRelation
from core.models.meter import CancelWhen, CountingMeter, Uncancelled
from core.models.parallel import spread
from core.models.ports import OF_A_SERVICE, Pace
from core.models.tokens import estimate_tokens
from core.platform.errors import CancelledError, ServiceError
from core.platform.language.detect import detect_language
from core.runs.model import Usage

SENT_FIRST_SECONDS = 0.05
"""Pause before an answer is split, which takes the processor, so that the next call is sent first."""


@dataclass(eq=False, slots=True)
class Short:
    """A document that fits into a part of one call."""

    order: ExtractionRequest
    reader: UnitReader
    unit: PackedTexts
    size: int
    """Tokens."""
    reads: list[UnitReading] = field(default_factory=list)
    """Answers, once there are any."""
    error: Exception | None = None
    """Error of the call that it was part of."""

    @property
    def kind(self) -> tuple[tuple[str, ...], str]:
        """Classes and language; documents that share them can share a call."""
        return self.order.types, self.order.language

    @property
    def is_left(self) -> bool:
        """Whether it needs calls of its own."""
        return not self.reads and not self.error and self.is_wanted()

    def is_wanted(self) -> bool:
        return not self.order.cancel.requested()


def read_together(model: JsonModel, shorts: Sequence[Short], turn: Lock) -> None:
    """Stores an answer for each document as if it had come from a call of its own.

    If a shared call fails, nothing is stored, and each document needs a call of its own. Raises CancelledError when
    none is wanted any more. turn: held while an answer is split, since several calculating threads would delay those
    that send calls.
    """
    if len(shorts) == 1:
        shorts[0].reads = shorts[0].reader.read(shorts[0].unit)
        return
    unwanted = CancelWhen(lambda: not any(short.is_wanted() for short in shorts))
    form, meter = shorts[0].reader.form, CountingMeter(unwanted)
    texts = [short.unit.text for short in shorts]
    try:
        said = ask(model, form.prompt(BETWEEN.join(texts)), shorts[0].reader.unit_tokens, meter)
        sleep(SENT_FIRST_SECONDS)
        with turn:
            parts, usages = shares(form.read(said), texts), _split(meter.usage, texts)
            split = list(zip(shorts, parts, usages, strict=True))
            first, *others = [short.reader.answered(short.unit, part, usage) for short, part, usage in split]
    except ServiceError:
        shorts[0].reader.count(meter.usage)
        return
    first.store.put_along(first.key, first.answer, others)
    for short, part, usage in split:
        short.reader.count(usage)
        short.reads = [UnitReading(short.unit, part)]


def shares(answer: ListedNames, texts: Sequence[str]) -> list[ListedNames]:
    """For each text, the names that occur in it and the relations between them.

    A name that occurs in no text goes to the one with most of its words.
    """
    names: list[list[SoughtName]] = [[] for _ in texts]
    searched = SearchedTexts(texts)
    for name in answer.names:
        inside = searched.holding(name.text)
        nearly = None if inside else most_alike(name.text, dict(enumerate(texts)))
        for place in inside if nearly is None else [nearly]:
            names[place].append(name)
    held = [{name.text for name in own} for own in names]
    return [
        ListedNames(tuple(own), tuple(each for each in answer.relations if {each.source, each.target} <= known))
        for own, known in zip(names, held, strict=True)
    ]


def _split(usage: Usage, texts: Sequence[str]) -> list[Usage]:
    """Splits usage by the length of the texts; the parts add up to the whole, and calls count for the first one."""
    sizes = [estimate_tokens(text) for text in texts]
    whole, before = max(sum(sizes), 1), 0
    found: list[Usage] = []
    for place, size in enumerate(sizes):
        prompt, completion = (
            tokens * (before + size) // whole - tokens * before // whole
            for tokens in (usage.prompt_tokens, usage.completion_tokens)
        )
        before += size
        found.append(Usage(usage.model_calls if place == 0 else 0, prompt, completion, usage.estimated))
    return found


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
        together = partial(read_together, model, turn=Lock())
        self._joint: JointCalls[Short] = JointCalls(together, JOINT_TOKENS, pace.in_flight)
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
