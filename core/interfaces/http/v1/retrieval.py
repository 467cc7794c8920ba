"""Passages found for a query, without an answer."""

from fastapi import APIRouter
from pydantic import BaseModel, Field, StrictInt

from core.app.services import Services
from core.interfaces.http.access import ASK, ServicesDep
from core.interfaces.http.asking import BaseId
from core.interfaces.http.v1.shapes import In
from core.interfaces.lookups import found_passages
from core.runs.model import MAX_QUESTION

router = APIRouter(tags=["retrieval"])


class SearchIn(In):
    query: str = Field(min_length=1, max_length=MAX_QUESTION, examples=["year of foundation"])
    limit: StrictInt = Field(default=10, ge=1, le=50)


class PassageOut(BaseModel):
    chunk_id: str
    document_id: str
    document: str
    page: int = Field(description="from 1")
    section: list[str] = Field(description="headings above it, outermost first")
    text: str
    score: float = Field(description="0 to 1: estimated probability that it is relevant")
    sources: list[str] = Field(description="the searches that found it")


class FoundOut(BaseModel):
    query: str
    passages: list[PassageOut]


@router.post("/bases/{base_id}/retrieve", dependencies=[ASK])
def retrieve(services: ServicesDep, base_id: BaseId, search: SearchIn) -> FoundOut:
    """Best first."""
    return FoundOut(query=search.query, passages=passages(services, base_id, search.query, search.limit))


def passages(services: Services, base_id: str, query: str, limit: int) -> list[PassageOut]:
    return [PassageOut(**found) for found in found_passages(services, base_id, query, limit)]
