"""`python -m tests.simulation FIRST LAST [sqlite|postgres]`: every seed of the range on a database of its own.

A seed goes the same way again, but for the moments at which threads and processes meet; where something was wrong, its
command is printed, and the exit status is 1.
"""

import gc
import json
import os
import shutil
import signal
import ssl
import sys
import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext, suppress
from functools import cache
from importlib import import_module
from pathlib import Path
from types import ModuleType

import httpx
from sqlalchemy import create_engine, make_url
from sqlalchemy.pool import NullPool

from core.agents.workflows import registry
from core.app import storage
from core.app.services import Services
from core.models.embedding.encoder import sentence_encoder
from core.platform.processes.process_tuning import calculate_in_own_thread
from core.platform.settings import settings
from core.rulebook.graph import asked
from core.search.index import chroma_access
from tests.fakes.indexes import FakeChunkIndex, FakeLexicalIndex
from tests.simulation.desk import Action, Desk
from tests.simulation.expected import ABOUT_ANOTHER
from tests.simulation.simulate import Simulation
from tests.simulation.whole import EDITS
from tests.store.postgres import PostgresServer, programs

_NAME = "simulation"
_HASHES = "PYTHONHASHSEED"
_OF_A_CHROMA_SERVER = ("chromadb.api.fastapi", "chromadb.telemetry.product.posthog")
"""Which Chroma imports by their names when it opens a client."""
_MADE_ONCE: tuple[tuple[ModuleType, str], ...] = (
    (storage, "open_engine"),
    (registry, "compile_workflow"),
    (asked, "read_examples"),
    (ssl, "create_default_context"),
)
"""What depends on its arguments alone, and takes a tenth of a second each time."""
_LIKE = ("querbonal", "querbobonal")
"""Names of every length that occurs."""
_ABOUT_A_NAME = ("ask", "put_away", "take_back", "unask", "ask_and_stop", "remember", "forget", "delete", "restore")
_ABOUT_ALL = ("make_vectors", "rebuild", "delete_base", "restore_base")


def main(first: int, last: int, database: str = "sqlite") -> int:
    sentence_encoder.is_installed = lambda: False
    _load_what_a_desk_loads()
    with (
        tempfile.TemporaryDirectory(prefix="simulation-") as folder,
        _postgres() if database == "postgres" else nullcontext() as server,
    ):
        return _simulate(range(first, last + 1), Path(folder) / "desk", server)


def _simulate(seeds: range, folder: Path, server: PostgresServer | None) -> int:
    """All of them in one folder and with one name of a database, so that they can share an engine."""
    migrated = folder.with_name("migrated")
    with _emptied(folder, server):
        _warm_up(folder, migrated)
    broken = 0
    for seed in seeds:
        with _emptied(folder, server):
            simulation = Simulation(seed, folder, on_server=server is not None, migrated=migrated)
            if problems := simulation.run():
                broken += 1
                told = (*simulation.log, *(f"WRONG: {each}" for each in problems), _again(seed, server is not None))
                print(f"seed {seed}:", *told, sep="\n  ", flush=True)
            else:
                print(f"seed {seed} held", flush=True)
    print(f"{len(seeds)} seeds, {broken} with something wrong", flush=True)
    return 1 if broken else 0


def _again(seed: int, on_server: bool) -> str:
    return f"{_HASHES}={os.environ[_HASHES]} python -m tests.simulation {seed} {seed}{' postgres' * on_server}"


@contextmanager
def _emptied(folder: Path, server: PostgresServer | None) -> Iterator[None]:
    """With an empty folder, and an empty database where there is a server."""
    folder.mkdir()
    try:
        with _database(server) if server else nullcontext():
            yield
    finally:
        shutil.rmtree(folder)


@contextmanager
def _postgres() -> Iterator[PostgresServer]:
    """One that keeps what it has committed when one of its processes is killed."""
    bin = programs()
    if bin is None:
        sys.exit("There is no Postgres on this machine.")
    server = PostgresServer(bin)
    try:
        server.start("synchronous_commit=on")
        yield server
    finally:
        server.remove()


