"""Lists of questions, evaluations of workflows in the background, and their results."""

from dataclasses import asdict
from datetime import datetime
from pathlib import PurePath
from typing import Annotated

from fastapi import APIRouter, File, Form, Response, UploadFile
from pydantic import BaseModel, Field

from core.app.services import Services
from core.interfaces.http.access import READ, WRITE, ServicesDep
from core.interfaces.http.asking import base_named
from core.interfaces.http.problems import RefusedRequest
from core.interfaces.http.v1.shapes import COUNTED, Id, In, Limit, Out, Skip, part_of
from core.platform.errors import NotFoundError
from core.runs.evaluation.comparing import Change, EvaluationFigures, changes, figures_of, last_time, rows_of
from core.runs.evaluation.model import Case, Evaluation, EvaluationStatus, QuestionList
from core.runs.evaluation.question_files import MAX_BYTES, cases_of
from core.runs.history.prices import load_prices
from core.runs.model import MAX_QUESTION

router = APIRouter(tags=["evaluation"])
MAX_LIST_NAME = 80
MAX_LIST_BYTES = MAX_BYTES + 100_000
"""Limit of a request: the file and the form."""


class ListOut(Out):
    id: str
    name: str
    cases: int
    changed_at: datetime


class CaseOut(Out):
    question: str = Field(max_length=MAX_QUESTION)
    document: str = Field(description="name of the file that answers; empty where none is expected")
    page: int | None = Field(description="from 1")
    answer: str = Field(description="words that the answer has to contain")
    declined: bool = Field(description="the documents do not answer it")


class ListWithCases(ListOut):
    questions: list[CaseOut]


class NewEvaluation(In):
    list_id: Id
    base: Id = Field(description="id or name")
    workflows: list[Id] = Field(default=["adaptive"], min_length=1, max_length=20)


class EvaluationOut(BaseModel):
    id: str
    list_id: str
    base_id: str
    workflows: tuple[str, ...]
    status: EvaluationStatus
    started_at: datetime
    questions: int = Field(description="how many there are to ask")
    asked: int
    error: str = Field(description="why it could not go on, with the remedy; empty if it can")


class ShareOut(Out):
    some: int
    all: int


class FiguresOut(BaseModel):
    workflow: str
    asked: int
    answered: int
    declined: int
    failed: int
    right_pages: ShareOut
    right_answers: ShareOut
    supported: ShareOut = Field(description="sentences that a passage supports")
    degraded: int
    seconds: float = Field(description="mean")
    prompt_tokens: int
    completion_tokens: int
    costs: dict[str, float] = Field(description="by currency")


class ResultOut(BaseModel):
    question: str
    workflow: str
    ending: str = Field(description="an outcome, or the status of a run that did not finish")
    right_page: bool | None = Field(description="null where none is expected")
    right_answer: bool | None
    sentences: int
    supported: int
    degraded: bool
    seconds: float
    prompt_tokens: int
    completion_tokens: int
    engine: str
    change: Change | None = Field(description="since the evaluation before of this list and base")
    run_id: str


class ReportOut(EvaluationOut):
    compared_with: str | None = Field(description="id of the evaluation before")
    figures: list[FiguresOut]
    results: list[ResultOut]


@router.get("/question-lists", dependencies=[READ], responses=COUNTED)
def list_question_lists(services: ServicesDep, response: Response, limit: Limit = 50, skip: Skip = 0) -> list[ListOut]:
    """Last changed first."""
    found = services.storage.records.evaluations.lists()
    return [ListOut.model_validate(each) for each in part_of(response, found, limit, skip)]


@router.post("/question-lists", status_code=201, dependencies=[WRITE], max_body_size=MAX_LIST_BYTES)
def keep_question_list(
    services: ServicesDep,
    file: Annotated[UploadFile, File(examples=["questions.csv"])],
    name: Annotated[str, Form(max_length=MAX_LIST_NAME)] = "",
) -> ListWithCases:
    """CSV with a header or one JSON object a line, as `graphtalk evaluate` reads them.

    A list of this name (that of the file, where none is given) gets these questions instead.
    """
    wanted = " ".join((name or PurePath(file.filename or "").stem).split())[:MAX_LIST_NAME]
    if not wanted:
        raise RefusedRequest(422, "api.problem.invalid", place="name", reason="must not be empty")
    return _with_cases(services, services.storage.records.evaluations.keep_list(wanted, cases_of(file.file.read())))


