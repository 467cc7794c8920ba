"""Output of the measuring programs, flushed so that a long one can be watched."""

import sys


def say(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def say_line(line: str) -> None:
    say(f"{line}\n")
