"""Health, readiness (both without a key) and metrics in the text format of Prometheus; nothing of what is stored."""

from collections import Counter
from collections.abc import Iterator, Mapping

from fastapi import APIRouter, Response
from pydantic import BaseModel, Field

from core.app.selfcheck import check_folder
from core.app.services import Services
from core.documents.model import DocumentStatus
from core.interfaces.http.access import ADMIN, ServicesDep
from core.interfaces.http.problems import RefusedRequest
from core.platform.errors import AppError
from core.platform.identity import SYSTEM, acting, acting_as
from core.platform.processes.process_tuning import resident_megabytes
from core.runs.run_lists import RunFilter

router = APIRouter(tags=["health"])
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


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
async def health() -> Health:
    """The process answers."""
    return Health()


@router.get("/ready", responses={503: {"model": Readiness}})
def ready(services: ServicesDep, response: Response) -> Readiness:
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


@router.get("/metrics", dependencies=[ADMIN], response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def metrics(services: ServicesDep) -> Response:
    """Documents, runs and processes of the installation, and the memory of this process.

    Where people sign in, for keys of administrators.
    """
    person = acting()
    if services.storage.shared and not (person and person.admin):
        raise RefusedRequest(403, "api.problem.metrics")
    with acting_as(SYSTEM):  # numbers without names
        return Response("".join(_lines(services)), media_type=MEDIA_TYPE)


def _lines(services: Services) -> Iterator[str]:
    documents: Counter[DocumentStatus] = Counter()
    bases = services.library.bases.all()
    for base in bases:
        documents.update(services.library.documents.counts(base.id))
    by_status = {f'{{status="{status}"}}': documents[status] for status in DocumentStatus}
    yield from _gauge("graphtalk_knowledge_bases", "Knowledge bases", {"": len(bases)})
    yield from _gauge("graphtalk_documents", "Documents by how far they have come", by_status)
    yield from _gauge(
        "graphtalk_runs", "Runs that are kept", {"": services.storage.records.run_lists.count(RunFilter())}
    )
    yield from _gauge("graphtalk_runs_under_way", "Runs under way in any process", {"": len(services.runs.running())})
    is_read = services.ingestion.fault is None
    yield from _gauge("graphtalk_ingestion_up", "Whether documents are read", {"": int(is_read)})
    yield from _gauge(
        "process_resident_memory_bytes", "Memory of this process", {"": round(resident_megabytes() * 1e6)}
    )
    if services.settings.is_shared:
        yield from _of_several(services)


def _of_several(services: Services) -> Iterator[str]:
    found = services.storage.processes()
    alive = {
        f'{{kind="{kind}"}}': sum(each.is_alive and each.kind == kind for each in found) for kind in ("app", "worker")
    }
    yield from _gauge("graphtalk_processes", "Processes that are alive", alive)
    behind = sum(services.search.words.lag().values())
    yield from _gauge("graphtalk_words_behind", "Publications that the words of this data folder lack", {"": behind})


def _gauge(name: str, meaning: str, values: Mapping[str, int]) -> Iterator[str]:
    """values: by labels in braces."""
    yield f"# HELP {name} {meaning}\n# TYPE {name} gauge\n"
    for labels, value in values.items():
        yield f"{name}{labels} {value}\n"
