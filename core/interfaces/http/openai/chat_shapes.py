"""What `/v1/chat/completions` takes and gives."""

from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from core.interfaces.http.v1.shapes import CitationOut

MAX_MESSAGES = 500


class TextPart(BaseModel):
    type: Literal["text"]
    text: str


class Message(BaseModel):
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[TextPart] | None = None

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content)
        return self.content or ""


class StreamOptions(BaseModel):
    include_usage: bool = False


class Completion(BaseModel):
    """Sampling parameters, tools and system messages of the caller are accepted and have no effect: the workflow
    decides how it asks its model."""

    model_config = ConfigDict(extra="ignore")

    model: str = Field(min_length=1, max_length=300, description="workflow, or workflow@knowledge base")
    messages: list[Message] = Field(min_length=1, max_length=MAX_MESSAGES)
    stream: bool = False
    stream_options: StreamOptions | None = None
    n: Literal[1] | None = None
    base: str = Field(default="", max_length=200, description="extension: knowledge base, by name or id")
    footnotes: bool = Field(default=True, description="extension: whether the text ends with the list of its sources")


class Extension(BaseModel):
    """The field `graphtalk` of a completion, and of the last chunk of a stream."""

    run_id: str
    outcome: str
    degraded: bool
    citations: list[CitationOut]


class CompletionMessage(BaseModel):
    role: Literal["assistant"] = "assistant"
    content: str
    refusal: None = None


class ChatChoice(BaseModel):
    index: int = 0
    message: CompletionMessage
    logprobs: None = None
    finish_reason: Literal["stop", "length"] = "stop"


class CompletionUsage(BaseModel):
    """Of all model calls of the run; zero with the built-in engine."""

    prompt_tokens: int
    completion_tokens: int
    total_tokens: int


class ChatCompletion(BaseModel):
    id: str
    object: Literal["chat.completion"] = "chat.completion"
    created: int
    model: str
    choices: list[ChatChoice]
    usage: CompletionUsage
    graphtalk: Extension


class Delta(BaseModel):
    role: Literal["assistant"] | None = None
    content: str | None = None


class ChunkChoice(BaseModel):
    index: int = 0
    delta: Delta
    logprobs: None = None
    finish_reason: Literal["stop", "length"] | None = None


class ChatChunk(BaseModel):
    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: CompletionUsage | None = None
    graphtalk: Extension | None = None
