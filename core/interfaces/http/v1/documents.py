"""Documents: bring them in, follow how they are read, read their pages, delete and restore them."""

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from typing import Annotated, Literal

from fastapi import APIRouter, File, Form, Query, Response, UploadFile
from pydantic import BaseModel, Field, StrictBool
from starlette.responses import FileResponse

from core.app.services import Services
from core.documents.model import (
    ACTIVE,
    Document,
    DocumentFilter,
    DocumentOrder,
    DocumentStatus,
    StageProgress,
)
from core.documents.reading.inspection import MAX_MEGABYTES
from core.interfaces.http.access import ASK, READ, WRITE, ServicesDep
from core.interfaces.http.asking import BaseId
from core.interfaces.http.problems import RefusedRequest, Responses
from core.interfaces.http.v1.shapes import COUNTED, TOTAL, DeletedOut, In, Limit, Out, Skip, part_of
from core.interfaces.lookups import error_of
from core.platform.errors import NotFoundError
from core.platform.files.atomic_file import temporary_file
from core.platform.settings.parsers import parsers

router = APIRouter(tags=["documents"])
MAX_UPLOAD_BYTES = MAX_MEGABYTES * 1_000_000 + 100_000
"""Limit of a request: the largest file and its form."""
_FILE: Responses = {200: {"content": {"application/octet-stream": {}}}}
Changed = Literal["ask", "replace", "keep_both"]
_PIECE = 1 << 20


class StageOut(Out):
    stage: str
    status: Literal["waiting", "running", "done", "failed"]
    done: int
    total: int
    unit: str
    seconds: float


class DocumentOut(Out):
    id: str
    base_id: str
    name: str
    title: str
    status: DocumentStatus
    media_type: str
    size: int
    sha256: str
    language: str
    parser: str
    pages: int
    chunks: int
    entities: int
    added_at: datetime
    ready_at: datetime | None
    form: bool
    error: str = Field(default="", description="why it was not read, and what to do; else empty")


class ProgressOut(DocumentOut):
    stages: list[StageOut]


class UploadOut(DocumentOut):
    is_new: bool = Field(description="false where the base had these bytes already")


class PageOut(Out):
    document_id: str
    page: int = Field(description="from 1")
    pages: int
    text: str
    blocks: list["BlockOut"]


class BlockOut(Out):
    type: str
    text: str
    level: int
    box: tuple[int, int, int, int] | None = Field(description="in thousandths of the page, from the top left")


class DocumentQuery(BaseModel):
    """Which documents, and in which order; what is left out does not narrow."""

    query: str = Field(default="", max_length=500, description="words of the name or the title")
    status: list[DocumentStatus] = []
    order: DocumentOrder = DocumentOrder.OLDEST
    limit: Limit = 50
    skip: Skip = 0


class DocumentChanges(In):
    form: StrictBool | None = None


@router.get("/bases/{base_id}/documents", dependencies=[ASK], responses=COUNTED)
def list_documents(
    services: ServicesDep, response: Response, base_id: BaseId, listed: Annotated[DocumentQuery, Query()]
) -> list[DocumentOut]:
    wanted = DocumentFilter(tuple(listed.status), listed.query)
    found = services.library.documents.find(base_id, wanted, listed.order, listed.limit, listed.skip)
    response.headers[TOTAL] = str(sum(services.library.documents.counts(base_id, wanted).values()))
    return [out(document) for document in found]


@router.post("/bases/{base_id}/documents", status_code=202, dependencies=[WRITE], max_body_size=MAX_UPLOAD_BYTES)
def upload_document(  # each is a field of the form
    services: ServicesDep,
    base_id: BaseId,
    file: Annotated[UploadFile, File(examples=["report.pdf"])],
    parser: Annotated[str, Form(max_length=40, description="empty for the one of the settings")] = "",
    changed: Annotated[Changed, Form(description="what to do with a document of this name that differs")] = "ask",
    agree_to_cost: Annotated[bool, Form(description="a model may read it, which may cost")] = False,
) -> UploadOut:
    """Stores the file and has it read in the background; follow it at /documents/{id}/progress.

    409 where a decision is needed: for a file that changes a document of the same name, and for one that a model
    would read along.
    """
    with copied(file, services.settings.data / "work") as path:
        return take_upload(services, base_id, (file.filename or "", path), (parser, changed, agree_to_cost))


@router.get("/bases/{base_id}/documents/deleted", dependencies=[READ], responses=COUNTED)
def list_deleted_documents(
    services: ServicesDep, response: Response, base_id: BaseId, limit: Limit = 50, skip: Skip = 0
) -> list[DeletedOut]:
    """Newest first."""
    found = services.lifecycle.removal.deleted(base_id)
    return [
        DeletedOut(id=it.document.id, name=it.document.name, deleted_at=it.deleted_at, restorable_until=it.gone_at)
        for it in part_of(response, found, limit, skip)
    ]


