"""Conversations."""

from datetime import datetime
from typing import Annotated

from fastapi import APIRouter, Response
from pydantic import Field, StrictBool, StringConstraints

from core.interfaces.http.access import READ, WRITE, ServicesDep
from core.interfaces.http.v1.runs import RunOut, run_out
from core.interfaces.http.v1.shapes import COUNTED, In, Limit, Out, Skip, Words, part_of

router = APIRouter(prefix="/threads", tags=["threads"])


class ThreadOut(Out):
    id: str
    title: str
    base_id: str
    workflow: str
    created_at: datetime
    updated_at: datetime
    pinned: bool
    folder: str


class ConversationOut(ThreadOut):
    runs: list[RunOut] = Field(description="of all its branches, in the order they were asked")


class ThreadChanges(In):
    title: Annotated[str, StringConstraints(strip_whitespace=True, min_length=1, max_length=200)] | None = None
    pinned: StrictBool | None = None
    folder: str | None = Field(default=None, max_length=80)


@router.get("", dependencies=[READ], responses=COUNTED)
def list_threads(
    services: ServicesDep, response: Response, query: Words = "", limit: Limit = 50, skip: Skip = 0
) -> list[ThreadOut]:
    """Last used first."""
    found = services.threads.find(query)
    return [ThreadOut.model_validate(thread) for thread in part_of(response, found, limit, skip)]


@router.get("/{thread_id}", dependencies=[READ])
def get_thread(services: ServicesDep, thread_id: str) -> ConversationOut:
    thread = ThreadOut.model_validate(services.threads.get(thread_id))
    return ConversationOut(**thread.model_dump(), runs=[run_out(run) for run in services.runs.of_thread(thread_id)])


@router.patch("/{thread_id}", dependencies=[WRITE])
def change_thread(services: ServicesDep, thread_id: str, changes: ThreadChanges) -> ThreadOut:
    threads = services.threads
    threads.get(thread_id)
    if changes.title is not None:
        threads.rename(thread_id, changes.title)
    if changes.pinned is not None:
        threads.pin(thread_id, changes.pinned)
    if changes.folder is not None:
        threads.file(thread_id, changes.folder)
    return ThreadOut.model_validate(threads.get(thread_id))


@router.delete("/{thread_id}", status_code=204, response_class=Response, dependencies=[WRITE])
def delete_thread(services: ServicesDep, thread_id: str) -> None:
    """It can be restored for some days."""
    services.threads.get(thread_id)
    services.threads.put_away(thread_id)


@router.post("/{thread_id}/restore", dependencies=[WRITE])
def restore_thread(services: ServicesDep, thread_id: str) -> ThreadOut:
    services.threads.restore(thread_id)
    return ThreadOut.model_validate(services.threads.get(thread_id))
