"""What a sentence says of two entities."""

from dataclasses import dataclass

from core.graph.model import ExtractedName


@dataclass(frozen=True, slots=True)
class Said:
    source: ExtractedName
    relation: str
    target: ExtractedName
    confidence: float
    pattern: str = ""
    """Which construction says it, for those who judge them."""
