"""Every test of the seam for models finds the example prompts, and servers that misbehave."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest

from tests.loopback.answers import FAULTS
from tests.loopback.openai_server import OpenAiServer
from tests.models.chat.examples import example_prompts

__all__ = ["example_prompts"]


@pytest.fixture
def silent() -> Iterator[Callable[[str], OpenAiServer]]:
    """A server that answers every chat with the named fault."""
    with ExitStack() as servers:
        yield lambda fault: servers.enter_context(OpenAiServer(lambda _: FAULTS[fault]()))
