"""The child process for plain text: `python -m core.documents.parsing.docvortex.text_process`, one line of JSON a file.

As the parser's other child it is limited and ends with its parent; it goes on to the next file because text needs no
library that a file could leave in disorder.
"""

import json
import os
import queue
import signal
import sys
import threading
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from core.documents.parsing.docvortex.process import MEMORY_BYTES, read_into, read_several
from core.platform.processes.isolated_process import limit_process, lower_priority, open_channel

CPU_SECONDS = 3_600
"""For all files together; the child that comes after goes on."""
IDLE_SECONDS = 30.0


def main() -> int:
    channel = open_channel()
    limit_process(MEMORY_BYTES, CPU_SECONDS)
    lower_priority(5)
    asked: queue.SimpleQueue[str] = queue.SimpleQueue()
    threading.Thread(target=_listen, args=(asked,), name="parent watch", daemon=True).start()
    while True:
        try:
            request = json.loads(asked.get(timeout=IDLE_SECONDS))
        except queue.Empty:
            return 0
        if status := _answer(request, channel):
            return status


def _answer(request: Mapping[str, Any], channel: TextIO) -> int:
    if "files" in request:
        return read_several(request["files"], Path(request["result"]), channel)
    return read_into(request["arguments"], channel)


def _listen(asked: "queue.SimpleQueue[str]") -> None:
    """The end of the input is the parent's end, whatever is being read."""
    for line in sys.stdin:
        asked.put(line)
    if hasattr(os, "killpg"):
        os.killpg(0, signal.SIGKILL)
    os._exit(1)


if __name__ == "__main__":
    sys.exit(main())
