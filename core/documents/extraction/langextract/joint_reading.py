"""Short documents of the same classes and language in one call; each keeps its own part of the answer."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from threading import Lock
from time import sleep

from core.documents.extraction.langextract.form import ListedNames
from core.documents.extraction.langextract.reader import JsonModel, UnitReader, UnitReading, ask
from core.documents.extraction.packing import BETWEEN, PackedTexts
from core.documents.extraction.span_alignment import SearchedTexts, SoughtName, most_alike
from core.documents.ports.extraction import ExtractionRequest
from core.models.meter import CancelWhen, CountingMeter
from core.models.tokens import estimate_tokens
from core.platform.errors import ServiceError
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
    none is wanted any more. turn: held while an answer is split.
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
