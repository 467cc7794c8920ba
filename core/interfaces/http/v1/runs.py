"""Runs: questions and their answers, stopping an active run, and feedback on an answer."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field, model_validator

from core.interfaces.http.access import READ, WRITE, ServicesDep
from core.interfaces.http.asking import base_named
from core.interfaces.http.v1.shapes import (
    COUNTED,
    TOTAL,
    CitationOut,
    In,
    Limit,
    Moment,
    Out,
    Skip,
    UsageOut,
    citation_out,
)
from core.platform.errors import NotFoundError
from core.runs.model import MAX_COMMENT, Complaint, Feedback, Run, RunPurpose, RunStatus, Verdict
from core.runs.run_lists import RunFilter

router = APIRouter(prefix="/runs", tags=["runs"])


class RunLineOut(Out):
    id: str
    thread_id: str
    question: str
    workflow: str
    engine: str
    status: RunStatus
    outcome: str
    started_at: datetime
    seconds: float
    usage: UsageOut
    degraded: bool
    purpose: RunPurpose


class RunOut(RunLineOut):
    base_id: str
    answer: str
    citations: list[CitationOut]
    error: str
    parent_id: str = Field(description="the run that it follows; empty for a first question")


class RunQuery(BaseModel):
    """Which runs; what is left out does not narrow."""

    question: str = Field(default="", max_length=500)
    workflow: str = ""
    engine: str = ""
    ending: str = Field(default="", description="an outcome, or the status of a run that did not finish")
    base: str = Field(default="", max_length=200, description="knowledge base, by id or name")
    purpose: RunPurpose | None = None
    degraded: bool = False
    since: Moment | None = None
    before: Moment | None = None
    limit: Limit = 50
    skip: Skip = 0


class FeedbackIn(In):
    verdict: Verdict
    complaint: Complaint | None = Field(default=None, description="what is wrong; only with a thumbs-down")
    comment: str = Field(default="", max_length=MAX_COMMENT)

    @model_validator(mode="after")
    def _fits(self) -> "FeedbackIn":
        if self.complaint and self.verdict is Verdict.UP:
            raise ValueError("a complaint needs the verdict down")
        return self


class FeedbackOut(Out):
    run_id: str
    verdict: Verdict
    complaint: Complaint | None
    comment: str


@router.get("", dependencies=[READ], responses=COUNTED)
def list_runs(services: ServicesDep, response: Response, listed: Annotated[RunQuery, Query()]) -> list[RunLineOut]:
    """Newest first."""
    base_id = base_named(services, listed.base).id if listed.base else ""
    wanted = RunFilter(**listed.model_dump(exclude={"base", "limit", "skip"}), base_id=base_id)
    lists = services.storage.records.run_lists
    response.headers[TOTAL] = str(lists.count(wanted))
    return [RunLineOut.model_validate(line) for line in lists.find(wanted, listed.limit, listed.skip)]


@router.get("/{run_id}", dependencies=[READ])
def get_run(services: ServicesDep, run_id: str) -> RunOut:
    return run_out(services.runs.get(run_id))


@router.post("/{run_id}/stop", dependencies=[WRITE])
def stop_run(services: ServicesDep, run_id: str) -> RunOut:
    """What was written so far is kept. Another process that answers it hears of it within two seconds."""
    services.runs.get(run_id)
    services.worker.stop(run_id)
    return run_out(services.runs.get(run_id))


@router.get("/{run_id}/feedback", dependencies=[READ])
def get_feedback(services: ServicesDep, run_id: str) -> FeedbackOut:
    """404 where nobody has given any."""
    run = services.runs.get(run_id)
    given = services.storage.records.feedback.of_thread(run.thread_id).get(run_id)
    if given is None:
        raise NotFoundError("api.problem.no_feedback")
    return FeedbackOut.model_validate(given)


@router.put("/{run_id}/feedback", dependencies=[WRITE])
def give_feedback(services: ServicesDep, run_id: str, feedback: FeedbackIn) -> FeedbackOut:
    """In place of what was given before."""
    services.runs.get(run_id)
    comment = " ".join(feedback.comment.split())
    given = Feedback(run_id, feedback.verdict, feedback.complaint, comment)
    services.storage.records.feedback.give(given)
    return FeedbackOut.model_validate(given)


@router.delete("/{run_id}/feedback", status_code=204, response_class=Response, dependencies=[WRITE])
def withdraw_feedback(services: ServicesDep, run_id: str) -> None:
    services.runs.get(run_id)
    services.storage.records.feedback.withdraw(run_id)


def run_out(run: Run) -> RunOut:
    return RunOut(
        **RunLineOut.model_validate(run).model_dump(),
        base_id=run.base_id,
        answer=run.answer,
        citations=[citation_out(citation) for citation in run.citations],
        error=run.error,
        parent_id=run.parent_id,
    )
