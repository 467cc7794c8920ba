"""A whole run of the default workflow on the ports in memory, its events collected."""

from collections.abc import Callable

import pytest

from core.platform.texts import known, text
from core.runs.history.view import RunView
from tests.agents.systems.conftest import SystemWorld, path, run, walked, world

__all__ = ["Ask", "ask", "path", "walked", "world"]

Ask = Callable[..., RunView]


@pytest.fixture
def ask(world: SystemWorld) -> Ask:
    def asked(question: str, *history: str, **fields: object) -> RunView:
        """history: questions and answers in turn."""
        view = run("adaptive", world, question, history, None, **fields)
        assert_readable(view)
        return view

    return asked


def assert_readable(view: RunView) -> None:
    """Whatever the trace says is in the catalogue, and no placeholder is left open."""
    for step in view.steps:
        assert all(known(f"run.detail.{name}") for name, _ in step.details), step
        if known(step.reason):
            text(step.reason, "zh-hant", **dict(step.details))
        assert all(known(passage.reason) for passage in step.rejected), step
