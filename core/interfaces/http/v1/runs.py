"""Runs: what was asked, how it was answered, and stopping one that is under way."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field

from core.interfaces.http.access import READ, WRITE, Opened
from core.interfaces.http.asking import base_named
from core.interfaces.http.v1.shapes import COUNTED, TOTAL, CitationOut, Limit, Moment, Out, Skip, UsageOut, citation_out
from core.runs.model import Run, RunPurpose, RunStatus
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


@router.get("", dependencies=[READ], responses=COUNTED)
def list_runs(services: Opened, response: Response, listed: Annotated[RunQuery, Query()]) -> list[RunLineOut]:
    """Newest first."""
    base_id = base_named(services, listed.base).id if listed.base else ""
    wanted = RunFilter(**listed.model_dump(exclude={"base", "limit", "skip"}), base_id=base_id)
    lists = services.storage.records.run_lists
    response.headers[TOTAL] = str(lists.count(wanted))
    return [RunLineOut.model_validate(line) for line in lists.find(wanted, listed.limit, listed.skip)]


@router.get("/{run_id}", dependencies=[READ])
def get_run(services: Opened, run_id: str) -> RunOut:
    return run_out(services.runs.get(run_id))


@router.post("/{run_id}/stop", dependencies=[WRITE])
def stop_run(services: Opened, run_id: str) -> RunOut:
    """What was written so far is kept. Another process that answers it hears of it within two seconds."""
    services.runs.get(run_id)
    services.worker.stop(run_id)
    return run_out(services.runs.get(run_id))


def run_out(run: Run) -> RunOut:
    return RunOut(
        id=run.id,
        thread_id=run.thread_id,
        question=run.question,
        workflow=run.workflow,
        engine=run.engine,
        status=run.status,
        outcome=run.outcome,
        started_at=run.started_at,
        seconds=run.seconds,
        usage=UsageOut.model_validate(run.usage),
        degraded=run.degraded,
        purpose=run.purpose,
        base_id=run.base_id,
        answer=run.answer,
        citations=[citation_out(citation) for citation in run.citations],
        error=run.error,
        parent_id=run.parent_id,
    )
