"""Tools that list knowledge bases and documents, add documents, and edit the graph."""

from base64 import b64decode
from binascii import Error as Base64Error
from pathlib import Path
from typing import Annotated

from pydantic import BaseModel, Field, StrictBool

from core.app.services import Services
from core.documents.model import DocumentFilter, DocumentOrder, DocumentStatus
from core.interfaces.http.asking import base_named
from core.interfaces.http.mcp.arguments import Arguments, InBase, ProgramTool, ToolResult
from core.interfaces.http.mcp.pages import MAX_CHARACTERS, link_to
from core.interfaces.http.problems import RefusedRequest
from core.interfaces.http.v1.bases import BaseOut, base_out
from core.interfaces.http.v1.documents import Changed, DocumentOut, UploadOut, out, take_upload
from core.interfaces.http.v1.graph_edits import Edit, EditOut, Edits, edit_graph
from core.people.api_keys import ApiKey, KeyScope
from core.platform.files.atomic_file import temporary_file

_MOST = 100


class ListDocuments(InBase):
    query: str = Field(default="", max_length=500, description="words of the name or the title; empty for all")
    status: list[DocumentStatus] = Field(default=[], description="none for all")
    limit: int = Field(default=20, ge=1, le=_MOST)
    cursor: str = Field(default="", max_length=9, pattern=r"^\d*$", description="next_cursor of the list before")


class Ingest(InBase):
    name: str = Field(min_length=1, max_length=200, description="file name with its ending, such as notes.md")
    text: str = Field(default="", max_length=MAX_CHARACTERS, description="the file, where it is a text")
    base64: str = Field(default="", max_length=900_000, description="the file, where it is none")
    parser: str = Field(default="", max_length=40, description="empty for the one of the settings")
    changed: Changed = Field(default="ask", description="what to do with a document of this name that differs")
    agree_to_cost: StrictBool = Field(
        default=False, description="the user agrees that a model reads it, which may cost"
    )


class EditGraph(InBase):
    edits: Annotated[list[Edit], Field(min_length=1, max_length=100)] = Field(
        description="recorded as one batch, or not at all; entities by id or name"
    )


class BasesOut(BaseModel):
    bases: list[BaseOut]


class DocumentPage(BaseModel):
    documents: list[DocumentOut]
    next_cursor: str = Field(description="for the rest; empty at the end")


class EditsOut(BaseModel):
    edits: list[EditOut]


def _list_bases(services: Services, _: ApiKey, __: Arguments) -> ToolResult:
    found = [base_out(services, base) for base in services.library.bases.all()]
    lines = [f"- {each.name} (documents: {sum(each.documents.values())}, id {each.id})" for each in found]
    return ToolResult("\n".join(lines) or "There is no knowledge base yet.", BasesOut(bases=found))


def _list_documents(services: Services, _: ApiKey, given: ListDocuments) -> ToolResult:
    base, skip = base_named(services, given.base), int(given.cursor or 0)
    wanted = DocumentFilter(tuple(given.status), given.query)
    found = services.library.documents.find(base.id, wanted, DocumentOrder.NEWEST, given.limit + 1, skip)
    shown, more = found[: given.limit], len(found) > given.limit
    lines = [f"- {each.name} ({each.status.value}, pages: {each.pages}, document_id {each.id})" for each in shown]
    page = DocumentPage(documents=[out(each) for each in shown], next_cursor=str(skip + given.limit) if more else "")
    lines += [f"More with cursor {page.next_cursor}."] if more else []
    return ToolResult("\n".join(lines) or "No documents.", page, tuple(link_to(each.id, each.name) for each in shown))


def _ingest(services: Services, _: ApiKey, given: Ingest) -> ToolResult:
    if bool(given.text) == bool(given.base64):
        raise RefusedRequest(422, "api.problem.arguments", place="text, base64", reason="give one of them")
    try:
        content = given.text.encode() if given.text else b64decode(given.base64, validate=True)
    except (Base64Error, ValueError) as error:
        raise RefusedRequest(422, "api.problem.arguments", place="base64", reason="it cannot be decoded") from error
    base = base_named(services, given.base)
    with temporary_file(services.settings.data / "work") as file:
        file.write(content)
        file.flush()
        options = (given.parser, given.changed, given.agree_to_cost)
        taken = take_upload(services, base.id, (given.name, Path(file.name)), options)
    words = f"{taken.name} is {taken.status.value} as document {taken.id}. list_documents tells when it is ready."
    return ToolResult(words, taken, (link_to(taken.id, taken.name),))


def _edit_graph(services: Services, _: ApiKey, given: EditGraph) -> ToolResult:
    made = edit_graph(services, base_named(services, given.base).id, Edits(edits=given.edits))
    return ToolResult(f"Edits recorded: {len(made)}. People can take them back.", EditsOut(edits=made))


LIBRARY_TOOLS = (
    ProgramTool("list_bases", "The knowledge bases that can be asked.", Arguments, _list_bases, output=BasesOut),
    ProgramTool(
        "list_documents",
        "Documents of a knowledge base, newest first.",
        ListDocuments,
        _list_documents,
        output=DocumentPage,
    ),
    ProgramTool(
        "ingest",
        "Adds a file to a knowledge base and has it read in the background. Refused with a reason where the user has "
        "to agree first: to a changed file, or to what a model costs.",
        Ingest,
        _ingest,
        KeyScope.WRITE,
        UploadOut,
        is_destructive=True,
    ),
    ProgramTool(
        "edit_graph",
        "Edits the knowledge graph: merge, split, rename, retype, delete, state a relation. Ask the user first.",
        EditGraph,
        _edit_graph,
        KeyScope.WRITE,
        EditsOut,
        is_destructive=True,
    ),
)
