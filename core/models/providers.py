"""Well-known OpenAI-compatible endpoints, and servers of models on one's own machine; any other address works too."""

from dataclasses import dataclass
from enum import StrEnum


@dataclass(frozen=True, slots=True)
class Provider:
    name: str
    base_url: str
    model: str
    """A model to start with; empty if it depends on how the server was started."""


PROVIDERS = (
    Provider("OpenAI", "https://api.openai.com/v1", "gpt-4.1-mini"),
    Provider("DeepSeek", "https://api.deepseek.com/v1", "deepseek-chat"),
    Provider("Ollama", "http://localhost:11434/v1", "qwen3:8b"),
    Provider("vLLM", "http://localhost:8000/v1", ""),
    Provider("LM Studio", "http://localhost:1234/v1", ""),
)


@dataclass(frozen=True, slots=True)
class LocalServer:
    """A server of models where it usually listens."""

    name: str
    port: int
    listing: str = "/v1/models"
    """Path of its list of models."""

    @property
    def address(self) -> str:
        return f"127.0.0.1:{self.port}"

    @property
    def base_url(self) -> str:
        return f"http://{self.address}/v1"


OLLAMA = LocalServer("Ollama", 11434, "/api/tags")
LOCAL_SERVERS = (
    OLLAMA,
    LocalServer("LM Studio", 1234),
    LocalServer("llama.cpp", 8080),
    LocalServer("vLLM", 8000),
)


class Presence(StrEnum):
    """Result of a request to a server's usual port."""

    MODELS = "models"
    NO_MODELS = "no_models"
    """It answers, but has no models."""
    KEY = "key"
    """It answers, but lists its models only with a key."""
    OTHER = "other"
    """Something else answers there."""
    SLOW = "slow"
    """Something accepts connections there, but did not answer in time."""
    NOBODY = "nobody"


@dataclass(frozen=True, slots=True)
class LookedAt:
    server: LocalServer
    presence: Presence
    models: tuple[str, ...] = ()
    """Names, those that can chat first."""
