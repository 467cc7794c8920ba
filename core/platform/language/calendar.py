"""Months in English text, as parts of regular expressions."""

_NAMES = "January|February|March|April|June|July|August|September|October|November|December"
MONTH_ABBREVIATIONS = "Jan|Feb|Mar|Apr|Jun|Jul|Aug|Sept?|Oct|Nov|Dec"
MONTH = rf"(?:{_NAMES}|May|{MONTH_ABBREVIATIONS})"
"""A name or an abbreviation, without its full stop."""
MONTH_EXCEPT_MAY = rf"(?:{_NAMES})"
"""As a separate word in any case, "may" is hardly ever the month."""
