"""The parsing library: what it is called, and how it is kept quiet."""

import logging

from loguru import logger

import docvortex


def engine_name() -> str:
    return f"docvortex {docvortex.__version__}"


def silence() -> None:
    """It logs every table that it finds."""
    logger.remove()
    logging.disable(logging.WARNING)
