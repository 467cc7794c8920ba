"""`python -m benchmarks many_people`: fifty people use one app at once, and nothing may fail or get lost.

For MINUTES, an environment variable; ten by default.

Four of them are real browsers, which upload, ask, click citations and open the graph; the others are real websocket
sessions, which open pages and ask as a browser does, without drawing: fifty Chromiums do not fit beside the app.
"""

import asyncio
import os
import random
import shutil
import time
from collections import Counter
from collections.abc import Callable, Coroutine
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.async_api import Browser, Page, async_playwright, expect
from playwright.async_api import Error as BrowserError
from streamlit.proto.Alert_pb2 import Alert
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.Element_pb2 import Element
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.exceptions import WebSocketException

from benchmarks.output import say
from benchmarks.page_client import CONTEXT, Visitor
from benchmarks.served_app import Served, serving
from core.app.services import Services
from core.documents.model import DocumentStatus
from core.platform.settings.settings import load_settings
from core.runs.model import RunStatus
from core.runs.run_lists import RunFilter

SESSIONS, BROWSERS = 46, 4
MINUTES = 10.0
PAUSE_SECONDS = (8.0, 22.0)
"""Between two things that a person does."""
PATIENCE_SECONDS = 90.0
SLOW = PATIENCE_SECONDS * 1000
PAGES = ("", "graph", "documents", "memory", "runs", "settings")
QUESTIONS = (
    "How often is each buoy calibrated?",
    "Who developed KelpNet?",
    "When was the station founded?",
    "红色预警由谁批准发布？",
    "What does the joint working group do?",
    "What is the capital of France?",
)
SAMPLE_SECONDS = 300.0


class Tally:
    """What happened, by kind; what went wrong, in words."""

    def __init__(self) -> None:
        self.done: Counter[str] = Counter()
        self.faults: list[str] = []
        self.waited: list[float] = []
        self.uploaded: list[str] = []


class Session(Visitor):
    """A visitor that reads what is drawn, and asks."""

    async def look(self, page: str) -> list[Element]:
        """Raises RuntimeError when the page shows a failure."""
        return await self._run(ClientState(page_name=page, context_info=CONTEXT))

    async def ask(self, question: str) -> None:
        field = next(each.chat_input for each in await self.look("") if each.WhichOneof("type") == "chat_input")
        if field.disabled:
            raise RuntimeError("there is no knowledge base to ask")
        state = ClientState(page_name="", context_info=CONTEXT)
        widget = state.widget_states.widgets.add()
        widget.id, widget.chat_input_value.data = field.id, question
        await self._run(state)

    async def _run(self, state: ClientState) -> list[Element]:
        assert self._connection
        await self._connection.send(BackMsg(rerun_script=state).SerializeToString())
        drawn: list[Element] = []
        while True:
            message = ForwardMsg.FromString(await self._connection.recv(decode=False))
            kind = message.WhichOneof("type")
            if kind == "delta":
                drawn.append(message.delta.new_element)
            if drawn and kind == "script_finished" and message.script_finished == ForwardMsg.FINISHED_SUCCESSFULLY:
                break
        for each in drawn:
            if each.WhichOneof("type") == "exception":
                raise RuntimeError(each.exception.message)
            if each.WhichOneof("type") == "alert" and each.alert.format == Alert.ERROR:
                raise RuntimeError(each.alert.body)
        return drawn


def main(data: Path) -> None:
    del data
    minutes = float(os.environ.get("MINUTES") or MINUTES)
    with TemporaryDirectory() as folder:
        _prepare(Path(folder))
        with serving(Path(folder)) as app:
            asyncio.run(_trial(app, Path(folder), minutes * 60))


def _prepare(folder: Path) -> None:
    with Services(load_settings(folder)) as services:
        services.lifecycle.load_sample()


async def _trial(app: Served, folder: Path, seconds: float) -> None:
    async with Session(app) as first:
        await first.look("")
    await asyncio.to_thread(_until_ready, folder)
    tally, end = Tally(), time.monotonic() + seconds
    memory: list[float] = []
    people: list[Coroutine[None, None, None]] = [_session(app, tally, end) for _ in range(SESSIONS)]
    people.append(_watch(app, memory, end))
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if chromium:
        async with async_playwright() as playwright:
            browser = await playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
            with TemporaryDirectory() as files:
                people += [_reader(browser, app, Path(files), number, tally, end) for number in range(BROWSERS)]
                await asyncio.gather(*people)
            await browser.close()
    else:
        say("Chromium is missing: nobody uploads or clicks\n")
        await asyncio.gather(*people)
    _report(tally, memory)
    await asyncio.to_thread(_kept, folder, tally)


def _until_ready(folder: Path) -> None:
    with Services(load_settings(folder)) as services:
        deadline = time.monotonic() + SAMPLE_SECONDS
        (base,) = services.library.bases.all()
        while {each.status for each in services.library.documents.of_base(base.id)} != {DocumentStatus.READY}:
            if time.monotonic() > deadline:
                raise RuntimeError("the documents were not read in time")
            time.sleep(1)


