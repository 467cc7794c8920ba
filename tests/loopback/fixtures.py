"""The doubles as pytest fixtures; a conftest that wants them imports them by name."""

from collections.abc import Iterator

import pytest

from tests.loopback.openai_server import OpenAiServer


@pytest.fixture
def openai_server() -> Iterator[OpenAiServer]:
    """A server that answers from the prompts."""
    with OpenAiServer() as server:
        yield server


@pytest.fixture
def model_settings(openai_server: OpenAiServer, monkeypatch: pytest.MonkeyPatch) -> OpenAiServer:
    """The environment set so that the app uses the server as its model."""
    monkeypatch.setenv("LLM_BASE_URL", openai_server.base_url)
    monkeypatch.setenv("LLM_MODEL", "loopback-model")
    return openai_server
