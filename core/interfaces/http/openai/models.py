"""`GET /v1/models`: each workflow, alone and with each knowledge base, and the encoder."""

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel

from core.agents.workflows.registry import workflows
from core.app.services import Services
from core.documents.model import KnowledgeBase
from core.interfaces.http.access import ASK, ServicesDep
from core.interfaces.http.asking import base_named
from core.interfaces.http.problems import RefusedRequest

router = APIRouter(prefix="/v1", tags=["openai"])
BASE_MARK = "@"
"""Separator of workflow and knowledge base in the name of a model: adaptive@Papers."""
MOST_BASES = 50
OWNER = "graphtalk"


class Model(BaseModel):
    id: str
    object: Literal["model"] = "model"
    created: int
    owned_by: str = OWNER


class ModelList(BaseModel):
    object: Literal["list"] = "list"
    data: list[Model]


@router.get("/models", dependencies=[ASK])
def list_models(services: ServicesDep) -> ModelList:
    """`workflow@name of the base` searches this one; a workflow alone the base that fits the question best. The last
    one makes vectors."""
    return ModelList(data=_models(services))


@router.get("/models/{model:path}", dependencies=[ASK])
def get_model(services: ServicesDep, model: str) -> Model:
    found = next((each for each in _models(services) if each.id == model), None)
    if found is None:
        raise RefusedRequest(404, "api.problem.model", name=model)
    return found


def workflow_and_base(services: Services, model: str) -> tuple[str, str]:
    """Workflow and knowledge base in the name of a model; the base may be empty. Raises RefusedRequest."""
    workflow, _, base = model.partition(BASE_MARK)
    if model == services.models.encoder.name:
        raise RefusedRequest(400, "api.problem.not_chat", name=model)
    if workflow not in workflows():
        raise RefusedRequest(404, "api.problem.model", name=model)
    return workflow, base


def fitting_base(services: Services, words: str) -> KnowledgeBase:
    """The knowledge base whose best passage fits the words best. Raises RefusedRequest if there is none."""
    bases = services.library.bases.all()[:MOST_BASES]
    if len(bases) < 2:
        return base_named(services, "")
    return max(bases, key=lambda base: _fit(services, base, words))


def _fit(services: Services, base: KnowledgeBase, words: str) -> float:
    return max((hit.score for hit in services.search.retriever.graph(base.id, words, 1)), default=0.0)


def _models(services: Services) -> list[Model]:
    bases = services.library.bases.all()[:MOST_BASES]
    made = {base.name: int(base.created_at.timestamp()) for base in bases}
    since = min(made.values(), default=0)
    alone = [Model(id=workflow, created=since) for workflow in workflows()]
    named = [
        Model(id=f"{workflow}{BASE_MARK}{name}", created=created)
        for workflow in workflows()
        for name, created in made.items()
    ]
    return [*alone, *named, Model(id=services.models.encoder.name, created=since)]