@contextmanager
def _database(server: PostgresServer) -> Iterator[None]:
    admin = create_engine(server.url, isolation_level="AUTOCOMMIT", poolclass=NullPool)
    with admin.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {_NAME}")
    os.environ["DATABASE_URL"] = make_url(server.url).set(database=_NAME).render_as_string(hide_password=False)
    try:
        yield
    finally:
        del os.environ["DATABASE_URL"]
        with admin.connect() as connection:
            connection.exec_driver_sql(f"DROP DATABASE {_NAME} WITH (FORCE)")


def _load_what_a_desk_loads() -> None:
    """Once for all processes of the simulation: most of their time went into it. Without a thread, for the forks."""
    read_end, write_end = os.pipe()
    if not os.fork():
        with tempfile.TemporaryDirectory(prefix="simulation-") as folder:
            _use(Desk(Path(folder)), _LIKE[0])
            with os.fdopen(write_end, "w") as pipe:
                json.dump([*sys.modules], pipe)
        os._exit(0)
    os.close(write_end)
    with os.fdopen(read_end) as pipe:
        for name in (*json.load(pipe), *_OF_A_CHROMA_SERVER):
            with suppress(ImportError):
                import_module(name)
    os.wait()


def _warm_up(folder: Path, migrated: Path) -> None:
    """Fills what is made once a process: compiled statements of an engine without connections, types, word lists.

    migrated: where a data folder is kept that was opened once.

    The real indexes would leave threads behind.
    """
    for module, name in _MADE_ONCE:
        vars(module)[name] = cache(vars(module)[name])
    vars(settings)["_checked"] = _kept_for_an_environment(vars(settings)["_checked"])
    of_chroma = vars(chroma_access)["Settings"]()
    vars(chroma_access)["Settings"] = lambda **given: of_chroma.model_copy(update=given)
    calculate_in_own_thread()
    with Services(settings.load_settings(folder / "data")) as services:
        services.library.bases.all()
    shutil.copytree(folder / "data", migrated)
    for name in _LIKE:  # on an empty folder, and on one that was used
        vectors = FakeChunkIndex()
        vectors.total = 1  # still to be made: words alone are searched
        desk = Desk(folder, chunk_index=vectors, lexical_index=FakeLexicalIndex())
        _use(desk, name)
        desk.close()
    httpx.Client().close()
    gc.collect()
    gc.freeze()  # or each fork would copy what its collections only look at


def _kept_for_an_environment(
    checked: Callable[[Mapping[str, str]], settings.Settings],
) -> Callable[[Mapping[str, str]], settings.Settings]:
    kept: dict[object, settings.Settings] = {}

    def found(values: Mapping[str, str]) -> settings.Settings:
        given = (frozenset(values.items()), frozenset(os.environ.items()))
        if given not in kept:
            kept[given] = checked(values)
        return kept[given]

    return found


def _use(desk: Desk, name: str) -> None:
    """Every action once."""
    desk.start()
    other = name.replace("nal", "nol")
    for kind, each in (("add", name), ("bring_in", other)):
        desk.do(Action(kind, each))
        desk.read()
        desk.whole.learn(amended=False)
        desk.do(Action("amend", each))
        desk.whole.learn(amended=True)
        desk.do(Action("delete", each))
    desk.do(Action("restore", other))
    desk.do(Action("replace", name, other))
    for kind in EDITS:
        edit = f"{kind} {name}"
        desk.do(Action(kind, edit, name if kind in ABOUT_ANOTHER else ""))
        desk.do(Action("undo", edit))
        desk.do(Action("redo", edit))
    for kind in _ABOUT_A_NAME:
        desk.do(Action(kind, name))
    for kind in _ABOUT_ALL:
        desk.do(Action(kind))
    desk.look([name])
    desk.do(Action("delete", name))  # the next one is to be alone


if __name__ == "__main__":
    if _HASHES not in os.environ:  # is read when Python starts
        os.execve(
            sys.executable, [sys.executable, "-m", "tests.simulation", *sys.argv[1:]], os.environ | {_HASHES: "0"}
        )
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))  # leaves no folder and no Postgres behind
    sys.exit(main(int(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:]))
