"""Rows of runs, conversations and evaluations as dataclasses; the usage of a run takes four columns."""

from dataclasses import asdict
from typing import Any, TypeVar, cast

from sqlalchemy import RowMapping

from core.platform.type_adapters import adapter
from core.runs.model import Usage

Kind = TypeVar("Kind")
_ESTIMATED = "tokens_estimated"


def from_row(kind: type[Kind], row: RowMapping, **further: object) -> Kind:
    """The dataclass made of the columns that are called like its fields.

    further: fields that have no column of their own, or another value than their column.
    """
    values = {**row, **further}
    if _ESTIMATED in values:
        values["usage"] = {**row, "estimated": row[_ESTIMATED]}
    return cast(Kind, adapter(kind).validate_python(values))


def usage_columns(usage: Usage) -> dict[str, Any]:
    columns = asdict(usage)
    columns[_ESTIMATED] = columns.pop("estimated")
    return columns
