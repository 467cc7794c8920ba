"""Messages as lines of JSON: one line each, whatever they hold."""

import json
import logging
import sys

from core.app.logs import Once, formatter


def record(message: str, *arguments: object, error: bool = False) -> logging.LogRecord:
    raised = None
    try:
        raise ValueError("two\nlines")
    except ValueError:
        raised = sys.exc_info() if error else None
    return logging.LogRecord("core.documents", logging.WARNING, __file__, 1, message, arguments, raised)


def test_a_message_is_one_line_that_programs_can_read() -> None:
    line = formatter("json").format(record('%s said "潮汐"\nand left', "Ann"))
    assert "\n" not in line
    found = json.loads(line)
    assert (found["level"], found["logger"], found["message"]) == (
        "WARNING",
        "core.documents",
        'Ann said "潮汐"\nand left',
    )
    assert found["time"].endswith("+00:00")


def test_an_error_is_in_the_line_with_its_trace() -> None:
    line = formatter("json").format(record("it failed", error=True))
    assert "\n" not in line
    assert json.loads(line)["exception"].splitlines()[0] == "Traceback (most recent call last):"


def test_text_is_for_people() -> None:
    assert formatter("text").format(record("it failed")).endswith("WARNING core.documents: it failed")


def test_a_message_that_comes_again_and_again_is_said_once_in_a_while() -> None:
    now = [0.0]
    once = Once(60.0, lambda: now[0])
    assert [once.filter(record("%s is away", name)) for name in ("A", "A", "B", "A")] == [True, False, True, False]
    now[0] = 61.0
    assert once.filter(record("A is away"))
