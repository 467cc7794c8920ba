"""Short documents of the same classes and language in one call; each keeps its own part of the answer."""

from collections.abc import Sequence
from dataclasses import dataclass

from core.adapters.langextract.form import Answer, ExtractionForm
from core.adapters.langextract.model import JsonModel, ask
from core.adapters.langextract.reader import packed, stored_under
from core.domain.runs import Usage
from core.errors import ServiceError
from core.extraction.packing import BETWEEN
from core.extraction.span_alignment import Name, Texts, most_alike
from core.llm.metering import CountingMeter
from core.llm.tokens import estimate_tokens
from core.ports.extraction import ExtractionRequest


@dataclass(frozen=True, slots=True)
class Short:
    """A document that fits into a part of one call."""

    text: str
    order: ExtractionRequest


def read_together(model: JsonModel, form: ExtractionForm, shorts: Sequence[Short]) -> Usage:
    """Puts an answer for each document into its store, as if it had been asked for alone; what a failed call took.

    After a failure nothing is stored, and every document asks for itself. Raises CancelledError for the first one.
    """
    meter = CountingMeter(shorts[0].order.cancel)
    texts = [short.text for short in shorts]
    try:
        answer = form.read(ask(model, form.prompt(BETWEEN.join(texts)), meter))
    except ServiceError:
        return meter.usage
    for short, part, usage in zip(shorts, shares(answer, texts), _split(meter.usage, texts), strict=True):
        key = stored_under(model.engine, form.prompt(short.text))
        short.order.answers.put(key, packed(form.written(part), usage))
    return Usage()


def shares(answer: Answer, texts: Sequence[str]) -> list[Answer]:
    """Of each text the names that stand in it, and the relations between them.

    A name that stands in none as it was answered goes to the text with most of its words.
    """
    names: list[list[Name]] = [[] for _ in texts]
    searched = Texts(texts)
    for name in answer.names:
        inside = searched.holding(name.text)
        nearly = None if inside else most_alike(name.text, dict(enumerate(texts)))
        for place in inside if nearly is None else [nearly]:
            names[place].append(name)
    held = [{name.text for name in own} for own in names]
    return [
        Answer(tuple(own), tuple(each for each in answer.relations if {each.source, each.target} <= known))
        for own, known in zip(names, held, strict=True)
    ]


def _split(usage: Usage, texts: Sequence[str]) -> list[Usage]:
    """By the length of the texts; the calls count for the first one. The parts add up to the whole."""
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
