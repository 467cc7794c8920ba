"""Whether the process lives, and whether it can do its work. Neither needs a key, neither tells of contents."""

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from core.app.selfcheck import check_folder
from core.interfaces.http.access import Opened
from core.platform.errors import AppError

router = APIRouter(tags=["health"])


class Health(BaseModel):
    status: str = "ok"


class Readiness(BaseModel):
    ready: bool
    database: bool
    vectors: bool = Field(description="whether the Chroma server answers; true where vectors are in the data folder")
    data_folder: bool
    ingestion: bool = Field(description="whether documents can be read")
    model: bool = Field(
        description="false while the model is left alone after a failure and the engine without a model answers; does "
        "not count for ready"
    )
    questions: bool = Field(description="whether questions are taken; not by a process that is about to end")


@router.get("/health")
def health() -> Health:
    """The process answers."""
    return Health()


@router.get("/ready", responses={503: {"model": Readiness}})
def ready(services: Opened, response: Response) -> Readiness:
    """Database, vectors, data folder and ingestion can be used and questions are taken; status 503 otherwise."""
    try:
        services.library.bases.all()
        database = True
    except AppError:
        database = False
    vectors = services.search.server_answers()
    folder = check_folder(services.settings.data).ok
    ingestion = services.ingestion.fault is None
    questions = not services.answering.is_closing
    found = Readiness(
        ready=database and vectors and folder and ingestion and questions,
        database=database,
        vectors=vectors,
        data_folder=folder,
        ingestion=ingestion,
        model=services.model_pause() is None,
        questions=questions,
    )
    response.status_code = 200 if found.ready else 503
    return found
