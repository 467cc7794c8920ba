"""`python -m benchmarks.hour [TURNS]`: a person at work for an hour in a browser; nothing may be lost or doubled.

Questions in all workflows, 8 documents, reloads, two tabs with their own chats and with the same one, stops, edits,
forks, steps that are changed and run on from, shorter answers, deleted and restored conversations, the arena, and a
batch of questions as an evaluation. At the end the database is compared with what was done.
"""

import re
import shutil
import sys
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import cycle, islice
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import Page, sync_playwright
from sqlalchemy import func, select

from benchmarks.served_app import Served, serving
from core.agents.workflows.registry import workflows
from core.platform.sql.conversation_tables import runs, threads
from core.platform.sql.engine import open_engine, reading
from core.platform.texts import text
from core.runs.events import END_EVENTS
from core.runs.model import RunPurpose, RunStatus
from core.runs.store.run_log import SqlRunLog

CHROMIUM = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
TURNS, BATCH = 60, 50
SLOW = 180_000
"""Milliseconds, on busy cores."""
IN_A_THREAD = 6
"""Questions, before a new conversation begins."""
ASKED = (
    "How often is each buoy calibrated?",
    "What is KelpNet?",
    "hello",
    "谁是站长？",
    "How are KelpNet and SeaLoom related?",
    "What is the capital of France?",
    "When was the station founded?",
    "红色预警由谁批准发布？",
    "What are these documents about?",
    "How high is the spring tide at Gannet Point 3?",
)


@dataclass
class Done:
    """What the person did, to be found again in the database."""

    asked: int = 0
    copied: int = 0
    """Runs that forks copied."""
    compared: int = 0
    evaluated: int = 0
    deeds: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)


def main(data: Path, turns: int = 0) -> None:
    del data
    turns = turns or TURNS
    if not CHROMIUM:
        _say("Skipped: Chromium is not installed.\n")
        return
    began = time.monotonic()
    with TemporaryDirectory() as name, sync_playwright() as playwright:
        folder = Path(name)
        with serving(folder / "data") as app:
            browser = playwright.chromium.launch(executable_path=CHROMIUM, args=["--no-sandbox", "--disable-gpu"])
            context = browser.new_context(viewport={"width": 1440, "height": 900}, locale="en-GB")
            done = Done()
            first, second = (_listened(context.new_page(), done) for _ in range(2))
            memory = _work(first, second, app, done, turns, folder)
            browser.close()
        found = _checked(folder / "data", done)
    _say(f"{turns} turns in {(time.monotonic() - began) / 60:.0f} minutes: {dict(done.deeds)}\n")
    _say("\n| after | resident, MB |\n|---|---|\n" + "".join(f"| {at} | {size:.0f} |\n" for at, size in memory))
    _say("\n" + "".join(f"- {line}\n" for line in [*found, *done.faults]) if found or done.faults else "\nNo fault.\n")


def _listened(page: "Page", done: Done) -> "Page":
    page.set_default_timeout(SLOW)
    page.on("console", lambda said: done.faults.append(f"console: {said.text}") if said.type == "error" else None)
    page.on("pageerror", lambda error: done.faults.append(f"script: {error}"))
    return page


