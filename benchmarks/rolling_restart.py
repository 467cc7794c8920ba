"""`python -m benchmarks.processes rolling [N]`: apps behind nginx are restarted one after the other under questions.

N times one of two apps gets SIGTERM, ends, and is started again; the other one is next when it is ready. Programs ask
all the time, and again after as long as they are told to wait. Every question must be answered, each once.
"""

import os
import signal
import threading
import time
from collections import Counter
from dataclasses import dataclass, field

import httpx2

from benchmarks.output import say_line
from benchmarks.processes import Place, installation
from core.app.services import Services
from core.people.api_keys import KeyScope
from core.runs.events import RunStarted
from core.runs.model import RunStatus
from core.runs.run_lists import RunFilter
from tests.processes.installation import free_port, wait_for
from tests.processes.proxy import nginx
from tests.processes.slow_model import SAID, Slowly
from tests.store.samples import publish

_BETWEEN = 1.5
"""Seconds between two questions."""
_PATIENCE = 90.0
"""Seconds for which a program asks again."""
_QUESTION = {"question": "How high is the tide at Gannet?"}


@dataclass
class Programs:
    """Each question is one of a program that keeps asking until it is taken."""

    address: str
    headers: dict[str, str]
    over: threading.Event = field(default_factory=threading.Event)
    taken: list[str] = field(default_factory=list)
    """Ids of the runs."""
    told: list[str] = field(default_factory=list)
    """Of those whose end came in the same stream."""
    refused: Counter[str] = field(default_factory=Counter)
    seconds: list[float] = field(default_factory=list)
    """From the first attempt until it was taken."""
    given_up: int = 0

    def ask(self) -> list[threading.Thread]:
        """Until it is over."""
        threads = []
        while not self.over.wait(_BETWEEN):
            threads.append(threading.Thread(target=self._ask, daemon=True))
            threads[-1].start()
        return threads

    def _ask(self) -> None:
        began = time.monotonic()
        while time.monotonic() - began < _PATIENCE:
            pause = self._attempt(began)
            if pause is None:
                return
            time.sleep(pause)
        self.given_up += 1

    def _attempt(self, began: float) -> float | None:
        """Seconds until another attempt; None if it was taken."""
        run_id = ""
        address = f"{self.address}/api/v1/ask"
        try:
            with httpx2.stream("POST", address, json=_QUESTION, headers=self.headers, timeout=120) as answer:
                run_id = answer.headers.get("X-Run-Id", "")
                if not run_id:
                    self.refused[f"status {answer.status_code}"] += 1
                    return float(answer.headers.get("Retry-After", 1))
                self.taken.append(run_id)
                self.seconds.append(time.monotonic() - began)
                if any(line == "event: RunFinished" for line in answer.iter_lines()):
                    self.told.append(run_id)
        except httpx2.HTTPError as error:
            self.refused[type(error).__name__] += not run_id
            return None if run_id else 1.0
        return None


def main(restarts: int) -> int:
    with installation(Slowly()) as place, place.made.services("here") as here:
        base = here.library.bases.create("Tides")
        publish(here.library, base, "gannet.md", SAID)
        key = here.storage.access.api_keys.make("bench", KeyScope.ADMIN)[1]
        ports = free_port(), free_port()
        for port in ports:
            place.made.start_app(port)
        wait_for(lambda: all(place.made.serves(port) for port in ports))
        with nginx(place.made.folder, ports) as front:
            headers = {"Authorization": f"Bearer {key}", "Accept": "text/event-stream"}
            programs = Programs(f"http://localhost:{front}", headers)
            threads: list[threading.Thread] = []
            asking = threading.Thread(target=lambda: threads.extend(programs.ask()))
            asking.start()
            took = [_restarted(place, ports[number % 2]) for number in range(restarts)]
            programs.over.set()
            asking.join()
            for thread in threads:
                thread.join(_PATIENCE)
        wait_for(lambda: not here.runs.running(), 200.0)
        say_line(f"{restarts} restarts, each {min(took):.0f} to {max(took):.0f} s until the app had ended")
        return _report(here, programs)


def _restarted(place: Place, port: int) -> float:
    """Seconds from SIGTERM until it had ended."""
    time.sleep(5.0)
    app, began = place.made.apps[port], time.monotonic()
    app.send_signal(signal.SIGTERM)
    app.wait(90)
    seconds = time.monotonic() - began
    place.made.start_app(port)
    wait_for(lambda: place.made.serves(port))
    return seconds


def _report(here: Services, programs: Programs) -> int:
    lines = list(here.storage.records.run_lists.lines(RunFilter()))
    begun = [sum(isinstance(event, RunStarted) for _, event in here.runs.events(line.id, 0)) for line in lines]
    ended, lost = Counter(line.status for line in lines), {*programs.taken} - {line.id for line in lines}
    say_line(f"questions {len(programs.taken)}, told to the end in one stream {len(programs.told)}: {dict(ended)}")
    say_line(f"refused first {dict(programs.refused)}; longest until it was taken {max(programs.seconds):.1f} s")
    say_line(f"given up {programs.given_up}, lost {len(lost)}, begun again {sum(number > 1 for number in begun)}")
    say_line(f"runs that no program knows of {len({line.id for line in lines} - {*programs.taken})}")
    say_line(f"load {os.getloadavg()[0]:.1f}")
    return 0 if set(ended) == {RunStatus.DONE} and not lost and not programs.given_up else 1
