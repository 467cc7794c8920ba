"""Knowledge bases."""

from datetime import datetime

from fastapi import APIRouter, Response
from pydantic import Field

from core.documents.model import KnowledgeBase
from core.graph.naming import entity_classes
from core.interfaces.http.access import ADMIN, ASK, READ, ServicesDep
from core.interfaces.http.asking import BaseId
from core.interfaces.http.v1.shapes import COUNTED, DeletedOut, In, Limit, Out, Skip, part_of

router = APIRouter(prefix="/bases", tags=["bases"])


class BaseOut(Out):
    id: str
    name: str
    created_at: datetime
    entity_types: list[str] = Field(description="asked of a model; empty for the standard ones")
    documents: dict[str, int] = Field(description="how many documents have each status")


class NewBase(In):
    name: str = Field(min_length=1, max_length=200, examples=["Papers"])


class BaseChanges(In):
    name: str | None = Field(default=None, min_length=1, max_length=200)
    entity_types: list[str] | None = Field(default=None, max_length=50)


@router.get("", dependencies=[ASK], responses=COUNTED)
def list_bases(services: ServicesDep, response: Response, limit: Limit = 200, skip: Skip = 0) -> list[BaseOut]:
    return [base_out(services, base) for base in part_of(response, services.library.bases.all(), limit, skip)]


@router.post("", status_code=201, dependencies=[ADMIN])
def create_base(services: ServicesDep, new: NewBase) -> BaseOut:
    return base_out(services, services.library.bases.create(new.name))


@router.get("/deleted", dependencies=[READ], responses=COUNTED)
def list_deleted_bases(
    services: ServicesDep, response: Response, limit: Limit = 50, skip: Skip = 0
) -> list[DeletedOut]:
    """Newest first."""
    found = services.lifecycle.base_removal.deleted()
    return [
        DeletedOut(id=each.base.id, name=each.base.name, deleted_at=each.deleted_at, restorable_until=each.gone_at)
        for each in part_of(response, found, limit, skip)
    ]


@router.get("/{base_id}", dependencies=[ASK])
def get_base(services: ServicesDep, base_id: BaseId) -> BaseOut:
    return base_out(services, services.library.bases.get(base_id))


@router.patch("/{base_id}", dependencies=[ADMIN])
def change_base(services: ServicesDep, base_id: BaseId, changes: BaseChanges) -> BaseOut:
    bases = services.library.bases
    types = None if changes.entity_types is None else entity_classes(", ".join(changes.entity_types))
    if changes.name is not None:  # first, because it may be taken
        bases.rename(base_id, changes.name)
    if types is not None:
        bases.set_entity_types(base_id, types)
    return base_out(services, bases.get(base_id))


@router.delete("/{base_id}", status_code=204, response_class=Response, dependencies=[ADMIN])
def delete_base(services: ServicesDep, base_id: BaseId) -> None:
    """With its documents; it can be restored for some days."""
    services.lifecycle.base_removal.remove(base_id)


@router.post("/{base_id}/restore", dependencies=[ADMIN])
def restore_base(services: ServicesDep, base_id: str) -> BaseOut:
    return base_out(services, services.lifecycle.base_removal.restore(base_id))


def base_out(services: ServicesDep, base: KnowledgeBase) -> BaseOut:
    counts = services.library.documents.counts(base.id)
    return BaseOut(
        id=base.id,
        name=base.name,
        created_at=base.created_at,
        entity_types=list(base.entity_types),
        documents={status.value: count for status, count in counts.items() if count},
    )
