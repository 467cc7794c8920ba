"""Files of the graph: exports, and imports of graphs and of edits, with previews."""

from typing import Annotated

from fastapi import APIRouter, File, Form, UploadFile
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, Field

from core.graph.files import json_files as files
from core.graph.files.exports import EXPORTS, ExportFormat
from core.interfaces.http.access import ASK, WRITE, ServicesDep
from core.interfaces.http.asking import BaseId
from core.interfaces.http.v1.shapes import Out

router = APIRouter(prefix="/bases/{base_id}/graph", tags=["graph"])
MAX_IMPORT_BYTES = 2 * files.MAX_BYTES + 100_000
"""Limit of a request: both files and the form."""
MAX_EDITS_BYTES = files.MAX_EDIT_BYTES + 100_000


class ImportOut(Out):
    new: int = Field(description="entities that the graph does not have yet")
    known: int = Field(description="entities that it has, which get further mentions")
    stated: int = Field(description="relations that are stated, not counted")
    documents: int = Field(description="one a source of the files")
    names: tuple[str, ...] = Field(description="of the first new entities")
    imported: bool = Field(default=False, description="false for a preview, which changes nothing")


class EditsImportOut(BaseModel):
    edits: int
    fitting: int = Field(description="edits whose entities are all there; the others wait until they are")
    imported: bool = Field(description="false for a preview, which changes nothing")


@router.get(
    "/files/{format}",
    dependencies=[ASK],
    response_class=Response,
    responses={200: {"content": {each.media_type: {} for each in EXPORTS.values()}}},
)
def export_graph(services: ServicesDep, base_id: BaseId, format: ExportFormat) -> Response:
    """The whole graph, for saving, as the Graph page saves it; `nodes` and `edges` come in again as they are.

    `edges` pairs entities that share a page; the other formats, like the page, those that share a passage.
    """
    export = EXPORTS[format]
    headers = {"Content-Disposition": f'attachment; filename="{export.name}"', "X-Content-Type-Options": "nosniff"}
    services.storage.access.audit.note("graph.exported", base_id)
    made = export.make(services, base_id)
    if isinstance(made, str | bytes):
        return Response(made, media_type=export.media_type, headers=headers)
    return StreamingResponse(made, media_type=export.media_type, headers=headers)


@router.post("/files", dependencies=[WRITE], max_body_size=MAX_IMPORT_BYTES)
def import_graph(
    services: ServicesDep,
    base_id: BaseId,
    nodes: Annotated[UploadFile, File(examples=["kg_nodes.json"])],
    edges: Annotated[UploadFile, File(examples=["kg_edges.json"])],
    preview: Annotated[bool, Form(description="say what it would change, and change nothing")] = False,
) -> ImportOut:
    """kg_nodes.json and kg_edges.json; every source becomes a document. The same files again change nothing."""
    given = base_id, nodes.file.read(), edges.file.read()
    found = ImportOut.model_validate(services.lifecycle.graph_import.preview(*given))
    if not preview:
        services.lifecycle.graph_import.take(*given)
    return found.model_copy(update={"imported": not preview})


@router.post("/files/edits", dependencies=[WRITE], max_body_size=MAX_EDITS_BYTES)
def import_edits(
    services: ServicesDep,
    base_id: BaseId,
    edits: Annotated[UploadFile, File(examples=["kg_edits.json"])],
    preview: Annotated[bool, Form(description="say what it would change, and change nothing")] = False,
) -> EditsImportOut:
    """kg_edits.json of another base or machine; edits in one batch stay in one, and each can be taken back."""
    logged = files.read_edits(edits.file.read(), base_id)
    known = {entity.id for entity in services.graph.every(base_id)}
    fitting = sum(all(entity.id in known for entity in each.edit.entities) for each in logged)
    if not preview:
        services.graph_edits.add_log(base_id, logged)
    return EditsImportOut(edits=len(logged), fitting=fitting, imported=not preview)
