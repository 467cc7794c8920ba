"""What `/v1/chat/completions` takes and gives."""

from typing import Annotated, Any, Literal

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from core.interfaces.http.v1.shapes import CitationOut, ShownPassageOut
from core.platform.plain_text import storable

MAX_MESSAGES = 500
MAX_STOPS = 4
FinishReason = Literal["stop", "length", "tool_calls"]
Text = Annotated[str, AfterValidator(storable)]
"""Chat programs send texts on that were cut within a character; a conversation with one goes on."""
_TEXTS = ("text", "input_text", "output_text", "refusal")


class MessagePart(BaseModel):
    """A piece of a message; only texts are read."""

    type: str = Field(max_length=100)
    text: Text = ""

    @property
    def is_text(self) -> bool:
        return self.type in _TEXTS


class Message(BaseModel):
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: Text | list[MessagePart] | None = None

    @property
    def parts(self) -> list[MessagePart]:
        return self.content if isinstance(self.content, list) else []

    @property
    def text(self) -> str:
        if isinstance(self.content, list):
            return "\n".join(part.text for part in self.content if part.is_text)
        return self.content or ""


class StreamOptions(BaseModel):
    include_usage: bool = False


class JsonSchema(BaseModel):
    """The form of an answer, as JSON Schema."""

    model_config = ConfigDict(populate_by_name=True)

    name: str = Field(default="", max_length=100)
    form: dict[str, Any] = Field(default={}, alias="schema")


class ResponseFormat(BaseModel):
    type: Literal["text", "json_object", "json_schema"] = "text"
    json_schema: JsonSchema | None = None


class Function(BaseModel):
    name: str = Field(max_length=100)
    parameters: dict[str, Any] = {}


class FunctionTool(BaseModel):
    type: str = Field(max_length=100)
    function: Function | None = None


class FunctionChoice(BaseModel):
    type: str = Field(max_length=100)
    function: Function


class Completion(BaseModel):
    """Sampling parameters and system messages of the caller have no effect: the workflow decides how it asks its
    model."""

    model_config = ConfigDict(extra="ignore")

    model: str = Field(
        min_length=1, max_length=300, description="workflow, or workflow@knowledge base", examples=["adaptive"]
    )
    messages: list[Message] = Field(
        min_length=1, max_length=MAX_MESSAGES, examples=[[{"role": "user", "content": "When was it founded?"}]]
    )
    stream: bool = False
    stream_options: StreamOptions | None = None
    n: int | None = Field(default=None, ge=1, description="only 1")
    max_tokens: int | None = Field(default=None, ge=1)
    max_completion_tokens: int | None = Field(default=None, ge=1)
    stop: str | list[str] | None = Field(default=None, max_length=1_000)
    response_format: ResponseFormat | None = None
    tools: list[FunctionTool] | None = Field(
        default=None,
        max_length=128,
        description="the workflow answers by itself; only the one that tool_choice names has its arguments filled in",
    )
    tool_choice: Literal["none", "auto", "required"] | FunctionChoice | None = None
    base: str = Field(default="", max_length=200, description="extension: knowledge base, by name or id")
    footnotes: bool = Field(default=True, description="extension: whether the text ends with the list of its sources")


class Extension(BaseModel):
    """The field `graphtalk` of a completion, and of the last chunk of a stream."""

    run_id: str
    base: str = Field(description="name of the knowledge base that was searched")
    outcome: str
    degraded: bool
    citations: list[CitationOut]
    passages: list[ShownPassageOut]
    stands_in: ShownPassageOut | None


class FunctionCall(BaseModel):
    name: str
    arguments: str


class MadeCall(BaseModel):
    index: int = 0
    id: str
    type: Literal["function"] = "function"
    function: FunctionCall


class CompletionMessage(BaseModel):
    role: Literal["assistant"] = "assistant"
    content: str | None
    refusal: None = None
    tool_calls: list[MadeCall] | None = None


class ChatChoice(BaseModel):
    index: int = 0
    message: CompletionMessage
    logprobs: None = None
    finish_reason: FinishReason


class CompletionUsage(BaseModel):
    """Of all model calls of the run; without a model an estimate of what was said."""

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
    graphtalk: Extension | None = Field(description="null for a chore of the chat program, which is no run")


class Delta(BaseModel):
    role: Literal["assistant"] | None = None
    content: str | None = None
    tool_calls: list[MadeCall] | None = None


class ChunkChoice(BaseModel):
    index: int = 0
    delta: Delta
    logprobs: None = None
    finish_reason: FinishReason | None = None


class ChatChunk(BaseModel):
    id: str
    object: Literal["chat.completion.chunk"] = "chat.completion.chunk"
    created: int
    model: str
    choices: list[ChunkChoice]
    usage: CompletionUsage | None = None
    graphtalk: Extension | None = None
