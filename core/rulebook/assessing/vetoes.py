"""Reasons not to show quotes as an answer, whatever their fitted probability."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from core.platform.language.terms import content_terms, normal_form
from core.rulebook.assessing.answering import ACROSS_THRESHOLD
from core.rulebook.assessing.assessment import AssessmentReason, below_threshold, declined
from core.rulebook.assessing.cues import says_what_it_is
from core.rulebook.assessing.sentence_ranking import Quote, thing_asked
from core.rulebook.assessing.table_extremes import extreme_words
from core.rulebook.assessing.wording import leaves_out_denial, tells_of_another
from core.rulebook.understanding.mention_questions import words_to_mention
from core.rulebook.understanding.questions import QuestionKind, asks_what_is_mentioned, asks_why_so
from core.search.model import Passage

if TYPE_CHECKING:
    from core.rulebook.assessing.evidence_assessment import EvidenceAssessment


def vetoes(evidence: EvidenceAssessment, probability: float) -> Iterator[AssessmentReason]:
    """Yield the reason of every veto; probability is the fitted one."""
    question = evidence.question
    if evidence.features["another language"]:
        yield from _across_languages(evidence, probability)
    else:
        yield from _in_own_language(evidence)
    if evidence.encoder is None and evidence.features["nothing but names"]:
        yield declined("only_names")
    if asks_what_is_mentioned(question) or words_to_mention(question):
        yield declined("every_mention")
    if asks_why_so(question):
        yield declined("no_cause")
    if words := _uncompared(evidence):
        yield declined("uncompared", words=words)
    if leaves_out_denial(question, "\n".join(quote.text for quote in evidence.quotes)):
        yield declined("no_denial")


def _across_languages(evidence: EvidenceAssessment, probability: float) -> Iterator[AssessmentReason]:
    if evidence.encoder is None:
        yield declined("another_language")
    elif probability < ACROSS_THRESHOLD:
        yield below_threshold("across", probability, ACROSS_THRESHOLD)
    if evidence.is_told_in_own_language:
        yield declined("own_language")


def _in_own_language(evidence: EvidenceAssessment) -> Iterator[AssessmentReason]:
    if missing := _missing_names(evidence):
        yield declined("names_missing", names=missing)
    if thing := _undefined(evidence):
        yield declined("undefined", thing=thing)
    headed = (" ".join((*evidence.passages[quote.passage].chunk.section, quote.text)) for quote in evidence.quotes)
    if tells_of_another(evidence.question, "\n".join(headed), frozenset().union(*evidence.texts)):
        yield declined("another_kind")


def _missing_names(evidence: EvidenceAssessment) -> str:
    """Return the names and numbers of the question that no quote has, and no heading above one."""
    quoted = frozenset(
        term for quote in evidence.quotes for term in quote.terms | evidence.read[quote.passage].headings
    )
    words = (word for word, _ in evidence.needs.weights if word.is_name and all(map(str.isascii, word.terms)))
    missing = frozenset(term for word in words if not word.credit(quoted) for term in word.terms)
    spelled = [part.strip(",.;:?!()\"'“”") for part in evidence.question.split()]
    named = [part for part in spelled if not missing.isdisjoint(content_terms(part))]
    return ", ".join(dict.fromkeys(named)) or ", ".join(sorted(missing))


def _uncompared(evidence: EvidenceAssessment) -> str:
    """Return the words for the least or greatest that rows of numbers are quoted without."""
    rows = [quote.text.casefold() for quote in evidence.quotes if quote.is_row]
    return ", ".join(word for word in extreme_words(evidence.question) if any(word not in row for row in rows))


def _undefined(evidence: EvidenceAssessment) -> str:
    """Return the thing of a question what it is, of which no quote says it; every sentence has all its words."""
    thing = thing_asked(evidence.question) if evidence.kind is QuestionKind.DEFINITION else ""
    is_said = thing and any(_says_what_is(evidence, thing, quote) for quote in evidence.quotes)
    return "" if is_said else thing


def _says_what_is(evidence: EvidenceAssessment, thing: str, quote: Quote) -> bool:
    """Whether it does: a row says it of a name in words only, figures are what the thing has."""
    if quote.is_row:
        cells = [cell.rpartition(": ")[2] for cell in quote.text.split("; ")]
        is_name = all(word.is_name for word, _ in evidence.needs.weights)
        return not is_name or any(not any(map(str.isdigit, cell)) for cell in cells[1:])
    headed = is_headed_by(evidence.passages[quote.passage], thing)
    return headed or says_what_it_is(normal_form(quote.text), thing)


def is_headed_by(passage: Passage, text: str) -> bool:
    """Whether the heading right above the passage says the text, word for word."""
    return bool(passage.chunk.section) and _plain(passage.chunk.section[-1]) == _plain(text)


def _plain(text: str) -> str:
    """Letters and digits, but for the number of a heading."""
    return "".join(filter(str.isalnum, normal_form(text).casefold())).lstrip("0123456789")
