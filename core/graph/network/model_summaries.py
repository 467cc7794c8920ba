"""Summaries of communities by a model, kept for the sentences that they were made from."""

from dataclasses import dataclass

from pydantic import BaseModel, Field

from core.documents.ports.extraction import AnswerStore
from core.models.meter import Meter
from core.models.ports import Llm
from core.models.prompt_files import fill
from core.models.tasks import Task
from core.platform.ids import content_id

LONGEST = 600
"""Longer summaries are cut to this many characters."""


class CommunitySummary(BaseModel):
    summary: str = Field(description="one or two plain sentences")


@dataclass(frozen=True, slots=True)
class SummariseCommunityRequest:
    language: str
    names: tuple[str, ...]
    """Of its entities, the most central first."""
    sentences: tuple[str, ...]
    """Of the documents, about them."""


def _by_first_sentence(request: SummariseCommunityRequest) -> CommunitySummary:
    return CommunitySummary(summary=request.sentences[0] if request.sentences else "")


SUMMARISE_COMMUNITY = Task("summarise_community", CommunitySummary, _by_first_sentence, max_tokens=500)


class CommunitySummaries:
    def __init__(self, llm: Llm, answers: AnswerStore) -> None:
        self._llm = llm
        self._answers = answers

    def kept(self, request: SummariseCommunityRequest) -> str:
        """What this model wrote of the same sentences before; empty if it did not."""
        return self._answers.get(self._key(request))

    def write(self, request: SummariseCommunityRequest, meter: Meter) -> str:
        """Empty where the model fails: the rule's sentence says no more than what is shown without it."""
        written = self._llm.run(SUMMARISE_COMMUNITY, request, meter).summary
        if meter.failure():
            return ""
        summary = " ".join(written.split())[:LONGEST]
        self._answers.put(self._key(request), summary)
        return summary

    def _key(self, request: SummariseCommunityRequest) -> str:
        messages = (message["content"] for message in fill(SUMMARISE_COMMUNITY.name, request))
        return content_id("community", self._llm.engine, *messages)
