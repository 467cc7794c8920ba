"""`model list|get|use|remove`: models that run on this machine."""

import sys
from argparse import Namespace
from dataclasses import asdict
from pathlib import Path

from core.app.services import Services
from core.interfaces.cli.console import note, say, say_json, table
from core.models.local.ports import LocalModel

NONE = "none"


def list_models(services: Services, options: Namespace) -> int:
    here, used = services.models.here, services.settings.local_model
    models = here.store.offered()
    if options.json:
        say_json([{**asdict(model), "used": model.name == used} for model in models])
        return 0
    rows = [
        (
            model.name,
            f"{_gigabytes(model.size)} GB",
            f"{_gigabytes(model.memory)} GB",
            model.licence,
            _state(model, used),
        )
        for model in models
    ]
    table(("name", "size", "memory", "licence", "state"), rows)
    if used and all(model.name != used for model in models):
        say(f"In use: {used}")
    return 0


def get(services: Services, options: Namespace) -> int:
    """Continues an interrupted download; then uses the model."""
    here = services.models.here
    model = here.store.find(options.name or here.store.offered()[0].name)
    note(
        f"{model.title}: {_gigabytes(model.size)} GB, licence {model.licence}. Ctrl-C stops it; it goes on from there."
    )
    here.get(model.name)
    while (progress := here.store.progress(model.name)) and progress.is_running:
        _show(progress.done, progress.total)
        here.store.wait(model.name, 0.5)
    if progress and progress.fault:
        raise progress.fault
    _show(model.size, model.size)
    sys.stderr.write("\n")
    say(f"{model.title} answers from the next question on. `graphtalk model use none` goes back.")
    return 0


def use(services: Services, options: Namespace) -> int:
    here = services.models.here
    if options.name == NONE:
        here.use("")
        say(f"{services.llm.engine} answers from the next question on.")
        return 0
    path = Path(options.name).expanduser()
    name = str(path.resolve()) if path.suffix == ".gguf" else options.name
    here.use(name)
    limits = here.limits(name)
    say(
        f"{name} answers from the next question on: context {limits.context:,} tokens, {limits.threads} threads, "
        f"about {_gigabytes(limits.memory)} GB of memory."
    )
    return 0


def remove(services: Services, options: Namespace) -> int:
    services.models.here.remove(options.name)
    say(f"{options.name} was removed.")
    return 0


def _state(model: LocalModel, used: str) -> str:
    if model.is_here:
        return "in use" if model.name == used else "here"
    return f"{model.fetched * 100 // model.size} % here" if model.fetched else "not here"


def _show(done: int, total: int) -> None:
    """Prints progress on one line of a terminal, or once at the end into a file."""
    if sys.stderr.isatty() or done == total:
        sys.stderr.write(f"\r{done / 1e6:,.0f} of {total / 1e6:,.0f} MB ({done * 100 // total} %)")
        sys.stderr.flush()


def _gigabytes(size: int) -> str:
    return f"{size / 1e9:.1f}"
