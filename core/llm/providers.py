"""Addresses of well-known OpenAI-compatible endpoints; any other address works as well."""

from dataclasses import dataclass


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
