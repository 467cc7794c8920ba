"""Questions of programs: the knowledge base, the run and the answer. Shared by every way to ask."""

from dataclasses import asdict
from typing import Annotated

from fastapi import Depends, Path
from pydantic import BaseModel, Field, StrictBool

from core.app.services import Services
from core.documents.model import KnowledgeBase
from core.interfaces.http.access import ServicesDep, require
from core.interfaces.http.problems import RefusedRequest
from core.interfaces.http.v1.shapes import (
    CitationOut,
    FoundPassageOut,
    Id,
    In,
    ShownPassageOut,
    UsageOut,
    citation_out,
    found_out,
)
from core.memory.model import AnswerForm
from core.people.api_keys import ApiKey, KeyScope
from core.platform.errors import NotFoundError
from core.runs.events import Event
from core.runs.history.model_failure import failure_of
from core.runs.history.view import fold
from core.runs.model import MAX_QUESTION, Run, RunOptions, RunPurpose, RunRequest, RunStatus, Turn

DEFAULT_WORKFLOW = "adaptive"


class QuestionIn(In):
    question: str = Field(min_length=1, max_length=MAX_QUESTION, examples=["When was it founded?"])
    base: str = Field(default="", max_length=200, description="id or name; may be left out where there is only one")
    workflow: str = Field(default=DEFAULT_WORKFLOW, max_length=100)
    thread_id: str = Field(default="", max_length=200, description="the conversation to go on with; needs scope write")
    web: StrictBool = Field(
        default=False, description="let queries leave for the web where a key is set; needs scope write"
    )
    documents: list[Id] = Field(default=[], max_length=200, description="ids of the documents to search; none for all")


class PartOut(BaseModel):
    question: str
    answered: bool


class ReasonOut(BaseModel):
    key: str = Field(description="stable name of the reason")
    details: dict[str, str]
    message: str = Field(description="the reason as an English sentence")


class AssessmentOut(BaseModel):
    probability: float = Field(description="estimated by the rules: that the evidence answers the question")
    threshold: float = Field(description="the probability needed")
    reasons: list[ReasonOut] = Field(description="why the rules did not take it for an answer; none where they did")


class AnsweredQuestion(BaseModel):
    question: str
    answer: str
    outcome: str = Field(description="answered, closest, not_found, ...; empty where the run did not end by itself")
    status: RunStatus
    error: str = Field(description="why it failed, or what failed of the model; else empty")
    degraded: bool = Field(description="a model failed, and rules did all or some of its work")
    workflow: str
    engine: str
    citations: list[CitationOut]
    passages: list[ShownPassageOut] = Field(description="what comes closest where nothing surely answers, best first")
    stands_in: ShownPassageOut | None = Field(description="the passage that the answer rests on")
    beside: list[FoundPassageOut] = Field(description="further passages that were found, where a small model answered")
    unsupported: list[str] = Field(description="sentences of the answer that no passage supports")
    assessment: AssessmentOut | None = Field(description="of the evidence; null where the rules weighed none")
    parts: list[PartOut] = Field(description="of a message that asks two questions")
    choices: list[str] = Field(description="the ways to read a question that is not clear")
    preferences: list[AnswerForm] = Field(description="the remembered wishes for the form of answers that it followed")
    search_unfinished: bool = Field(description="vectors were still being made, so it searched what was there")
    usage: UsageOut
    seconds: float
    run_id: str
    thread_id: str


def request_of(
    services: Services, key: ApiKey, asked: QuestionIn, history: tuple[Turn, ...] | None = None
) -> RunRequest:
    """The run to start. A key of scope read neither continues a conversation nor uses or stores memories.

    history: of a conversation that the program keeps itself. Raises AppError.
    """
    if asked.thread_id or asked.web:
        require(key, KeyScope.WRITE)
    may_write = key.scope.includes(KeyScope.WRITE)
    in_chat = may_write and history is None
    return RunRequest(
        question=asked.question,
        base_id=base_named(services, asked.base).id,
        workflow=asked.workflow,
        thread_id=asked.thread_id,
        use_memory=may_write,
        use_web=asked.web,
        web_agreed=asked.web,
        options=RunOptions(documents=tuple(asked.documents)),
        purpose=RunPurpose.CHAT if in_chat else RunPurpose.API,
        history=history,
    )


def base_named(services: Services, wanted: str) -> KnowledgeBase:
    """The knowledge base by id or name; the only one for an empty name. Raises RefusedRequest."""
    bases = services.library.bases
    if wanted:
        try:
            return bases.get(wanted)
        except NotFoundError as error:
            if found := bases.named(wanted):
                return found
            raise RefusedRequest(404, "api.problem.base", name=wanted) from error
    every = bases.all()
    if len(every) == 1:
        return every[0]
    if not every:
        raise RefusedRequest(404, "api.problem.no_base")
    raise RefusedRequest(422, "api.problem.choose_base", names=", ".join(base.name for base in every[:20]))


def answered(run: Run, events: list[Event]) -> AnsweredQuestion:
    view = fold(events)
    failure = failure_of(view) if run.status is RunStatus.DONE else None
    return AnsweredQuestion(
        question=run.question,
        answer=run.answer,
        outcome=run.outcome,
        status=run.status,
        error=run.error,
        degraded=failure is not None,
        workflow=run.workflow,
        engine=run.engine,
        citations=[citation_out(citation) for citation in run.citations],
        passages=[ShownPassageOut.model_validate(passage) for passage in view.passages],
        stands_in=ShownPassageOut.model_validate(view.stands_in) if view.stands_in else None,
        beside=[found_out(found) for found in view.beside],
        unsupported=list(view.unsupported),
        assessment=AssessmentOut(**view.assessment.as_json()) if view.assessment else None,
        parts=[PartOut(**asdict(part)) for part in view.parts],
        choices=list(view.choices),
        preferences=list(view.preferred),
        search_unfinished=view.is_search_unfinished,
        usage=UsageOut.model_validate(run.usage),
        seconds=round(run.seconds, 3),
        run_id=run.id,
        thread_id=run.thread_id,
    )


def _base_id_of(services: ServicesDep, base_id: Annotated[str, Path(max_length=200, description="id or name")]) -> str:
    """Id of the knowledge base in the path. Raises RefusedRequest."""
    return base_named(services, base_id).id


BaseId = Annotated[str, Depends(_base_id_of)]
