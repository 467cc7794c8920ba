"""The workflows and engines a question can be asked with: names, titles, promises, pictures."""

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

_READY = threading.Event()
"""Set when every picture has been drawn once: until then LangGraph is being loaded, which takes seconds."""


def workflow_names() -> list[str]:
    """Workflow names in the order of the picker; the first is the default."""
    return list(workflows())


def engine_names() -> list[str]:
    """What can answer: the models of the settings, where there are some, and the built-in engine."""
    return list(services().engines)


def title_of(name: str) -> str:
    """Of a workflow that is not there any more, its name."""
    workflow = workflows().get(name)
    return _words(workflow.title) if workflow else shown_name(name)


def promise_of(name: str) -> str:
    """When to take it; where no model answers, on a line of its own what one would add."""
    promise, adds = _words(workflows()[name].summary), f"workflow.{name}.with_model"
    return f"{promise}  \n{t(adds)}" if known(adds) and services().llm.engine == BUILT_IN else promise


def welcome_of(name: str) -> str:
    return _words(workflows()[name].welcome)


def _words(key: str) -> str:
    """A text of the catalogue, or the text itself, which a plug-in gives."""
    return t(key) if known(key) else key


def picture_of(name: str, lit: Mapping[str, Lit] | None = None, path: Sequence[str] = ()) -> str:
    """Inline SVG; empty while pictures are not ready, and for a workflow that is not there any more."""
    if name not in workflows() or not pictures_ready():
        return ""
    return _drawn(name, lit, path) if lit or path else _unlit(name, language())


@lru_cache(maxsize=8)
def _unlit(name: str, interface: str) -> str:
    """Kept, because every view of the Chat page shows one."""
    with use_language(interface):
        return _drawn(name)


def _drawn(name: str, lit: Mapping[str, Lit] | None = None, path: Sequence[str] = ()) -> str:
    return drawing_svg(draw(workflows()[name]), t("chat.run.drawing", name=title_of(name)), lit or {}, path)


def way_of(name: str, lit: Mapping[str, Lit], path: Sequence[str], outcomes: Sequence[str]) -> str:
    """Inline SVG of the nodes that a run passed; empty as picture_of is. outcomes: of the nodes of the path."""
    workflow = workflows().get(name)
    if not workflow or not pictures_ready():
        return ""
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
