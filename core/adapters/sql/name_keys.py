"""The lookup key of a name: width, script, case, accents and white space normalised."""

from core.adapters.sql.columns import storable
from core.language.terms import normal_form

NORM_LENGTH = 200
"""Characters kept; Postgres rejects longer index entries."""


def normalized(text: str) -> str:
    return " ".join(normal_form(storable(text)).casefold().split())


def name_key(name: str) -> str:
    """Truncated to a length that can be indexed."""
    return normalized(name[: 4 * NORM_LENGTH])[:NORM_LENGTH]
