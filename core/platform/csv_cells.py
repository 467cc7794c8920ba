"""Cells of CSV files that people open in a spreadsheet."""

BYTE_ORDER_MARK = "\ufeff"
"""Without it Excel garbles names in Chinese."""
_FORMULA = ("=", "+", "-", "@", "\t", "\r")


def inert(value: object) -> object:
    """The value; text that a spreadsheet would run as a formula gets an apostrophe in front."""
    return f"'{value}" if isinstance(value, str) and value.startswith(_FORMULA) else value
