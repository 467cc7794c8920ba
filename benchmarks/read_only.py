"""`python -m benchmarks read_only`: what every page says where the data folder cannot be written to.

The folder is mounted read-only for the app alone, in a namespace of its own, which also holds for root.
"""

import asyncio
import os
import shutil
import subprocess
import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from streamlit.proto.BackMsg_pb2 import BackMsg
from streamlit.proto.ClientState_pb2 import ClientState
from streamlit.proto.ForwardMsg_pb2 import ForwardMsg

from benchmarks.output import say
from benchmarks.page_client import CONTEXT, Visitor
from benchmarks.served_app import ROOT, Served, free_port, until_it_answers
from core.app.services import Services
from core.platform.settings.settings import load_settings

PAGES = ("", "graph", "documents", "memory", "runs", "settings")
SECONDS = 120.0


def main(data: Path) -> None:
    del data
    if not shutil.which("unshare") or subprocess.run(["unshare", "-rm", "true"], check=False).returncode:
        say("This machine has no file systems of a process's own: not measured.\n")
        return
    with TemporaryDirectory() as folder:
        with Services(load_settings(Path(folder))) as services:
            services.library.bases.create("Tides")
        port = free_port()
        app = f"{sys.executable} -m streamlit run app.py --server.port {port} --server.headless true"
        steps = f"mount --bind {folder} {folder} && mount -o remount,ro,bind {folder} && exec {app}"
        environment = {**os.environ, "GRAPHTALK_DATA": folder}
        process = subprocess.Popen(
            ["unshare", "-rm", "sh", "-c", steps],
            cwd=ROOT,
            env=environment,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        try:
            until_it_answers(port, process)
            asyncio.run(_pages(Served(port, process.pid)))
        finally:
            process.terminate()
            process.wait(30)


async def _pages(app: Served) -> None:
    for page in PAGES:
        async with Visitor(app) as visitor:
            said, failed = await _said(visitor, page)
        say(f"- {page or 'chat'}: {'a traceback; ' if failed else ''}{' / '.join(said)}\n")


async def _said(visitor: Visitor, page: str) -> tuple[list[str], bool]:
    """The messages on the page, and whether there is a traceback."""
    assert visitor._connection
    asked = BackMsg(rerun_script=ClientState(page_name=page, context_info=CONTEXT))
    await visitor._connection.send(asked.SerializeToString())
    said: list[str] = []
    failed = drawn = False
    while True:
        message = ForwardMsg.FromString(await asyncio.wait_for(visitor._connection.recv(decode=False), SECONDS))
        kind = message.WhichOneof("type")
        if kind == "delta":
            drawn, element = True, message.delta.new_element
            failed |= element.WhichOneof("type") == "exception"
            said += [element.alert.body] if element.WhichOneof("type") == "alert" else []
        if drawn and kind == "script_finished":
            return said, failed


if __name__ == "__main__":
    main(Path())
