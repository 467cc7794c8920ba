"""The error boundary: every exception of a page becomes a sentence with a remedy."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import streamlit as st

from core.platform.errors import AppError
from pages.components.shell.language import language, t
from pages.components.shell.text import markdown_of

MAX_SENTENCE = 600


def log_expected_errors_as_sentences() -> None:
    """Log expected errors without the stack trace that Streamlit adds."""
    logging.getLogger("streamlit.error_util").addFilter(as_sentence)


def as_sentence(record: logging.LogRecord) -> bool:
    """A filter that keeps every record."""
    error = record.exc_info[1] if record.exc_info else None
    if isinstance(error, AppError):
        record.msg, record.args, record.exc_info = "%s", (str(error),), None
    return True


def show_error(error: Exception) -> bool:
    """Streamlit's on_script_error: it has logged the error already; True keeps its stack trace off the page."""
    st.error(markdown_of(sentence_of(error), MAX_SENTENCE), icon=":material/error:")
    return True


def succeeds(act: Callable[[], object]) -> bool:
    """Run an action; returns whether it was not refused. A refusal is shown where this is called."""
    with refusals_shown():
        act()
        return True
    return False


@contextmanager
def refusals_shown() -> Iterator[None]:
    """Context that shows a refusal in place of its rest."""
    try:
        yield
    except AppError as error:
        show_error(error)


def sentence_of(error: Exception) -> str:
    """The message for the user; may contain untrusted text."""
    if isinstance(error, AppError):
        return error.sentence(language())
    return t("error.unexpected", kind=type(error).__name__)
