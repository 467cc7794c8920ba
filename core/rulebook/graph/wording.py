"""Names joined as a sentence lists them."""

from collections.abc import Sequence

from core.platform.texts import text


def listed(names: Sequence[str], language: str) -> str:
    """'A, B and C'; empty without names."""
    if len(names) < 2:
        return "".join(names)
    first = text("answer.graph.comma", language).join(names[:-1])
    return text("answer.graph.and", language, first=first, last=names[-1])
