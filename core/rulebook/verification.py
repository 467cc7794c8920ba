"""Verification of answers: the claims of an answer, and the passages that support them."""

from core.rulebook.checking.attributing import attributed, with_citations
from core.rulebook.checking.support import Evidence, claims, unsupported_sentences

__all__ = ["Evidence", "attributed", "claims", "unsupported_sentences", "with_citations"]