@router.get("/question-lists/{list_id}", dependencies=[READ])
def get_question_list(services: ServicesDep, list_id: str) -> ListWithCases:
    return _with_cases(services, _list(services, list_id))


@router.delete("/question-lists/{list_id}", status_code=204, response_class=Response, dependencies=[WRITE])
def delete_question_list(services: ServicesDep, list_id: str) -> None:
    """With its evaluations; their runs stay."""
    services.storage.records.evaluations.delete_list(_list(services, list_id).id)


@router.get("/question-lists/{list_id}/evaluations", dependencies=[READ], responses=COUNTED)
def list_evaluations(
    services: ServicesDep, response: Response, list_id: str, limit: Limit = 50, skip: Skip = 0
) -> list[EvaluationOut]:
    """Newest first."""
    found = services.storage.records.evaluations.of_list(_list(services, list_id).id)
    return [_out(services, each) for each in part_of(response, found, limit, skip)]


@router.post("/evaluations", status_code=202, dependencies=[WRITE])
def start_evaluation(services: ServicesDep, new: NewEvaluation) -> EvaluationOut:
    """Asks the questions in the background; follow it at /evaluations/{id}."""
    evaluator, base = services.answering.evaluator, base_named(services, new.base)
    begun = evaluator.begin(_list(services, new.list_id).id, base.id, new.workflows)
    evaluator.start(begun.id)
    return _out(services, services.storage.records.evaluations.get(begun.id))


@router.get("/evaluations/{evaluation_id}", dependencies=[READ])
def get_evaluation(services: ServicesDep, evaluation_id: str) -> ReportOut:
    """How far it is, and what came of it so far, compared with the one before."""
    store = services.storage.records.evaluations
    evaluation = store.get(evaluation_id)
    results = store.results(evaluation_id)
    before = last_time(evaluation, store.of_list(evaluation.list_id))
    changed = changes(evaluation.cases, store.results(before.id), results) if before else {}
    prices = load_prices(services.settings)
    figures = (figures_of(workflow, results, prices) for workflow in evaluation.workflows)
    return ReportOut(
        **_out(services, evaluation).model_dump(),
        compared_with=before.id if before else None,
        figures=[_figures(each) for each in figures],
        results=[ResultOut.model_validate(row) for row in rows_of(evaluation.cases, results, changed)],
    )


@router.post("/evaluations/{evaluation_id}/stop", dependencies=[WRITE])
def stop_evaluation(services: ServicesDep, evaluation_id: str) -> EvaluationOut:
    """Keeps the results so far. Nothing happens where it runs in another process."""
    services.storage.records.evaluations.get(evaluation_id)
    services.answering.evaluator.stop(evaluation_id)
    return _out(services, services.storage.records.evaluations.get(evaluation_id))


@router.post("/evaluations/{evaluation_id}/resume", status_code=202, dependencies=[WRITE])
def resume_evaluation(services: ServicesDep, evaluation_id: str) -> EvaluationOut:
    """Asks what is left; nothing happens while it is under way."""
    services.storage.records.evaluations.get(evaluation_id)
    services.answering.evaluator.start(evaluation_id)
    return _out(services, services.storage.records.evaluations.get(evaluation_id))


def _list(services: Services, list_id: str) -> QuestionList:
    found = next((each for each in services.storage.records.evaluations.lists() if each.id == list_id), None)
    if found is None:
        raise NotFoundError("api.problem.no_list")
    return found


def _with_cases(services: Services, kept: QuestionList) -> ListWithCases:
    cases: list[Case] = services.storage.records.evaluations.cases(kept.id)
    questions = [CaseOut.model_validate(case) for case in cases]
    return ListWithCases(**ListOut.model_validate(kept).model_dump(), questions=questions)


def _out(services: Services, evaluation: Evaluation) -> EvaluationOut:
    return EvaluationOut(
        id=evaluation.id,
        list_id=evaluation.list_id,
        base_id=evaluation.base_id,
        workflows=evaluation.workflows,
        status=evaluation.status,
        started_at=evaluation.started_at,
        questions=evaluation.questions,
        asked=len(services.storage.records.evaluations.results(evaluation.id)),
        error=str(services.answering.evaluator.fault(evaluation.id) or ""),
    )


def _figures(found: EvaluationFigures) -> FiguresOut:
    values = asdict(found) | {"seconds": round(found.seconds, 3)}
    usage = values.pop("usage")
    return FiguresOut(**values, prompt_tokens=usage["prompt_tokens"], completion_tokens=usage["completion_tokens"])
