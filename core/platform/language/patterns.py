"""Regular expressions that are compiled when they are first used: one question uses half of them."""

import re
from typing import Any, cast


def pattern(text: str, flags: int = 0) -> re.Pattern[str]:
    """As re.compile, but a mistake in the text is found by the first use."""
    return cast("re.Pattern[str]", _Uncompiled(text, flags))


def any_of(*alternatives: str) -> re.Pattern[str]:
    """Return the pattern of any of the alternatives in any case."""
    return pattern("|".join(alternatives), re.IGNORECASE)


class _Uncompiled:
    """Keeps what is asked of the compiled expression, so that it is asked of it once."""

    def __init__(self, text: str, flags: int) -> None:
        self._text = text
        self._flags = flags

    def __getattr__(self, name: str) -> Any:
        found = vars(self)[name] = getattr(re.compile(self._text, self._flags), name)
        return found
