"""Servers of models on one's own machine: the list that Ollama, LM Studio, llama.cpp and vLLM give of their models."""

from collections.abc import Sequence
from typing import Any

from core.models.providers import LocalServer
from tests.loopback.openai_server import OpenAiServer
from tests.loopback.server import Recorded, Wire


class OllamaServer(OpenAiServer):
    """GET /api/tags beside the OpenAI-compatible endpoints."""

    def __init__(self, models: Sequence[dict[str, Any]]) -> None:
        super().__init__()
        self._models = models

    def answer(self, request: Recorded, wire: Wire) -> None:
        if request.path == "/api/tags":
            wire.send_json(200, {"models": list(self._models)})
        else:
            super().answer(request, wire)


class ListingServer(OpenAiServer):
    """GET /v1/models as it is given, with any status and body."""

    def __init__(self, body: bytes, status: int = 200, pause_seconds: float = 0.0) -> None:
        super().__init__()
        self._body, self._status, self._pause = body, status, pause_seconds

    def answer(self, request: Recorded, wire: Wire) -> None:
        if request.path == "/v1/models":
            wire.pause(self._pause)
            wire.send(self._status, self._body, "application/json")
        else:
            super().answer(request, wire)


def tagged(name: str, **more: Any) -> dict[str, Any]:
    """A model as Ollama lists it."""
    details = {"format": "gguf", "family": "qwen3", "parameter_size": "8.2B", "quantization_level": "Q4_K_M"}
    return {"name": name, "model": name, "size": 5_200_000_000, "digest": "a2af", "details": details, **more}


def at(server: OpenAiServer, name: str = "vLLM", listing: str = "/v1/models") -> LocalServer:
    return LocalServer(name, int(server.url.rsplit(":", 1)[1]), listing)