async def _session(app: Served, tally: Tally, end: float) -> None:
    """Comes, looks around and asks; now and then leaves and comes again."""
    chance = random.Random()
    await asyncio.sleep(chance.uniform(0, PAUSE_SECONDS[1]))
    while time.monotonic() < end:
        try:
            async with Session(app) as session:
                for _ in range(chance.randint(2, 8)):
                    if time.monotonic() > end:
                        return
                    asks = chance.random() < 0.25
                    began = time.perf_counter()
                    doing = session.ask(chance.choice(QUESTIONS)) if asks else session.look(chance.choice(PAGES))
                    await asyncio.wait_for(doing, PATIENCE_SECONDS)
                    tally.waited.append(time.perf_counter() - began)
                    tally.done["questions" if asks else "pages"] += 1
                    await asyncio.sleep(chance.uniform(*PAUSE_SECONDS))
                    if asks:
                        break  # the next question begins a conversation of its own
        except (RuntimeError, OSError, TimeoutError, WebSocketException) as error:
            tally.faults.append(f"session: {type(error).__name__} {error}"[:300])


async def _reader(browser: Browser, app: Served, files: Path, number: int, tally: Tally, end: float) -> None:
    """Uploads, asks, clicks a citation, opens the graph, in turn."""
    context = await browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-GB")
    page = await context.new_page()
    page.on("pageerror", lambda error: tally.faults.append(f"script: {error}"[:300]))
    page.set_default_timeout(SLOW)
    turn = 0
    while time.monotonic() < end:
        turn += 1
        try:
            await _upload(page, app, files, f"reader-{number}-{turn}", tally)
            await asyncio.sleep(PAUSE_SECONDS[0])
            await _ask(page, app, tally)
            await asyncio.sleep(PAUSE_SECONDS[0])
            await page.goto(f"{app.address}/graph")
            await expect(page.frame_locator("iframe").first.locator("canvas").first).to_be_visible(timeout=SLOW)
            tally.done["graphs"] += 1
            await asyncio.sleep(PAUSE_SECONDS[0])
        except (BrowserError, AssertionError) as error:
            tally.faults.append(f"browser: {str(error).splitlines()[0]}"[:300])
    await context.close()


async def _upload(page: Page, app: Served, files: Path, name: str, tally: Tally) -> None:
    file = files / f"{name}.md"
    await asyncio.to_thread(file.write_text, f"# {name}\n\nThe tide at {name} is 4.2 metres high.\n", "utf-8")
    await page.goto(f"{app.address}/documents")
    await page.locator("input[type=file]").set_input_files(file)
    await expect(page.get_by_text(file.name).first).to_be_visible(timeout=SLOW)
    tally.uploaded.append(file.name)
    tally.done["uploads"] += 1


async def _ask(page: Page, app: Served, tally: Tally) -> None:
    await page.goto(app.address)
    field = page.get_by_test_id("stChatInputTextArea")
    await expect(field).to_be_enabled(timeout=SLOW)
    began = time.perf_counter()
    await field.fill(QUESTIONS[0])
    await field.press("Enter")
    answer = page.locator(".gt-answer").last
    await expect(answer).to_contain_text("90 days", timeout=SLOW)
    tally.done["answers in a browser"] += 1
    tally.waited.append(time.perf_counter() - began)
    await answer.locator(".gt-cite").first.click()
    await expect(page.locator("dialog.gt-panel[open]")).to_contain_text("90 days", timeout=SLOW)
    tally.done["citations"] += 1


async def _watch(app: Served, memory: list[float], end: float) -> None:
    while time.monotonic() < end:
        memory.append(app.megabytes())
        await asyncio.sleep(20)
    memory.append(app.megabytes())


def _report(tally: Tally, memory: list[float]) -> None:
    say("| done | times |\n|---|---|\n")
    for name, count in sorted(tally.done.items()):
        say(f"| {name} | {count} |\n")
    waited = sorted(tally.waited) or [0.0]
    say(f"| waited, s: median, p95, longest | {waited[len(waited) // 2]:.2f}, ")
    say(f"{waited[int(len(waited) * 0.95)]:.2f}, {waited[-1]:.2f} |\n")
    say(f"| resident, MB, every 20 s | {', '.join(f'{each:.0f}' for each in memory)} |\n")
    say(f"| errors | {len(tally.faults)} |\n")
    for fault, count in Counter(tally.faults).most_common(20):
        say(f"- {count} x {fault}\n")


def _kept(folder: Path, tally: Tally) -> None:
    """What was asked and uploaded, as it stands afterwards; everything is given time to end."""
    asked = tally.done["questions"] + tally.done["answers in a browser"]
    with Services(load_settings(folder)) as services:
        _wait(lambda: not services.runs.running())
        found = list(services.storage.records.run_lists.lines(RunFilter()))
        whole = [line for line in found if line.status is RunStatus.DONE and services.runs.get(line.id).answer]
        (base,) = services.library.bases.all()
        _wait(lambda: all(each.ready_at for each in services.library.documents.of_base(base.id)))
        ready = {each.name for each in services.library.documents.of_base(base.id) if each.ready_at}
    say(f"| questions asked, in the log, with an answer | {asked}, {len(found)}, {len(whole)} |\n")
    lost = [name for name in tally.uploaded if name not in ready]
    say(f"| uploads, not ready | {len(tally.uploaded)}, {len(lost)} |\n")


def _wait(condition: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SAMPLE_SECONDS
    while not condition() and time.monotonic() < deadline:
        time.sleep(1)


if __name__ == "__main__":
    main(Path())
