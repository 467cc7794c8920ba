"""Workflows and engines for a question: names, titles, summaries, drawings."""

import threading
from collections.abc import Mapping, Sequence
from functools import lru_cache

from core.agents.workflows.drawing import START, draw, path_taken
from core.agents.workflows.registry import workflows
from core.models.ports import BUILT_IN
from core.platform.texts import known
from pages.components.run.drawing import Lit, drawing_svg
from pages.components.run.run_words import shown_name
from pages.components.shell.language import language, t, use_language
from pages.components.shell.services import services
from pages.components.shell.text import NO_HTML, Html

_READY = threading.Event()
"""Set when every drawing was made once; before that LangGraph must be loaded, which takes seconds."""


def workflow_names() -> list[str]:
    """Workflow names in the order of the picker; the first is the default."""
    return list(workflows())


def engine_names() -> list[str]:
    """Models of the settings, if any, and the built-in engine."""
    return list(services().engines)


def title_of(name: str) -> str:
    """Title of a workflow; its name if it no longer exists."""
    workflow = workflows().get(name)
    return _words(workflow.title) if workflow else shown_name(name)


def promise_of(name: str) -> str:
    """Summary of a workflow; without a model, a second line says what one would add."""
    promise, adds = _words(workflows()[name].summary), f"workflow.{name}.with_model"
    return f"{promise}  \n{t(adds)}" if known(adds) and services().llm.engine == BUILT_IN else promise


def welcome_of(name: str) -> str:
    return _words(workflows()[name].welcome)


def _words(key: str) -> str:
    """Text of the catalogue, or the text itself from a plug-in."""
    return t(key) if known(key) else key


def picture_of(name: str, lit: Mapping[str, Lit] | None = None, path: Sequence[str] = ()) -> Html:
    """Inline SVG; empty while drawings are not ready, and for a workflow that no longer exists."""
    if name not in workflows() or not pictures_ready():
        return NO_HTML
    return _drawn(name, lit, path) if lit or path else _unlit(name, language())


@lru_cache(maxsize=8)
def _unlit(name: str, interface: str) -> Html:
    """Drawing without a run, cached because every view of the Chat page shows one."""
    with use_language(interface):
        return _drawn(name)


def _drawn(name: str, lit: Mapping[str, Lit] | None = None, path: Sequence[str] = ()) -> Html:
    return drawing_svg(draw(workflows()[name]), t("chat.run.drawing", name=title_of(name)), lit or {}, path)


def way_of(name: str, lit: Mapping[str, Lit], path: Sequence[str], outcomes: Sequence[str]) -> Html:
    """Inline SVG of the nodes that a run passed; empty when picture_of is. outcomes: of the nodes of the path."""
    workflow = workflows().get(name)
    if not workflow or not pictures_ready():
        return NO_HTML
    way = path_taken(draw(workflow), (START, *path), ("", *outcomes))
    return drawing_svg(way, t("chat.run.way", name=title_of(name)), lit, path)


def searches_web(name: str) -> bool:
    workflow = workflows().get(name)
    return workflow is not None and workflow.searches_web


def prepare_pictures() -> None:
    for workflow in workflows().values():
        draw(workflow)
    _READY.set()


def pictures_ready() -> bool:
    return _READY.is_set()
