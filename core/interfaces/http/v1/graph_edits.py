"""What people and programs change in the knowledge graph, taken back and repeated; files of the graph, in and out."""

from collections.abc import Sequence
from datetime import datetime
from typing import Annotated, Literal

from fastapi import APIRouter, File, Form, UploadFile
from fastapi.responses import Response, StreamingResponse
from pydantic import BaseModel, Field

from core.app.services import Services
from core.graph.edits import GraphEdit, LoggedEdit
from core.graph.files import json_files as files
from core.graph.files.exports import EXPORTS, ExportFormat
from core.graph.model import Entity
from core.graph.resolution import editing
from core.interfaces.http.access import ASK, WRITE, ServicesDep
from core.interfaces.http.asking import BaseId
from core.interfaces.http.problems import RefusedRequest
from core.interfaces.http.v1.graph import entity_in
from core.interfaces.http.v1.shapes import Id, In, Limit, Out, Skip

router = APIRouter(prefix="/bases/{base_id}/graph", tags=["graph"])
Name = Annotated[str, Field(min_length=1, max_length=500)]
Entities = Annotated[list[Id], Field(min_length=1, max_length=200)]
MAX_IMPORT_BYTES = 2 * files.MAX_BYTES + 100_000
"""Limit of a request: both files and the form."""
MAX_EDITS_BYTES = files.MAX_EDIT_BYTES + 100_000


class Merge(In):
    kind: Literal["merge"]
    into: Id
    entities: Entities


class Split(In):
    kind: Literal["split"]
    entity: Id = Field(description="what was merged into another one")
    part: Id


class Rename(In):
    kind: Literal["rename"]
    entity: Id
    name: Name


class Alias(In):
    kind: Literal["alias"]
    entity: Id
    name: Name


class Retype(In):
    kind: Literal["retype"]
    entities: Entities
    type: Name


class Delete(In):
    kind: Literal["delete"]
    entities: Entities


class Relate(In):
    kind: Literal["state"]
    source: Id
    relation: Name
    target: Id


class Deny(In):
    """Removes a relation that a text, a model or a file states."""

    kind: Literal["deny"]
    source: Id
    relation: Name = Field(description="its words, as the graph has them")
    target: Id


class Apart(In):
    kind: Literal["apart"]
    entity: Id
    other: Id


Edit = Annotated[Merge | Split | Rename | Alias | Retype | Delete | Relate | Deny | Apart, Field(discriminator="kind")]


class Edits(In):
    edits: list[Edit] = Field(min_length=1, max_length=100, description="recorded as one batch, or not at all")


class EditedOut(BaseModel):
    id: str
    name: str
    type: str


class EditOut(BaseModel):
    number: int
    batch: int
    kind: str
    entities: list[EditedOut]
    text: str = Field(description="the new name, type or alias, or the words of a relation")
    made_at: datetime
    undone: bool


@router.get("/edits", dependencies=[ASK])
def list_edits(services: ServicesDep, base_id: BaseId, limit: Limit = 50, skip: Skip = 0) -> list[EditOut]:
    """Newest first."""
    return [_out(logged) for logged in services.graph_edits.log(base_id, limit + skip)[skip:]]


@router.post("/edits", status_code=201, dependencies=[WRITE])
def edit_graph(services: ServicesDep, base_id: BaseId, edits: Edits) -> list[EditOut]:
    made = [_edit(services, base_id, edit) for edit in edits.edits]
    batch = services.graph_edits.record(base_id, made)
    return [_out(it) for it in services.graph_edits.log(base_id, len(made)) if it.batch == batch]


@router.post("/undo", dependencies=[WRITE])
def undo_edits(services: ServicesDep, base_id: BaseId) -> list[EditOut]:
    """Takes back the newest batch that is in force."""
    return _turned(services, base_id, services.graph_edits.next_undo(base_id), True)


@router.post("/redo", dependencies=[WRITE])
def redo_edits(services: ServicesDep, base_id: BaseId) -> list[EditOut]:
    """Puts back in force what was taken back last."""
    return _turned(services, base_id, services.graph_edits.next_redo(base_id), False)


def _turned(services: Services, base_id: str, batch: Sequence[LoggedEdit], undone: bool) -> list[EditOut]:
    if not batch:
        raise RefusedRequest(409, "api.problem.nothing_to_undo")
    services.graph_edits.set_undone(base_id, [each.number for each in batch], undone)
    return [_out(each).model_copy(update={"undone": undone}) for each in batch]


def _edit(services: Services, base_id: str, given: Edit) -> GraphEdit:
    """Raises InputError for an impossible edit, RefusedRequest for entities of another base."""

    def one(entity_id: str) -> Entity:
        return entity_in(services, base_id, entity_id)

    match given:
        case Merge():
            return editing.merge(one(given.into), [one(entity) for entity in given.entities])
        case Retype():
            return editing.retype([one(entity) for entity in given.entities], given.type)
        case Delete():
            return editing.delete([one(entity) for entity in given.entities])
        case Relate():
            return editing.state(one(given.source), given.relation, one(given.target))
        case Deny():
            return editing.deny(one(given.source), given.relation, one(given.target))
        case Apart():
            return editing.apart(one(given.entity), one(given.other))
        case Split() | Rename() | Alias():
            return _of_one(services, one(given.entity), given)


def _of_one(services: Services, entity: Entity, given: Split | Rename | Alias) -> GraphEdit:
    match given:
        case Rename():
            return editing.rename(entity, given.name)
        case Alias():
            return editing.alias(entity, given.name)
        case Split():
            parts = {part.id: part for part in services.graph_edits.parts(entity.base_id, entity.id)}
            if given.part not in parts:
                raise RefusedRequest(404, "api.problem.entity", id=given.part)
            return editing.split(parts[given.part])


def _out(logged: LoggedEdit) -> EditOut:
    edit = logged.edit
    return EditOut(
        number=logged.number,
        batch=logged.batch,
        kind=edit.kind.value,
        entities=[EditedOut(id=entity.id, name=entity.name, type=entity.type) for entity in edit.entities],
        text=edit.text,
        made_at=logged.made_at,
        undone=logged.undone,
    )


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
