"""`POST /v1/embeddings`: vectors of the encoder on this machine."""

import struct
from base64 import b64encode
from typing import Annotated, Literal

from fastapi import APIRouter
from pydantic import BaseModel, ConfigDict, Field

from core.interfaces.http.access import READ, Opened
from core.interfaces.http.problems import RefusedRequest

router = APIRouter(prefix="/v1", tags=["openai"])
MAX_TEXTS = 256
MAX_CHARACTERS = 20_000
"""Of a text; what is longer belongs into a document."""
Text = Annotated[str, Field(min_length=1, max_length=MAX_CHARACTERS)]
_CHARACTERS_A_TOKEN = 4


class EmbeddingRequest(BaseModel):
    model_config = ConfigDict(extra="ignore")

    model: str = Field(max_length=300, description="as GET /v1/models lists it")
    input: Text | Annotated[list[Text], Field(min_length=1, max_length=MAX_TEXTS)] = Field(
        description="text, not tokens: with LangChain set check_embedding_ctx_length=False"
    )
    encoding_format: Literal["float", "base64"] = "float"


class Embedding(BaseModel):
    object: Literal["embedding"] = "embedding"
    index: int
    embedding: list[float] | str = Field(description="of length 1; as base64 little-endian floats of 4 bytes")


class EmbeddingUsage(BaseModel):
    """Estimated: a token is taken for four characters."""

    prompt_tokens: int
    total_tokens: int


class Embeddings(BaseModel):
    object: Literal["list"] = "list"
    model: str
    data: list[Embedding]
    usage: EmbeddingUsage


@router.post("/embeddings", dependencies=[READ])
def embed(services: Opened, request: EmbeddingRequest) -> Embeddings:
    encoder = services.models.encoder
    if request.model != encoder.name:
        raise RefusedRequest(404, "api.problem.embedder", name=request.model, known=encoder.name)
    texts = [request.input] if isinstance(request.input, str) else request.input
    vectors = [list(map(float, vector)) for vector in encoder.embed(texts)]
    as_text = request.encoding_format == "base64"
    tokens = sum(map(len, texts)) // _CHARACTERS_A_TOKEN + 1
    return Embeddings(
        model=encoder.name,
        data=[
            Embedding(index=index, embedding=_packed(vector) if as_text else vector)
            for index, vector in enumerate(vectors)
        ],
        usage=EmbeddingUsage(prompt_tokens=tokens, total_tokens=tokens),
    )


def _packed(vector: list[float]) -> str:
    return b64encode(struct.pack(f"<{len(vector)}f", *vector)).decode()
