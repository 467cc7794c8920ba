"""`GET /v1/models`: each workflow, alone and with each knowledge base, and the encoder."""

from typing import Literal

from fastapi import APIRouter
from pydantic import BaseModel

from core.agents.workflows.registry import workflows
from core.app.services import Services
from core.interfaces.http.access import READ, Opened
from core.interfaces.http.problems import RefusedRequest

router = APIRouter(prefix="/v1", tags=["openai"])
BASE_MARK = "@"
"""Between workflow and knowledge base in the name of a model: adaptive@Papers."""
MOST_BASES = 50
OWNER = "graphtalk"


class Model(BaseModel):
    id: str
    object: Literal["model"] = "model"
    created: int = 0
    owned_by: str = OWNER


class ModelList(BaseModel):
    object: Literal["list"] = "list"
    data: list[Model]


@router.get("/models", dependencies=[READ])
def list_models(services: Opened) -> ModelList:
    """A workflow alone can be asked where there is only one knowledge base; with several, `workflow@name of the base`
    says which."""
    return ModelList(data=[Model(id=name) for name in _names(services)])


@router.get("/models/{model:path}", dependencies=[READ])
def get_model(services: Opened, model: str) -> Model:
    if model not in _names(services):
        raise RefusedRequest(404, "api.problem.model", name=model)
    return Model(id=model)


def workflow_and_base(model: str) -> tuple[str, str]:
    """The base is empty where none is named."""
    workflow, _, base = model.partition(BASE_MARK)
    return workflow, base


def _names(services: Services) -> list[str]:
    bases = services.library.bases.all()[:MOST_BASES]
    named = [f"{workflow}{BASE_MARK}{base.name}" for workflow in workflows() for base in bases]
    return [*workflows(), *named, services.models.encoder.name]
