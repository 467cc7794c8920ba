"""The wheel, installed beside other packages called `core` and `pages`, and used from a folder without a repository."""

import json
import os
import socket
import subprocess
import sys
import sysconfig
import time
import urllib.request
import zipfile
from collections.abc import Iterator
from pathlib import Path

import pytest
from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg
from websockets.sync.client import connect

ROOT = Path(__file__).parents[2]
SITE = Path(sysconfig.get_paths()["purelib"])
FOREIGN = "raise ImportError('a package of somebody else')\n"
MOVED = {"core/interfaces/cli/launcher.py": "__init__.py", "core/py.typed": "py.typed"}
START_SECONDS = 150
pytestmark = pytest.mark.skipif(os.name == "nt", reason="the environment is laid out for POSIX")


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("wheel")
    options = ["--quiet", "--no-deps", "--no-index", "--no-build-isolation", "--wheel-dir", str(folder)]
    subprocess.run([sys.executable, "-m", "pip", "wheel", *options, str(ROOT)], check=True, timeout=100)
    (built,) = folder.glob("*.whl")
    return built


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with the wheel; its dependencies are those of this environment."""
    folder = tmp_path_factory.mktemp("installed") / "venv"
    subprocess.run([sys.executable, "-m", "venv", "--without-pip", str(folder)], check=True, timeout=60)
    (site,) = folder.glob("lib/python*/site-packages")
    options = ["--quiet", "--no-deps", "--no-index", str(wheel)]
    pip = [sys.executable, "-m", "pip", "--python", str(folder / "bin" / "python"), "install"]
    subprocess.run([*pip, *options], check=True, timeout=60)
    (site / "dependencies.pth").write_text(f"{SITE}\n", encoding="utf-8")
    foreign(site)
    return folder


@pytest.fixture(scope="module")
def empty(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The current folder of every command: it holds no more than packages that must not be taken for ours."""
    folder = tmp_path_factory.mktemp("empty")
    foreign(folder)
    return folder


def foreign(folder: Path) -> None:
    for name in ("core", "pages"):
        (folder / name).mkdir()
        (folder / name / "__init__.py").write_text(FOREIGN, encoding="utf-8")
    (folder / "app.py").write_text(FOREIGN, encoding="utf-8")


def environment() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "GRAPHTALK"))}


def graphtalk(installed: Path, empty: Path, *words: str) -> str:
    command = [str(installed / "bin" / "graphtalk"), *words]
    done = subprocess.run(
        command, cwd=empty, env=environment(), capture_output=True, text=True, timeout=110, check=False
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_it_adds_one_package_with_every_file_that_the_code_reads(wheel: Path) -> None:
    names = set(zipfile.ZipFile(wheel).namelist())
    assert {name.split("/")[0] for name in names} == {"graphtalk", "graphtalk-0.1.0.dist-info"}
    listed = subprocess.run(
        ["git", "ls-files", "app.py", "core", "pages", "assets", ".streamlit"],
        cwd=ROOT, capture_output=True, text=True, check=True,
    ).stdout.splitlines()  # fmt: skip
    left_out = {name for name in listed if name.startswith("assets/screenshots/")} | set(MOVED)
    assert {f"graphtalk/{name}" for name in set(listed) - left_out} - names == set()
    assert {f"graphtalk/{name}" for name in MOVED.values()} <= names


@pytest.mark.slow
def test_the_command_line_works_without_the_repository(installed: Path, empty: Path) -> None:
    assert "FAIL" not in graphtalk(installed, empty, "doctor")
    (samples,) = installed.glob("lib/python*/site-packages/graphtalk/assets/samples")
    said = json.loads(graphtalk(installed, empty, "ingest", str(samples), "--kb", "Sample", "--json"))
    assert {row["status"] for row in said["documents"]} == {"ready"}
    question = "How often is each buoy calibrated?"
    answer = json.loads(graphtalk(installed, empty, "ask", question, "--kb", "Sample", "--json"))
    assert "90 days" in answer["answer"]
    assert answer["citations"]
    assert (empty / "data" / "graphtalk.sqlite").is_file()


@pytest.fixture
def served(installed: Path, empty: Path, tmp_path: Path) -> Iterator[str]:
    """host:port of the app."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    command = [str(installed / "bin" / "graphtalk"), "--data", str(tmp_path), "serve", "--port", str(port)]
    with (tmp_path / "app.log").open("wb") as log:
        app = subprocess.Popen(command, cwd=empty, env=environment(), stdout=log, stderr=subprocess.STDOUT)
        try:
            wait_for(f"http://127.0.0.1:{port}/_stcore/health", app)
            yield f"127.0.0.1:{port}"
        finally:
            app.terminate()
            app.wait(60)


def wait_for(url: str, app: subprocess.Popen[bytes]) -> None:
    end = time.monotonic() + START_SECONDS
    while time.monotonic() < end and app.poll() is None:
        try:
            with urllib.request.urlopen(url, timeout=2):
                return
        except OSError:
            time.sleep(0.2)
    raise AssertionError(f"no answer at {url}; exit status {app.poll()}")


@pytest.mark.timeout(500)
def test_the_app_draws_its_first_page(served: str) -> None:
    drawn = first_page(served)
    assert any("Load the sample library" in str(message) for message in drawn)
    assert not any(message.delta.new_element.HasField("exception") for message in drawn)


def first_page(served: str) -> list[ForwardMsg]:
    """What a browser is sent until the script has ended."""
    ask = BackMsg()
    ask.rerun_script.query_string = ""
    messages: list[ForwardMsg] = []
    headers, url = {"Origin": f"http://{served}"}, f"ws://{served}/_stcore/stream"
    with connect(url, additional_headers=headers, max_size=None, open_timeout=START_SECONDS) as socket:
        socket.send(ask.SerializeToString())
        while not messages or messages[-1].WhichOneof("type") != "script_finished":
            data = socket.recv(timeout=START_SECONDS)
            assert isinstance(data, bytes)
            messages.append(ForwardMsg.FromString(data))
    return messages
