"""One seed: processes that begin, do something and end in some way, one after the other, on one data folder."""

import faulthandler
import json
import os
import select
import shutil
import signal
import time
import traceback
from argparse import Namespace
from collections.abc import Callable, Collection, Iterator
from contextlib import redirect_stdout
from dataclasses import asdict, dataclass, field
from functools import partial
from io import StringIO
from pathlib import Path
from random import Random
from typing import Any

from core.interfaces.cli.backups import restore
from core.platform.errors import AppError, attempted
from core.platform.settings.settings import load_settings
from tests.simulation.desk import Action, Desk
from tests.simulation.expected import ADDING, THERE, Expected
from tests.simulation.faults import DAMAGING, LEAVING, OF_A_SERVER, OF_VECTORS, TOLD, Fault, FaultKind
from tests.simulation.surroundings import Companion, surrounded
from tests.store.postgres import wait_for_postgres

OF_COMPANION = ("remember", "add", "ask", "relate")
"""What it makes."""
PROCESSES = 6
MOST_ACTIONS = 9
SECONDS = int(os.environ.get("GRAPHTALK_SIMULATION_SECONDS", "240"))
"""For which a process may run; a wait that does not end is a broken invariant. More where others take the processor."""


@dataclass(frozen=True, slots=True)
class Plan:
    """Of one process."""

    actions: list[Action]
    fault: Fault
    early: bool
    """Whether the fault may happen from its start on."""
    of_companion: list[Action]
    looks_often: bool
    """Whether all is looked at after each action, which leaves nothing waiting for the next one."""
    is_behind: bool
    """Whether the indexes may be damaged, or not those of SQL, of which a search tells until they are rebuilt."""


@dataclass
class Simulation:
    seed: int
    folder: Path
    on_server: bool = False
    """Whether DATABASE_URL names the database, an empty one of a Postgres that may be killed."""
    migrated: Path | None = None
    """A data folder that was opened once, of which a copy is used first unless the first process may fail at once."""
    problems: list[str] = field(default_factory=list)
    log: list[str] = field(default_factory=list)
    expected: Expected = field(default_factory=Expected)
    backed_up: Expected | None = None
    is_behind: bool = False
    """Whether the indexes may be damaged, or not those of SQL, of which a search tells until they are rebuilt."""

    def run(self) -> list[str]:
        """What was found to be wrong, after the first process that found something."""
        random = Random(self.seed)
        for number in range(PROCESSES):
            if self.backed_up and random.random() < 0.15:
                self._restore()
            actions = self._actions(random)
            fault = Fault.drawn(random, self.on_server) if number < PROCESSES - 1 else Fault(FaultKind.NONE, 0)
            early = random.random() < 0.25
            self.log.append(f"process {number}: {fault.kind} at {fault.moment}{' from its start' * early}")
            if self.migrated and not (early or number or self.on_server):
                shutil.copytree(self.migrated, self.folder / "data")
            self._process(actions, fault, early, random.random())
            if self.problems:
                break
        return self.problems

    def _actions(self, random: Random) -> list[Action]:
        """Drawn as if all went well."""
        planned, kept = [], self.expected
        self.expected = kept.copy()
        for _ in range(random.randrange(1, MOST_ACTIONS)):
            action = self.expected.draw(random)
            if action and not (self.on_server and action.kind == "back_up"):  # its own programs do that
                planned.append(action)
                self.expected.done(action)
        self.expected = kept
        return planned

    def _process(self, actions: list[Action], fault: Fault, early: bool, chance: float) -> None:
        self.is_behind |= fault.kind in DAMAGING
        read_end, write_end = os.pipe()
        of_companion = self._of_companion(actions) if fault.kind is FaultKind.COMPANION else []
        if fault.kind in OF_A_SERVER | {FaultKind.COMPANION}:  # what is deleted meanwhile may stay in the indexes
            self.expected.left_in_indexes = None
        child = os.fork()
        if child == 0:
            os.close(read_end)
            plan = Plan(actions, fault, early, of_companion, self.seed % 3 == 0, self.is_behind)
            os._exit(_live(self.folder, self._names(), plan, Random(chance), write_end))
        os.close(write_end)
        for line in _lines(read_end, child):
            self.log.append(json.dumps(line, ensure_ascii=False)[:400])
            self._heard(line, fault)
        if fault.kind is FaultKind.DATABASE_RESTARTED:
            wait_for_postgres(os.environ["DATABASE_URL"])
        if fault.kind in LEAVING:
            self.expected.left_in_indexes = None
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        if status and not (status == -signal.SIGKILL and fault.ends_process) and not self.problems:
            self.problems.append(f"the process ended with {status}")

    def _of_companion(self, others: Collection[Action]) -> list[Action]:
        """Also deletes a document that the first process leaves alone."""
        taken = {name for each in others for name in (each.name, each.other)}
        spared = [name for name in self.expected.names_in("documents", THERE) if name not in taken]
        made = [Action(kind, self.expected.given.name()) for kind in OF_COMPANION]
        return [*made, *(Action("delete", name) for name in spared[:1])]

    def _heard(self, line: dict[str, Any], fault: Fault) -> None:
        what = line["what"]
        if what == "seen":
            self.problems += self.expected.check(line["seen"])
            self.is_behind &= not self.expected.has_base
        elif what == "error":
            if not (line["known"] and (self.is_behind or fault.kind in TOLD)):
                self.problems.append(line["text"])
        elif what == "hang":
            self.problems.append("a process did not end")
        else:
            action = Action(line["kind"], line["name"], line["other"])
            getattr(self.expected, what)(action)
            if action.kind == "back_up":
                is_sure = what == "done" and fault.kind is not FaultKind.COMPANION  # which adds something meanwhile
                self.backed_up = self.expected.copy() if is_sure else None

    def _names(self) -> list[str]:
        return list(self.expected.documents)

    def _restore(self) -> None:
        """On another folder, with which everything goes on."""
        assert self.backed_up
        other = self.folder.with_name(f"{self.folder.name}-r")
        shutil.rmtree(other, ignore_errors=True)
        (other / "data").mkdir(parents=True)
        backup = self.folder / "backup.zip"
        child = os.fork()
        if child == 0:
            with redirect_stdout(StringIO()):
                restore(load_settings(other / "data"), Namespace(file=backup))
            os._exit(0)
        if os.waitpid(child, 0)[1]:
            self.problems.append("the backup could not be restored")
        shutil.copy(backup, other / "backup.zip")
        shutil.rmtree(self.folder)
        other.rename(self.folder)
        self.expected = self.backed_up.copy()
        self.is_behind = False
        self.log.append("restored from the backup")


