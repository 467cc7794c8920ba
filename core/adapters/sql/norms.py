"""The form of a name under which it is found again: width, script, case, accents and white space levelled."""

from core.adapters.sql.columns import storable
from core.language.terms import normal_form

NORM_LENGTH = 200
"""Characters kept; Postgres refuses longer index entries."""


def norm(text: str) -> str:
    return " ".join(normal_form(storable(text)).casefold().split())


def name_norm(name: str) -> str:
    """Cut to a length that can be indexed."""
    return norm(name[: 4 * NORM_LENGTH])[:NORM_LENGTH]