@router.get("/documents/{document_id}", dependencies=[ASK])
def get_document(services: ServicesDep, document_id: str) -> ProgressOut:
    return progress_out(
        services.library.documents.get(document_id), services.library.ingest_records.stages(document_id)
    )


@router.patch("/documents/{document_id}", dependencies=[WRITE])
def change_document(services: ServicesDep, document_id: str, changes: DocumentChanges) -> DocumentOut:
    if changes.form is not None:
        services.library.documents.mark_form(document_id, changes.form)
    return out(services.library.documents.get(document_id))


@router.delete("/documents/{document_id}", status_code=204, response_class=Response, dependencies=[WRITE])
def delete_document(services: ServicesDep, document_id: str) -> None:
    """It can be restored for some days."""
    services.lifecycle.remove_document(document_id)


@router.post("/documents/{document_id}/restore", dependencies=[WRITE])
def restore_document(services: ServicesDep, document_id: str) -> DocumentOut:
    return out(services.lifecycle.removal.restore(document_id))


@router.post("/documents/{document_id}/cancel", dependencies=[WRITE])
def cancel_document(services: ServicesDep, document_id: str) -> DocumentOut:
    """Stops reading it."""
    document = services.library.documents.get(document_id)
    if document.status in ACTIVE:
        services.lifecycle.intake.cancel(document_id)
    return out(services.library.documents.get(document_id))


@router.post("/documents/{document_id}/retry", status_code=202, dependencies=[WRITE])
def retry_document(services: ServicesDep, document_id: str) -> DocumentOut:
    """Reads it again from the stage that failed.

    409 for one that was read: reading its file anew would take away what people have corrected in its text.
    """
    document = services.library.documents.get(document_id)
    if document.status is DocumentStatus.READY and not document.error_key:
        raise RefusedRequest(409, "api.problem.nothing_to_retry", name=document.name)
    services.lifecycle.intake.retry(document_id)
    return out(services.library.documents.get(document_id))


@router.get("/documents/{document_id}/file", dependencies=[ASK], response_class=FileResponse, responses=_FILE)
def get_file(services: ServicesDep, document_id: str) -> FileResponse:
    """The file as it was uploaded, for saving, never for showing."""
    document = services.library.documents.get(document_id)
    path = services.storage.files.path(document.sha256)
    if not path.is_file():
        raise NotFoundError("error.document_missing")
    services.storage.access.audit.note("document.downloaded", document_id)
    headers = {"Content-Security-Policy": "default-src 'none'; sandbox"}
    return FileResponse(path, 200, headers, "application/octet-stream", filename=document.name)


@router.get("/documents/{document_id}/pages/{page}", dependencies=[ASK])
def read_page(services: ServicesDep, document_id: str, page: int) -> PageOut:
    """Text and blocks of a page; pages count from 1."""
    document = services.library.documents.get(document_id)
    if not 1 <= page <= document.pages:
        raise RefusedRequest(404, "api.problem.page", name=document.name, page=page, pages=document.pages)
    blocks = services.library.passages.blocks(document_id, page - 1)
    words = "\n\n".join(block.text for block in blocks if block.text)
    shown = [BlockOut.model_validate(block) for block in blocks]
    return PageOut(document_id=document_id, page=page, pages=document.pages, text=words, blocks=shown)


def out(document: Document) -> DocumentOut:
    return DocumentOut.model_validate(document).model_copy(update={"error": error_of(document)})


def progress_out(document: Document, stages: list[StageProgress]) -> ProgressOut:
    return ProgressOut(**out(document).model_dump(), stages=[StageOut.model_validate(stage) for stage in stages])


def take_upload(
    services: Services, base_id: str, file: tuple[str, Path], given: tuple[str, Changed, bool]
) -> UploadOut:
    """given: parser, what to do with a changed file, whether costs are agreed to. Raises AppError."""
    (name, path), (parser, changed, agreed) = file, given
    if parser and parser not in parsers():
        reason = f"must be one of {', '.join(parsers())}"
        raise RefusedRequest(422, "api.problem.invalid", place="parser", reason=reason)
    uploads = services.lifecycle.uploads
    earlier = None if changed == "keep_both" else uploads.earlier(base_id, name, path)
    if earlier and changed == "ask":
        raise RefusedRequest(409, "api.problem.changed", name=earlier.name, id=earlier.id)
    effort = None if uploads.is_known(base_id, path) else uploads.cost(path, name, parser)
    if effort and not agreed:
        counts = {"calls": effort.model_calls, "tokens": effort.tokens}
        raise RefusedRequest(409, "api.problem.costs", name=name, **counts)
    taken = uploads.take(base_id, name, path, earlier.id if earlier else "", parser, effort)
    return UploadOut(**out(taken.document).model_dump(), is_new=taken.is_new)


@contextmanager
def copied(file: UploadFile, folder: Path) -> Iterator[Path]:
    """A temporary copy in the data folder, so that too large files are reported as a full disk."""
    with temporary_file(folder) as target:
        shutil.copyfileobj(file.file, target, _PIECE)
        target.flush()
        yield Path(target.name)
