"""Every workflow in this folder, by name."""

from functools import cache
from importlib import import_module
from pkgutil import iter_modules

from core import workflows as folder
from core.errors import NotFoundError
from core.workflows.workflow import Workflow


@cache
def workflows() -> dict[str, Workflow]:
    """In the order of the picker."""
    modules = (import_module(f"{folder.__name__}.{module.name}") for module in iter_modules(folder.__path__))
    found = [module.WORKFLOW for module in modules if isinstance(getattr(module, "WORKFLOW", None), Workflow)]
    return {workflow.name: workflow for workflow in sorted(found, key=lambda workflow: workflow.order)}


def workflow_named(name: str) -> Workflow:
    """Raises NotFoundError that names those there are."""
    known = workflows()
    if name not in known:
        raise NotFoundError("error.workflow_missing", name=name, known=", ".join(known))
    return known[name]
