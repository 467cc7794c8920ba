"""The knowledge graph, read: entities, what lies around them, and ways between them."""

from dataclasses import asdict
from typing import Annotated

from fastapi import APIRouter, Query
from pydantic import BaseModel, Field

from core.app.services import Services
from core.graph.model import Entity
from core.graph.patterns import relation_pattern
from core.interfaces.http.access import ASK, ServicesDep
from core.interfaces.http.asking import BaseId
from core.interfaces.http.problems import RefusedRequest
from core.interfaces.http.v1.shapes import CitedBox, Limit, Out, Skip, Words
from core.interfaces.lookups import fitting_statements
from core.platform.errors import NotFoundError

router = APIRouter(prefix="/bases/{base_id}/graph", tags=["graph"])
MAX_HOPS = 3
_NAMESAKES = 20


class EntityOut(Out):
    id: str
    name: str
    type: str
    aliases: list[str]
    mentions: int
    documents: int


class GraphOut(BaseModel):
    entities: int
    mentions: int
    relations: int
    documents: int
    types: dict[str, int]


class NeighbourOut(Out):
    entity: EntityOut
    hop: int
    weight: float


class MentionOut(BaseModel):
    document_id: str
    document: str
    chunk_id: str
    page: int = Field(description="from 1")
    surface: str = Field(description="as it is written there")
    sentence: str
    boxes: list[CitedBox]


class RelationOut(Out):
    source_id: str
    target_id: str
    relation: str
    weight: float


class StatementOut(RelationOut):
    source: str = Field(description="name of the entity that the relation leads from")
    target: str
    pages: int = Field(description="that state it")


class PathOut(BaseModel):
    entities: list[EntityOut] = Field(description="from the source to the target; empty where there is no way")


class EntityQuery(BaseModel):
    """Which entities; what is left out does not narrow."""

    query: Words = ""
    type: Words = ""
    limit: Limit = 50
    skip: Skip = 0


@router.get("", dependencies=[ASK])
def describe_graph(services: ServicesDep, base_id: BaseId) -> GraphOut:
    stats = services.graph.stats(base_id)
    return GraphOut(**asdict(stats) | {"types": dict(stats.types)})


@router.get("/entities", dependencies=[ASK])
def search_entities(services: ServicesDep, base_id: BaseId, listed: Annotated[EntityQuery, Query()]) -> list[EntityOut]:
    """By a part of the name; without a query the most mentioned ones."""
    found = services.graph.search(base_id, listed.query, listed.limit + listed.skip, listed.type.upper())
    return [EntityOut.model_validate(it) for it in found[listed.skip :]]


@router.get("/entities/{entity_id}", dependencies=[ASK])
def get_entity(services: ServicesDep, base_id: BaseId, entity_id: str) -> EntityOut:
    return EntityOut.model_validate(entity_in(services, base_id, entity_id))


@router.get("/entities/{entity_id}/neighbours", dependencies=[ASK])
def list_neighbours(
    services: ServicesDep,
    base_id: BaseId,
    entity_id: str,
    hops: Annotated[int, Query(ge=1, le=MAX_HOPS)] = 1,
    limit: Limit = 50,
) -> list[NeighbourOut]:
    """Nearest hop first, strongest first; at most limit of each hop."""
    found = services.graph.neighbours(entity_in(services, base_id, entity_id).id, hops, limit)
    return [NeighbourOut.model_validate(it) for it in found]


@router.get("/entities/{entity_id}/mentions", dependencies=[ASK])
def list_mentions(
    services: ServicesDep, base_id: BaseId, entity_id: str, limit: Limit = 50, skip: Skip = 0
) -> list[MentionOut]:
    entity = entity_in(services, base_id, entity_id)
    return [
        MentionOut(
            document_id=view.mention.document_id,
            document=view.document_name,
            chunk_id=view.mention.chunk_id,
            page=view.mention.page + 1,
            surface=view.mention.surface,
            sentence=view.sentence,
            boxes=[CitedBox(page=page + 1, box=box) for page, box in view.boxes],
        )
        for view in services.graph.mentions(entity.id, limit + skip)[skip:]
    ]


@router.get("/path", dependencies=[ASK])
def find_path(services: ServicesDep, base_id: BaseId, source: Words, target: Words, strongest: bool = False) -> PathOut:
    """Between two entities, given by ids or names: the fewest relations, or the strongest ones."""
    ends = [entity_in(services, base_id, wanted).id for wanted in (source, target)]
    found = services.graph.path(base_id, ends, strongest)
    return PathOut(entities=[EntityOut.model_validate(entity) for way in found for entity in way])


@router.get("/relations", dependencies=[ASK])
def list_relations(
    services: ServicesDep, base_id: BaseId, entity: Annotated[list[str], Query(min_length=2, max_length=100)]
) -> list[RelationOut]:
    """Those between the entities, given by ids or names."""
    found = [entity_in(services, base_id, wanted).id for wanted in entity]
    return [RelationOut.model_validate(it) for it in services.graph.relations_between(found)]


@router.get("/statements", dependencies=[ASK])
def statements(services: ServicesDep, base_id: BaseId, pattern: Words, limit: Limit = 50) -> list[StatementOut]:
    """Stated relations that fit a pattern, the surest first: `ORGANIZATION -own-> ?`, `Marlow <-found- PERSON`."""
    wanted = relation_pattern(pattern)
    if wanted is None:
        raise RefusedRequest(422, "api.problem.pattern")
    return [
        StatementOut(
            **RelationOut.model_validate(relation).model_dump(),
            source=source.name,
            target=target.name,
            pages=len(relation.pages),
        )
        for source, relation, target in fitting_statements(services, base_id, wanted, limit)
    ]


def entity_in(services: Services, base_id: str, wanted: str) -> Entity:
    """By id, or by name: the most mentioned one of it. Raises RefusedRequest for what this base does not have."""
    try:
        entity = services.graph.entity(wanted)
    except NotFoundError as error:
        name = wanted.casefold()
        found = [it for it in services.graph.search(base_id, wanted, _NAMESAKES) if it.name.casefold() == name]
        if not found:
            raise RefusedRequest(404, "api.problem.entity", id=wanted) from error
        return max(found, key=lambda it: it.mentions)
    if entity.base_id != base_id:
        raise RefusedRequest(404, "api.problem.entity", id=wanted)
    return entity
