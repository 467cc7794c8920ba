"""`python -m tests.simulation FIRST LAST`: every seed of the range; exit status 1 where something was wrong."""

import json
import os
import sys
import tempfile
from contextlib import suppress
from importlib import import_module
from pathlib import Path

from core.models.embedding.encoder import sentence_encoder
from core.platform.language.detect import document_language
from tests.simulation.desk import Action, Desk, text_of
from tests.simulation.simulate import Simulation


def main(first: int, last: int) -> int:
    sentence_encoder.is_installed = lambda: False
    _load_what_a_desk_loads()
    broken = 0
    for seed in range(first, last + 1):
        with tempfile.TemporaryDirectory(prefix="simulation-") as folder:
            simulation = Simulation(seed, Path(folder) / "desk")
            simulation.folder.mkdir()
            if problems := simulation.run():
                broken += 1
                print(
                    f"seed {seed}:", *simulation.log, *(f"WRONG: {each}" for each in problems), sep="\n  ", flush=True
                )
    print(f"{last - first + 1} seeds, {broken} with something wrong", flush=True)
    return 1 if broken else 0


def _load_what_a_desk_loads() -> None:
    """Once for all processes of the simulation: most of their time went into it. Without a thread, for the forks."""
    read_end, write_end = os.pipe()
    if not os.fork():
        with tempfile.TemporaryDirectory(prefix="simulation-") as folder:
            desk = Desk(Path(folder))
            desk.start()
            for kind in ("add", "read", "ask", "rename"):
                desk.do(Action(kind, "" if kind == "read" else "first"))
            desk.look(["first"])
            with os.fdopen(write_end, "w") as pipe:
                json.dump([*sys.modules], pipe)
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as pipe:
        for name in json.load(pipe):
            with suppress(ImportError):
                import_module(name)
    os.wait()
    document_language(text_of("first"))


if __name__ == "__main__":
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2])))
