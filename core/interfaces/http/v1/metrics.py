"""Figures for monitoring in Prometheus' text format. They tell of amounts, never of contents or names."""

from collections import Counter
from collections.abc import Iterator, Mapping

from fastapi import APIRouter, Response

from core.app.services import Services
from core.documents.model import DocumentStatus
from core.interfaces.http.access import ADMIN, Opened
from core.platform.processes.process_tuning import resident_megabytes
from core.runs.run_lists import RunFilter

router = APIRouter(tags=["health"])
MEDIA_TYPE = "text/plain; version=0.0.4; charset=utf-8"


@router.get("/metrics", dependencies=[ADMIN], response_class=Response, responses={200: {"content": {"text/plain": {}}}})
def metrics(services: Opened) -> Response:
    """Documents, runs and processes of the installation, and the memory of this process."""
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
    """values: by the labels, in braces."""
    yield f"# HELP {name} {meaning}\n# TYPE {name} gauge\n"
    for labels, value in values.items():
        yield f"{name}{labels} {value}\n"
