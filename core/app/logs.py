"""How messages are logged: as text for people, or as a line of JSON each for programs that collect them."""

import json
import logging
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


def formatter(kind: Literal["text", "json"]) -> logging.Formatter:
    return JsonLines() if kind == "json" else logging.Formatter(_TEXT)


def log_to_standard_error(kind: Literal["text", "json"]) -> None:
    """Of the app; for text, what the libraries set up stays as it is."""
    if kind == "text":
        return
    handler = logging.StreamHandler()
    handler.setFormatter(formatter(kind))
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    for name in ("streamlit", "uvicorn", "uvicorn.error"):
        logger = logging.getLogger(name)
        logger.handlers.clear()
        logger.propagate = True
