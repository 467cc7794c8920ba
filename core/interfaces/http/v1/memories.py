"""Long-term memories."""

from dataclasses import replace
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, Query, Response
from pydantic import BaseModel, Field, StrictBool, StrictInt

from core.interfaces.http.access import READ, WRITE, ServicesDep
from core.interfaces.http.asking import base_named
from core.interfaces.http.v1.shapes import COUNTED, In, Limit, Out, Skip, Words, part_of
from core.memory.keeping import accept, checked, keep, new_memory
from core.memory.model import MemoryKind, MemoryStatus
from core.memory.relevance import relevant

router = APIRouter(prefix="/memories", tags=["memories"])


class MemoryOut(Out):
    id: str
    text: str
    kind: MemoryKind
    importance: int
    confidence: float
    status: MemoryStatus
    created_at: datetime
    last_used_at: datetime
    base_id: str = Field(description="empty where it holds in every knowledge base")
    thread_id: str
    uses: int
    pinned: bool
    expires_at: datetime | None


class NewMemory(In):
    text: str = Field(min_length=1, max_length=2_000, examples=["I prefer metric units."])
    kind: MemoryKind = MemoryKind.FACT
    importance: StrictInt = Field(default=5, ge=1, le=10)
    base: str = Field(default="", max_length=200, description="id or name; empty where it holds in every one")


class MemoryChanges(In):
    text: str | None = Field(default=None, min_length=1, max_length=2_000)
    kind: MemoryKind | None = None
    importance: StrictInt | None = Field(default=None, ge=1, le=10)
    pinned: StrictBool | None = None
    status: Literal["active", "rejected"] | None = Field(
        default=None, description="puts it in force, in place of what it contradicts, or declines it"
    )


class MemoryQuery(BaseModel):
    """Which memories; what is left out does not narrow."""

    query: Words = ""
    status: MemoryStatus | None = None
    limit: Limit = 50
    skip: Skip = 0


@router.get("", dependencies=[READ], responses=COUNTED)
def list_memories(
    services: ServicesDep, response: Response, listed: Annotated[MemoryQuery, Query()]
) -> list[MemoryOut]:
    """Newest first; with a query, those that bear on it, best first."""
    store = services.memories
    found = relevant(store.search(listed.query)) if listed.query.strip() else store.find()
    found = [memory for memory in found if listed.status in (None, memory.status)]
    return [MemoryOut.model_validate(memory) for memory in part_of(response, found, listed.limit, listed.skip)]


@router.post("", status_code=201, dependencies=[WRITE])
def create_memory(services: ServicesDep, new: NewMemory) -> MemoryOut:
    """The one that says the same, where there is one."""
    base_id = base_named(services, new.base).id if new.base else ""
    memory = replace(new_memory(new.text, new.kind, new.importance), base_id=base_id)
    standing, _ = keep(services.memories, memory, services.models.meanings)
    return MemoryOut.model_validate(services.memories.get(standing.id))


@router.get("/{memory_id}", dependencies=[READ])
def get_memory(services: ServicesDep, memory_id: str) -> MemoryOut:
    return MemoryOut.model_validate(services.memories.get(memory_id))


@router.patch("/{memory_id}", dependencies=[WRITE])
def change_memory(services: ServicesDep, memory_id: str, changes: MemoryChanges) -> MemoryOut:
    memory = services.memories.get(memory_id)
    accepts = changes.status == "active" and memory.status not in (MemoryStatus.ACTIVE, MemoryStatus.EXPIRED)
    changed = replace(
        memory,
        text=memory.text if changes.text is None else checked(changes.text),
        kind=changes.kind or memory.kind,
        importance=changes.importance or memory.importance,
        pinned=memory.pinned if changes.pinned is None else changes.pinned,
        status=MemoryStatus(changes.status) if changes.status and not accepts else memory.status,
        superseded_by="" if accepts else memory.superseded_by,  # else it would be deleted with its successor
    )
    services.memories.save(changed)
    if accepts:
        accept(services.memories, changed, services.models.meanings)
    return MemoryOut.model_validate(services.memories.get(memory_id))


@router.delete("/{memory_id}", status_code=204, response_class=Response, dependencies=[WRITE])
def delete_memory(services: ServicesDep, memory_id: str) -> None:
    services.memories.get(memory_id)
    services.memories.delete(memory_id)
