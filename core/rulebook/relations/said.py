"""Statement of a sentence about two entities."""

from dataclasses import dataclass

from core.graph.model import ExtractedName


@dataclass(frozen=True, slots=True)
class Said:
    source: ExtractedName
    relation: str
    target: ExtractedName
    confidence: float
    pattern: str = ""
    """Grammatical construction, for evaluations."""
