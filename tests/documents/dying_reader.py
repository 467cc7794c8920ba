"""The child process for plain text, which a file ends that says "Dies TIMES times by SIGNAL"."""

import os
import re
import signal
import sys
import time
from collections.abc import Mapping
from pathlib import Path
from typing import Any, TextIO

from core.documents.parsing.docvortex import process

_ORDER = re.compile(r"Dies (\d+) times by (SIG[A-Z]+)")
_answer = process._answer


def _die_or_answer(request: Mapping[str, Any], channel: TextIO) -> int:
    for path in (each[0] for each in request.get("files", [request.get("arguments")])):
        order, deaths = _ORDER.search(Path(path).read_text()), Path(f"{path}.deaths")
        died = deaths.stat().st_size if deaths.exists() else 0
        if order and died < int(order[1]):
            deaths.write_text("x" * (died + 1))
            os.kill(os.getpid(), getattr(signal, order[2]))
            time.sleep(60)
    return _answer(request, channel)


if __name__ == "__main__":
    process._answer = _die_or_answer
    sys.exit(process.main([]))
