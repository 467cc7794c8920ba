"""`python -m benchmarks start`: how long the app takes to its first page, and its memory after a question."""

import os
import shutil
import socket
import subprocess
import sys
import time
import urllib.request
from pathlib import Path
from tempfile import TemporaryDirectory

from playwright.sync_api import sync_playwright

QUESTION = "Who leads KelpNet?"
WAIT_SECONDS = 180.0


def main(data: Path) -> None:
    del data
    with TemporaryDirectory() as temporary, socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        probe.close()
        environment = {name: value for name, value in os.environ.items() if not name.endswith(("_API_KEY", "_TOKEN"))}
        environment |= {"GRAPHTALK_DATA": temporary}
        started = time.monotonic()
        command = [sys.executable, "-m", "streamlit", "run", "app.py", "--server.port", str(port)]
        app = subprocess.Popen(command, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        try:
            _until_healthy(port)
            _say(f"started: {time.monotonic() - started:.1f} s, {_cpu_seconds(app.pid):.1f} s of processor")
            _in_browser(f"http://localhost:{port}", app.pid, started)
        finally:
            app.terminate()
            app.wait(20)


def _in_browser(url: str, pid: int, started: float) -> None:
    chromium = shutil.which("chromium") or shutil.which("google-chrome")
    if not chromium:
        _say("Chromium is missing: the first page and a question are not measured")
        return
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=chromium, args=["--no-sandbox", "--disable-gpu"])
        page = browser.new_page(viewport={"width": 1440, "height": 900}, locale="en-GB")
        page.set_default_timeout(WAIT_SECONDS * 1000)
        page.goto(url)
        page.get_by_role("button", name="Load the sample").first.wait_for()
        _say(f"first page: {time.monotonic() - started:.1f} s after the start, {_cpu_seconds(pid):.1f} s of processor")
        page.get_by_role("button", name="Load the sample").first.click()
        page.get_by_test_id("stChatInputTextArea").wait_for()
        time.sleep(60)  # the sample is taken in, the encoder is warm
        page.get_by_test_id("stChatInputTextArea").fill(QUESTION)
        page.keyboard.press("Enter")
        time.sleep(20)
        _say(
            f"app with the encoder, after a question: {_megabytes(pid, 'VmRSS')} MB, peak {_megabytes(pid, 'VmHWM')} MB"
        )
        browser.close()


def _until_healthy(port: int) -> None:
    until = time.monotonic() + WAIT_SECONDS
    while time.monotonic() < until:
        try:
            with urllib.request.urlopen(f"http://127.0.0.1:{port}/_stcore/health", timeout=2):
                return
        except OSError:
            time.sleep(0.05)
    raise TimeoutError("the app did not start")


def _cpu_seconds(pid: int) -> float:
    """Of the process alone."""
    fields = Path(f"/proc/{pid}/stat").read_text(encoding="ascii").rsplit(")", 1)[1].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


def _megabytes(pid: int, name: str) -> int:
    lines = Path(f"/proc/{pid}/status").read_text(encoding="ascii").splitlines()
    return int(next(line.split()[1] for line in lines if line.startswith(name))) // 1024


def _say(text: str) -> None:
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()
