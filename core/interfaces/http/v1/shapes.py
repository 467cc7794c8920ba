"""Shapes that several areas share."""

from collections.abc import Iterable, Sequence
from datetime import datetime
from typing import Annotated, TypeVar

from fastapi import Query, Response
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from core.documents.model import Box
from core.interfaces.http.problems import Responses
from core.platform.clock import read_moment
from core.search.model import Citation, FoundPassage

Limit = Annotated[int, Query(ge=1, le=200)]
MOST_SKIPPED = 10_000_000
"""A database takes no number of any size."""
Skip = Annotated[int, Query(ge=0, le=MOST_SKIPPED)]
Words = Annotated[str, Query(max_length=500)]
Moment = Annotated[datetime, BeforeValidator(read_moment)]
"""ISO 8601 only; pydantic would accept a number as seconds since 1970."""
Id = Annotated[str, Field(max_length=200)]
TOTAL = "X-Total-Count"
COUNTED: Responses = {
    200: {"headers": {TOTAL: {"description": "how many there are in all", "schema": {"type": "integer"}}}}
}
"""Documentation of lists: a JSON array of at most `limit` entries after the first `skip`."""
Listed = TypeVar("Listed")


class Out(BaseModel):
    """Made from a value of the core that has fields of the same names."""

    model_config = ConfigDict(from_attributes=True)


class In(BaseModel):
    """Unknown fields are refused, so that a misspelt one is not silently without effect."""

    model_config = ConfigDict(extra="forbid")


class CitedBox(BaseModel):
    page: int = Field(description="from 1")
    box: Box = Field(description="x0, y0, x1, y1 in thousandths of the page, from the top left")


class CitationOut(BaseModel):
    """[number] in an answer."""

    number: int
    document: str
    document_id: str = Field(description="empty for a page of the web")
    chunk_id: str
    page: int = Field(description="from 1")
    text: str
    score: float
    url: str = Field(description="of a page of the web; else empty")
    boxes: list[CitedBox]


class ShownPassageOut(Out):
    """A passage as it stands; its place is the citation of the same number."""

    number: int
    section: tuple[str, ...] = Field(description="the headings above it, outermost first")
    text: str
    marked: tuple[tuple[int, int], ...] = Field(description="characters of the text that are nearest to the question")
    folded: bool = Field(description="among further ones, which the page shows on a click")


class FoundPassageOut(BaseModel):
    passage: ShownPassageOut
    citation: CitationOut = Field(description="its place")


def part_of(response: Response, whole: Sequence[Listed], limit: int, skip: int) -> Iterable[Listed]:
    """The requested part of a list; the response header has the total."""
    response.headers[TOTAL] = str(len(whole))
    return whole[skip : skip + limit]


def citation_out(citation: Citation) -> CitationOut:
    return CitationOut(
        number=citation.number,
        document=citation.document_name,
        document_id=citation.document_id,
        chunk_id=citation.chunk_id,
        page=citation.page + 1,
        text=citation.text,
        score=round(citation.score, 4),
        url=citation.url,
        boxes=[CitedBox(page=page + 1, box=box) for page, box in citation.boxes],
    )


def found_out(found: FoundPassage) -> FoundPassageOut:
    return FoundPassageOut(passage=ShownPassageOut.model_validate(found.passage), citation=citation_out(found.citation))


class UsageOut(Out):
    model_calls: int
    prompt_tokens: int
    completion_tokens: int
    estimated: bool = Field(description="the endpoint did not report all of its tokens")


class DeletedOut(BaseModel):
    id: str
    name: str
    deleted_at: datetime
    restorable_until: datetime
