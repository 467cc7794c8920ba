"""`POST /v1/embeddings`: vectors of the encoder on this machine."""

import os
import struct
from base64 import b64encode
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from core.interfaces.http.access import ASK, ServicesDep
from core.interfaces.http.problems import RefusedRequest
from core.models.tokens import estimate_tokens

if TYPE_CHECKING:
    from tiktoken import Encoding

router = APIRouter(prefix="/v1", tags=["openai"])
MAX_TEXTS = 256
MAX_CHARACTERS = 20_000
"""Characters of a text; longer texts belong in a document."""
Text = Annotated[str, Field(min_length=1, max_length=MAX_CHARACTERS)]
Tokens = Annotated[list[Annotated[int, Field(ge=0)]], Field(min_length=1, max_length=MAX_CHARACTERS)]
_VOCABULARY = "9b5ad71b2ce5302211f9c61530b329a4922fc6a4"
"""Name of the file of cl100k_base in the cache of tiktoken."""


class EmbeddingRequest(BaseModel):
    model_config = ConfigDict(extra="ignore")

    model: str = Field(max_length=300, description="as GET /v1/models lists it")
    input: (
        Text
        | Annotated[list[Text], Field(min_length=1, max_length=MAX_TEXTS)]
        | Tokens
        | Annotated[list[Tokens], Field(min_length=1, max_length=MAX_TEXTS)]
    ) = Field(description="texts, or tokens of cl100k_base where its vocabulary is on the machine of the app")
    encoding_format: Literal["float", "base64"] = "float"


class Embedding(BaseModel):
    object: Literal["embedding"] = "embedding"
    index: int
    embedding: list[float] | str = Field(description="of length 1; as base64 little-endian floats of 4 bytes")


class EmbeddingUsage(BaseModel):
    """Estimated for texts."""

    prompt_tokens: int
    total_tokens: int


class Embeddings(BaseModel):
    object: Literal["list"] = "list"
    model: str
    data: list[Embedding]
    usage: EmbeddingUsage


@router.post("/embeddings", dependencies=[ASK])
def embed(services: ServicesDep, request: EmbeddingRequest) -> Embeddings:
    encoder = services.models.encoder
    if request.model != encoder.name:
        raise RefusedRequest(404, "api.problem.embedder", name=request.model, known=encoder.name)
    texts = _texts(request.input)
    vectors = [list(map(float, vector)) for vector in encoder.embed(texts)]
    as_text = request.encoding_format == "base64"
    tokens = sum(map(estimate_tokens, texts))
    return Embeddings(
        model=encoder.name,
        data=[
            Embedding(index=index, embedding=_packed(vector) if as_text else vector)
            for index, vector in enumerate(vectors)
        ],
        usage=EmbeddingUsage(prompt_tokens=tokens, total_tokens=tokens),
    )


def _texts(given: str | list[str] | list[int] | list[list[int]]) -> list[str]:
    """Raises RefusedRequest for tokens that cannot be read."""
    if isinstance(given, str):
        return [given]
    rows = [given] if isinstance(given[0], int) else given
    return [row if isinstance(row, str) else _decoded(row) for row in rows]


def _decoded(tokens: list[int]) -> str:
    encoding = tokens_of_openai()
    if encoding is None:
        raise RefusedRequest(400, "api.problem.tokens")
    try:
        return encoding.decode(tokens)
    except (KeyError, OverflowError) as error:
        raise RefusedRequest(400, "api.problem.tokens") from error


def tokens_of_openai() -> "Encoding | None":
    """The encoding of OpenAI's tokens if it is cached; None otherwise, because nothing is downloaded."""
    folder = os.environ.get("TIKTOKEN_CACHE_DIR", "")
    if not folder or not (Path(folder) / _VOCABULARY).is_file():
        return None
    import tiktoken

    return tiktoken.get_encoding("cl100k_base")


def _packed(vector: list[float]) -> str:
    return b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
