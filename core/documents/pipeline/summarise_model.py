"""Summaries of a document and its sections by a model: several parts per call, bounded concurrency, answers stored."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from pydantic import BaseModel, Field

from core.documents.estimating.forecast import MOST_SUMMARY_CALLS
from core.documents.model import Summary
from core.documents.pipeline.artefacts import Assembled
from core.documents.pipeline.summarise import SummaryDraft, digest
from core.documents.ports.extraction import AnswerStore
from core.models.meter import Cancel, CountingMeter, stop_if_requested
from core.models.parallel import spread
from core.models.ports import Llm, Pace
from core.models.prompt_files import fill
from core.models.tasks import Task
from core.platform.ids import content_id
from core.runs.model import Usage

LONGEST = 1_200
"""Longer summaries are truncated to this many characters."""


class Summaries(BaseModel):
    """A model's summaries of several parts."""

    summaries: list[str] = Field(description="One a part, in the order of the parts")


@dataclass(frozen=True, slots=True)
class SummariseRequest:
    title: str
    language: str
    parts: tuple[str, ...]
    """Number, heading and text of each part."""


def _by_extraction(request: SummariseRequest) -> Summaries:
    """Extractive summary, the fallback."""
    return Summaries(summaries=[digest(part) for part in request.parts])


SUMMARISE = Task("summarise", Summaries, _by_extraction, max_tokens=3_000)


@dataclass(frozen=True, slots=True)
class WrittenSummary:
    summaries: tuple[Summary, ...]
    usage: Usage


class _Kept(BaseModel):
    """A stored answer with its usage."""

    summaries: list[str]
    usage: Usage


class Summariser:
    """Summaries by a model; parts without a usable answer keep the extractive one."""

    def __init__(self, llm: Llm, pace: Pace, answers: AnswerStore, cancel: Cancel) -> None:
        self._llm = llm
        self._pace = pace
        self._answers = answers
        self._cancel = cancel

    def write(self, document: Assembled, drafts: Sequence[SummaryDraft]) -> WrittenSummary:
        """Raises CancelledError."""
        asked = drafts[: MOST_SUMMARY_CALLS * self._pace.sections_per_call]
        size = self._pace.sections_per_call
        batches = [asked[start : start + size] for start in range(0, len(asked), size)]
        requests = [
            SummariseRequest(document.title, document.language, tuple(map(_part, range(1, len(batch) + 1), batch)))
            for batch in batches
        ]
        answers = spread(self._answered, requests, self._pace.in_flight, lambda _: stop_if_requested(self._cancel))
        texts = [text for answer in answers for text in answer.summaries]
        written = tuple(
            replace(draft.summary, text=" ".join(text.split())[:LONGEST] or draft.summary.text)
            for draft, text in zip(asked, texts, strict=True)
        )
        spent = sum((answer.usage for answer in answers), Usage())
        return WrittenSummary((*written, *(draft.summary for draft in drafts[len(asked) :])), spent)

    def _answered(self, request: SummariseRequest) -> _Kept:
        """Answers from the store or the model; empty texts where both fail."""
        key = content_id(self._llm.engine, *(message["content"] for message in fill(SUMMARISE.name, request)))
        if kept := self._answers.get(key):
            return _Kept.model_validate_json(kept)
        meter = CountingMeter(self._cancel)
        found = self._llm.run(SUMMARISE, request, meter).summaries
        if meter.degradations or len(found) != len(request.parts):
            return _Kept(summaries=[""] * len(request.parts), usage=meter.usage)
        answer = _Kept(summaries=found, usage=meter.usage)
        self._answers.put(key, answer.model_dump_json())
        return answer


def _part(number: int, draft: SummaryDraft) -> str:
    heading = " / ".join(draft.summary.section)
    return f"{number}. {heading}: {draft.source}" if heading else f"{number}. The whole document: {draft.source}"
