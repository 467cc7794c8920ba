"""How messages are logged: as text for people, or as a line of JSON each for programs that collect them."""

import json
import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime
from typing import Literal

_TEXT = "%(asctime)s %(levelname)s %(name)s: %(message)s"


class JsonLines(logging.Formatter):
    def format(self, record: logging.LogRecord) -> str:
        found = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname,
            "logger": record.name,
            "message": record.getMessage(),
            "process": record.process,
        }
        if record.exc_info:
            found["exception"] = self.formatException(record.exc_info)
        return json.dumps(found, ensure_ascii=False)


class Once(logging.Filter):
    """Lets a message pass once in a while: where a database is away, many parts find that out every few seconds."""

    def __init__(self, seconds: float = 300.0, clock: Callable[[], float] = time.monotonic) -> None:
        super().__init__()
        self._seconds, self._clock = seconds, clock
        self._said: dict[tuple[str, str], float] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        now, said = self._clock(), (record.name, record.getMessage())
        if now - self._said.get(said, -self._seconds) < self._seconds:
            return False
        self._said = {each: at for each, at in self._said.items() if now - at < self._seconds} | {said: now}
        return True


def formatter(kind: Literal["text", "json"]) -> logging.Formatter:
    return JsonLines() if kind == "json" else logging.Formatter(_TEXT)


def log_to_standard_error(kind: Literal["text", "json"]) -> None:
    """Sets up logging of the app; for text, what the libraries set up stays unchanged."""
    if kind == "text":
        if logging.lastResort:
            logging.lastResort.addFilter(Once())
        return
    handler = logging.StreamHandler()
    handler.addFilter(Once())
    handler.setFormatter(formatter(kind))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in ("streamlit", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