def _live(folder: Path, names: list[str], plan: Plan, random: Random, pipe: int) -> int:
    """A whole process; its exit status. SIGUSR1 makes it write where its threads are."""
    faulthandler.register(signal.SIGUSR1)
    actions, fault, early = plan.actions, plan.fault, plan.early
    full = fault.kind is FaultKind.FULL_DISK

    def tell(what: str, **more: Any) -> None:
        os.write(pipe, (json.dumps({"what": what, **more}) + "\n").encode())

    def tell_error(error: Exception, doing: str) -> None:
        trace = "" if isinstance(error, AppError) else "".join(traceback.format_exception(error))[-1500:]
        tell("error", known=full or isinstance(error, AppError), text=f"{doing}: {error} {trace}")

    adding = (action.name for action in (*actions, *plan.of_companion) if action.kind in ADDING)
    all_names = {*names, *adding}

    def look(desk: Desk, about: Collection[str] = all_names) -> None:
        tell("seen", seen=desk.look(about))

    def act(desk: Desk) -> None:
        for action in actions:
            fault.before_action(random)
            tell("begun", **asdict(action))
            done = attempted(partial(desk.do, action))
            if isinstance(done, Exception):
                tell_error(done, str(action))
            else:
                tell("done", **asdict(action))
            if plan.looks_often and fault.kind not in TOLD | {FaultKind.COMPANION}:
                desk.read()
                look(desk, all_names & {action.name, action.other})

    def whole(end_surroundings: Callable[[], None]) -> None:
        if early:
            fault.arm(random, folder / "data")
        desk = Desk(folder)
        desk.start()
        if fault.kind in OF_VECTORS and isinstance(found := attempted(partial(look, desk)), Exception):
            tell_error(found, "look")
        if (fault.kind in OF_VECTORS or plan.is_behind) and fault.kind is not FaultKind.VECTORS_AWAY:
            desk.rebuild_lost()
        if not early and fault.kind not in (FaultKind.VECTORS_AWAY, FaultKind.COMPANION):
            look(desk)
        if not early:
            fault.arm(random, folder / "data")
        act(desk)
        if fault.kind in OF_A_SERVER:
            desk.outlast()
        if fault.kind is FaultKind.COMPANION:
            end_surroundings()
            desk.start()
        if fault.is_survived:
            desk.read()
            look(desk)
            desk.close()

    companion = Companion(
        plan.of_companion,
        lambda what, action: tell(what, **asdict(action)),
        lambda error: tell_error(error, "second process"),
    )
    with surrounded(fault.kind, folder, random, companion) as end_surroundings:
        if isinstance(error := attempted(partial(whole, end_surroundings)), Exception):
            tell_error(error, "start or end")
    return 0


def _lines(pipe: int, child: int) -> Iterator[dict[str, Any]]:
    """Until the process has ended; one that does not end is killed."""
    buffer, until = b"", time.monotonic() + SECONDS
    while select.select([pipe], [], [], max(0.0, until - time.monotonic()))[0]:
        if not (piece := os.read(pipe, 1 << 16)):
            break
        *lines, buffer = (buffer + piece).split(b"\n")
        yield from map(json.loads, lines)
    else:
        os.kill(child, signal.SIGUSR1)
        time.sleep(1)
        os.kill(child, signal.SIGKILL)
        yield {"what": "hang"}
    os.close(pipe)
