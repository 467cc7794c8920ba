"""Finds the workflows of this folder and of installed packages, and compiles them on first use."""

import threading
from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from core.agents import workflows as folder
from core.agents.workflows.drawing import draw
from core.agents.workflows.workflow import Compiled, Workflow, compile_workflow
from core.platform.errors import NotFoundError
from core.platform.plugins import Plugin, load_plugins


@cache
def workflows() -> dict[str, Workflow]:
    """Workflows in the order of the picker, those of plug-ins last: none of them becomes the default."""
    own = [workflow for name in _modules() if (workflow := _of_module(name))]
    added = [plugin.item for plugin in plugin_workflows() if plugin.item]
    in_order = [workflow for group in (own, added) for workflow in sorted(group, key=lambda each: each.order)]
    return {workflow.name: workflow for workflow in in_order}


@cache
def plugin_workflows() -> tuple[Plugin[Workflow], ...]:
    """Workflows of plug-ins; drawing each one finds errors in its wiring, which takes LangGraph."""
    return load_plugins("workflow", Workflow, _modules(), draw)


def workflow_named(name: str) -> Workflow:
    """Load one workflow; a name of this folder loads no other one. Raises NotFoundError, which lists the names."""
    if name in _modules() and (workflow := _of_module(name)):
        return workflow
    if workflow := workflows().get(name):
        return workflow
    raise NotFoundError("error.workflow_missing", name=name, known=", ".join(workflows()))


@cache
def _modules() -> tuple[str, ...]:
    return tuple(module.name for module in iter_modules(folder.__path__))


def _of_module(name: str) -> Workflow | None:
    """A workflow is called like its file; None for the other files."""
    found = getattr(import_module(f"{folder.__name__}.{name}"), "WORKFLOW", None)
    return found if isinstance(found, Workflow) else None


class CompiledWorkflows:
    """Workflows compiled on first use, because importing LangGraph takes a second."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._compiled: dict[tuple[str, str], Compiled] = {}

    def named(self, name: str, after: str = "") -> Compiled:
        """after: the node from which a run continues. Raises NotFoundError for an unknown name."""
        with self._lock:
            if (name, after) not in self._compiled:
                self._compiled[name, after] = compile_workflow(workflow_named(name), after)
            return self._compiled[name, after]

    def load(self) -> None:
        for name in workflows():
            self.named(name)