def _work(first: "Page", second: "Page", app: Served, done: Done, turns: int, folder: Path) -> list[tuple[str, float]]:
    _documents(first, app, folder)
    memory = [("8 documents", app.megabytes())]
    deeds: list[Callable[[Page, Done], None]] = [_reload, _edit, _continue, _fork, _delete_and_undo, _stop, _shorter]
    for turn, (question, workflow) in enumerate(islice(zip(cycle(ASKED), cycle(workflows()), strict=False), turns)):
        if turn % IN_A_THREAD == 0:
            first.goto(app.address)
            first.get_by_role("button", name="New chat").click()
        _choose(first, workflow)
        _ask(first, question, done)
        if turn % 10 == 9:
            _second_tab(second, app, question, done)
            _same_chat_twice(first, second, done)
        if turn % 2:
            deeds[(turn // 2) % len(deeds)](first, done)
        if turn + 1 in (turns // 3, 2 * turns // 3, turns):
            memory.append((f"{turn + 1} turns", app.megabytes()))
    _arena(first, app, done)
    _batch(first, app, done, folder, min(BATCH, turns))
    memory.append(("arena and batch", app.megabytes()))
    return memory


def _documents(page: "Page", app: Served, folder: Path) -> None:
    """The sample of four, and four more in it."""
    page.goto(app.address)
    page.get_by_role("button", name="Load the sample").click()
    _eventually(page, lambda: not page.get_by_role("button", name="Load the sample").count())  # the click has arrived
    page.get_by_role("link", name="Documents", exact=True).click()
    _eventually(page, lambda: page.get_by_text("Ready", exact=True).count() == 4)
    for number in range(4):
        words = f"# Tide tables {number}\n\nThe spring tide at Gannet Point {number} is {number + 3}.2 metres high.\n"
        (folder / f"tide-{number}.md").write_text(words, "utf-8")
    page.locator("input[type=file]").first.set_input_files([folder / f"tide-{number}.md" for number in range(4)])
    page.get_by_role("button", name="Into the sample").click()
    _eventually(page, lambda: page.get_by_text("Ready", exact=True).count() == 8)


def _choose(page: "Page", workflow: str) -> None:
    page.locator(".st-key-workflow button").first.click()
    title = text(workflows()[workflow].title)
    page.locator(".st-key-workflow-choice label", has_text=re.compile(f"^{re.escape(title)}")).first.click()
    page.keyboard.press("Escape")
    page.locator(".st-key-workflow button", has_text=title).first.wait_for()


def _turns(page: "Page") -> int:
    """Those that the server has drawn: what was just sent stands below the last one at once, before it is asked."""
    return page.locator(".gt-live.turn [data-part=question] .gt-question").count()


def _ask(page: "Page", question: str, done: Done) -> None:
    before = _turns(page)
    field = page.get_by_test_id("stChatInputTextArea")
    _eventually(page, field.is_enabled)
    field.fill(question)
    field.press("Enter")
    done.asked += 1
    _eventually(page, lambda: _turns(page) == before + 1)
    _answered(page)


def _answered(page: "Page") -> None:
    """The run is over: its turn has actions."""
    _eventually(page, lambda: page.locator(".gt-live.turn").last.locator(".gt-actions").count() == 1)


def _reload(page: "Page", done: Done) -> None:
    before = _turns(page)
    page.reload()
    _eventually(page, lambda: _turns(page) == before)
    _answered(page)
    done.deeds["reload"] += 1


def _edit(page: "Page", done: Done) -> None:
    turn = page.locator(".gt-live.turn").last
    turn.hover()
    turn.locator(".gt-edit summary").click()
    turn.locator(".gt-edit textarea").fill("When was the station founded, and by whom?")
    turn.locator("[data-event=edit]").click()
    done.asked += 1
    page.get_by_role("heading", name="When was the station founded, and by whom?").last.wait_for()
    _answered(page)
    done.deeds["edit"] += 1


def _continue(page: "Page", done: Done) -> None:
    """From the last step that offers it, as it was."""
    changes = page.locator(".gt-live.run .gt-change")
    if not changes.count():
        return
    steps = page.locator(".gt-live.run .gt-step", has=page.locator(".gt-change"))
    steps.evaluate_all("steps => steps.forEach(step => (step.open = true))")  # also those that are folded together
    changes.first.locator("summary").click()
    before = _versions(page)
    changes.first.locator("[data-event=continue]").click()
    done.asked += 1
    _eventually(page, lambda: _versions(page) != before)
    _answered(page)
    done.deeds["go on from a step"] += 1


def _versions(page: "Page") -> str:
    return " ".join(page.locator(".gt-live.turn").last.locator(".gt-facts .gt-arrows").all_inner_texts())


def _fork(page: "Page", done: Done) -> None:
    before, address = _turns(page), page.url
    turn = page.locator(".gt-live.turn").last
    turn.locator(".gt-overflow > summary").click()
    turn.locator("[data-event=fork]").click()
    _eventually(page, lambda: page.url != address)
    _eventually(page, lambda: _turns(page) == before)
    done.copied += before
    _answered(page)
    done.deeds["fork"] += 1


def _delete_and_undo(page: "Page", done: Done) -> None:
    before = _turns(page)
    page.locator("[class*=st-key-menu-] button").first.click()
    page.get_by_text("Delete", exact=True).last.click()
    page.locator(".st-key-undo-delete button").click()
    _eventually(page, lambda: _turns(page) == before)
    _answered(page)
    done.deeds["delete and undo"] += 1


def _stop(page: "Page", done: Done) -> None:
    """Where the answer is not there first."""
    before = _turns(page)
    field = page.get_by_test_id("stChatInputTextArea")
    field.fill("How are KelpNet, SeaLoom, Lena Vogt and Gannet Point related?")
    field.press("Enter")
    done.asked += 1
    page.keyboard.press("Escape")
    _eventually(page, lambda: _turns(page) == before + 1)
    _answered(page)
    done.deeds["stop"] += 1


def _shorter(page: "Page", done: Done) -> None:
    """The last answer again in another form, beside the first."""
    before = _versions(page)
    page.locator(".gt-live.turn").last.locator("select[data-event=retry]").select_option("length:shorter")
    done.asked += 1
    _eventually(page, lambda: _versions(page) != before)
    _answered(page)
    done.deeds["shorter"] += 1


def _same_chat_twice(first: "Page", second: "Page", done: Done) -> None:
    """A question asked in one tab stands in the other, which has the same conversation open, after a reload."""
    second.goto(first.url)
    there = _turns(first)
    _eventually(second, lambda: _turns(second) == there)
    _ask(second, "Which ship looks after the buoys?", done)
    first.reload()
    _eventually(first, lambda: _turns(first) == there + 1)
    _answered(first)
    done.deeds["same chat in two tabs"] += 1


def _second_tab(page: "Page", app: Served, question: str, done: Done) -> None:
    page.goto(app.address)
    page.get_by_role("button", name="New chat").click()
    _eventually(page, lambda: _turns(page) == 0)
    _ask(page, question, done)
    done.deeds["second tab"] += 1


def _arena(page: "Page", app: Served, done: Done) -> None:
    page.goto(f"{app.address}/runs?view=arena")
    page.locator(".st-key-arena-question textarea").fill(ASKED[0])
    page.get_by_role("button", name="Ask all of them").click()
    page.locator("[class*=st-key-arena-vote-]").wait_for()
    done.compared += 2
    done.deeds["arena"] += 1


def _batch(page: "Page", app: Served, done: Done, folder: Path, size: int) -> None:
    rows = "\n".join(f'"{number}. {question}"' for number, question in enumerate(islice(cycle(ASKED), size)))
    (folder / "batch.csv").write_text(f"question\n{rows}\n", "utf-8")
    page.goto(f"{app.address}/runs?view=evaluation")
    page.locator(".st-key-evaluation-add summary").click()
    page.locator(".st-key-evaluation-add input[type=file]").set_input_files(folder / "batch.csv")
    page.locator(".st-key-evaluation-bar").get_by_role("button", name="Start").click()
    page.locator(".st-key-evaluation-export").wait_for()  # a short one is over before its progress is seen
    _eventually(page, lambda: not page.get_by_text(re.compile(f"of {size} questions")).count())
    done.evaluated += size
    done.deeds["batch"] += 1


def _eventually(page: "Page", holds: Callable[[], bool]) -> None:
    deadline = time.monotonic() + SLOW / 1000
    while not holds():
        if time.monotonic() > deadline:
            raise TimeoutError(f"it never came: {page.url}\n{page.locator('body').inner_text()[-2_000:]}")
        page.wait_for_timeout(100)


def _checked(data: Path, done: Done) -> list[str]:
    """What is lost, doubled or still under way."""
    engine = open_engine(f"sqlite:///{data / 'graphtalk.sqlite'}")
    log, faults = SqlRunLog(engine), []
    wanted = {
        RunPurpose.CHAT: done.asked + done.copied,
        RunPurpose.ARENA: done.compared,
        RunPurpose.EVALUATION: done.evaluated,
    }
    with reading(engine) as connection:
        for purpose, count in wanted.items():
            found = connection.execute(select(runs.c.id).where(runs.c.purpose == purpose.value)).scalars().all()
            if len(found) != count:
                faults.append(f"{count} runs for {purpose} were begun, {len(found)} are there")
        every = connection.execute(select(runs.c.id, runs.c.status)).all()
        if connection.execute(select(func.count()).where(threads.c.deleted_at.is_not(None))).scalar():
            faults.append("a conversation stayed deleted")
    for run_id, status in every:
        ends = [event for _, event in log.events(run_id, 0) if isinstance(event, END_EVENTS)]
        if status == RunStatus.RUNNING or len(ends) != 1:
            faults.append(f"the run {run_id} is {status} and ended {len(ends)} times")
    engine.dispose()
    return faults


def _say(line: str) -> None:
    sys.stdout.write(line)


if __name__ == "__main__":
    main(Path(), int(sys.argv[1]) if len(sys.argv) > 1 else TURNS)
