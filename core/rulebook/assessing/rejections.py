"""Why evidence is not shown as an answer: its fitted probability, objections that lower it, and vetoes."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from core.platform.language.numbers import told_numbers
from core.platform.language.scripts import EAST_ASIAN
from core.platform.language.terms import content_terms, normal_form
from core.rulebook.assessing.answer_types import asks_for_a_form
from core.rulebook.assessing.answering import (
    ACROSS_THRESHOLD,
    ANSWER_THRESHOLD,
    RULE_PROBABILITY,
    VETO_CAP,
    probability,
)
from core.rulebook.assessing.compared_words import extreme_words
from core.rulebook.assessing.cues import says_what_it_is
from core.rulebook.assessing.question_terms import EVERY_NAME
from core.rulebook.assessing.sentence_features import SentenceFeatures
from core.rulebook.assessing.sentence_ranking import Quote, thing_asked
from core.rulebook.assessing.wording import tells_of_another
from core.rulebook.model import Assessment, AssessmentReason, QuestionKind
from core.rulebook.understanding.questions import (
    WORK,
    asks_what_is_mentioned,
    asks_why_so,
    further_asked,
    kind_of,
    part_asked,
    words_to_mention,
    work_asked,
    works_named,
)
from core.search.model import Passage

if TYPE_CHECKING:
    from core.rulebook.assessing.evidence_assessment import EvidenceAssessment

SAID = 0.65
"""Least share of the answered question's words in the sentence that answers more, or in the headings above it."""
_OF_NUMBERS = {QuestionKind.HOW_MANY, QuestionKind.WHEN}
"""Kinds of questions that a number or a date answers."""
_NAMES_NEEDED = {QuestionKind.AUTHORS: 0.5, QuestionKind.OVERVIEW: 0.5, QuestionKind.RELATION: 0.99}
"""Least share of the names in the quotes, by kind of question about everything on a named thing."""
_SPACED = re.compile(rf"[^\s{EAST_ASIAN}]+")
_WORDS_OF_WORK = 0.5
"""Least share of the question's own words in a document that it asks for a summary of."""


def assessment_of(evidence: EvidenceAssessment) -> Assessment:
    """Return the probability that the quotes answer, and the reasons against showing them as an answer."""
    if not evidence.quotes:
        return _rejected(0.0, "nothing_quotable" if evidence.passages else "no_passages")
    if evidence.section:
        return Assessment(RULE_PROBABILITY, ANSWER_THRESHOLD)
    if evidence.kind.is_about_whole_documents and not _is_of_work_asked(evidence):
        return _rejected(VETO_CAP, "another_work")
    if evidence.kind is QuestionKind.AUTHORS and evidence.needs.spoken(_terms_of_work(evidence)).names < EVERY_NAME:
        return _rejected(VETO_CAP, "another_byline")
    if _is_found_by_rule(evidence):
        return Assessment(RULE_PROBABILITY, ANSWER_THRESHOLD)
    given = probability(evidence.features, evidence.engine)
    against = tuple(_vetoes(evidence, given))
    if given < ANSWER_THRESHOLD:
        low = AssessmentReason.below("low", given, ANSWER_THRESHOLD)
        against = (*against, *_certain(evidence), low)
    return Assessment(min(given, VETO_CAP) if against else given, ANSWER_THRESHOLD, against)


def _rejected(probability: float, reason: str) -> Assessment:
    return Assessment(probability, ANSWER_THRESHOLD, (AssessmentReason.named(reason),))


def _is_found_by_rule(evidence: EvidenceAssessment) -> bool:
    return bool(
        evidence.kind is QuestionKind.AUTHORS
        or _has_all_there_is(evidence)
        or evidence.extremes
        or evidence.reason
        or evidence.verbatim
        or any(_is_headed_by(evidence.passages[quote.passage], evidence.question) for quote in evidence.quotes)
    )


def _has_all_there_is(evidence: EvidenceAssessment) -> bool:
    """Whether the question asks for everything about what it names, and quotes and passages name it."""
    if evidence.kind not in _NAMES_NEEDED:
        return False
    asks_by_name = not evidence.needs.nothing and all(word.is_name for word, _ in evidence.needs.weights)
    if not (evidence.kind.is_about_whole_documents or asks_by_name):
        return False
    own = frozenset(term for quote in evidence.quotes for term in quote.terms)
    around = frozenset(term for quote in evidence.quotes for term in evidence.texts[quote.passage])
    return evidence.needs.spoken(own, around).names >= _NAMES_NEEDED[evidence.kind]


def _vetoes(evidence: EvidenceAssessment, probability: float) -> Iterator[AssessmentReason]:
    """Yield the reason of every veto; probability is the fitted one."""
    if evidence.features["another language"]:
        yield from _vetoes_across(evidence, probability)
    elif evidence.encoder is None and evidence.features["nothing but names"]:
        yield AssessmentReason.named("only_names")
    if asks_what_is_mentioned(evidence.question) or words_to_mention(evidence.question):
        yield AssessmentReason.named("every_mention")
    if asks_why_so(evidence.question):
        yield AssessmentReason.named("no_cause")
    if (further := further_asked(evidence.question)) and not _is_told_together(evidence, kind_of(further)):
        yield AssessmentReason.named("not_together")
    if not evidence.asked_quotes:
        yield AssessmentReason.named("other_rows")
    if words := _uncompared(evidence):
        yield AssessmentReason.named("uncompared", words=words)
    yield from _vetoes_of_form(evidence, probability)


def _vetoes_across(evidence: EvidenceAssessment, probability: float) -> Iterator[AssessmentReason]:
    """Yield those of evidence in another language than the question."""
    if evidence.encoder is None:
        yield AssessmentReason.named("another_language")
    elif probability < ACROSS_THRESHOLD:
        yield AssessmentReason.below("across", probability, ACROSS_THRESHOLD)
    if evidence.is_told_in_own_language:
        yield AssessmentReason.named("own_language")


def _is_told_together(evidence: EvidenceAssessment, kind: QuestionKind) -> bool:
    """Whether one quote has the words of the earlier question and the form of what is asked of its answer.

    The form is known where the earlier question asks for nothing else.
    """
    above = [reading.headings for reading in evidence.read]
    quotes = (quote for quote in evidence.likely_quotes if quote.tells)
    return evidence.kind is kind and any(
        evidence.needs.coverage(quote.terms, above[quote.passage]) >= SAID for quote in quotes
    )


def _vetoes_of_form(evidence: EvidenceAssessment, probability: float) -> Iterator[AssessmentReason]:
    """Yield that no quote has the number, date or name asked for; "once it has ended" is no time of its end."""
    is_asked = probability >= ANSWER_THRESHOLD and asks_for_a_form(evidence.question, evidence.kind)
    if is_asked and not any(quote.tells for quote in evidence.quotes):
        yield AssessmentReason.named("no_value")


def _uncompared(evidence: EvidenceAssessment) -> str:
    """Return the words for an extreme that a quoted row does not have."""
    rows = [quote.text.casefold() for quote in evidence.quotes if quote.is_row]
    return ", ".join(word for word in extreme_words(evidence.question) if any(word not in row for row in rows))


def _certain(evidence: EvidenceAssessment) -> Iterator[AssessmentReason]:
    """Yield the objections that hold for all passages, because whole passages are shown, with other marked sentences.

    A number that is missing may lie between two that are told: "11 pm" in "from 10 pm to 7 am".
    """
    features, quotes = evidence.weighed.features, evidence.likely_quotes
    against = objections(features, quotes)
    told = "\n".join("\n".join((*it.chunk.section, it.chunk.text)) for it in evidence.passages)
    named = [name for name in _missing_names(features, quotes) if any(map(str.isalpha, name))]
    absent = ", ".join(name for name in named if not _stands_in(name, features))
    if absent and "names missing" in against:
        yield AssessmentReason.named("names_missing", names=absent)
    thing = thing_asked(evidence.question)
    holds = {
        "undefined": not any(says_what_it_is(normal_form(unit.text), thing) for unit in evidence.units),
        "untold": not told_numbers(told),
        "another kind": True,
    }
    yield from (against[feature] for feature, is_true in holds.items() if is_true and feature in against)


def objections(features: SentenceFeatures, quotes: Sequence[Quote]) -> dict[str, AssessmentReason]:
    """Return objections to quotes as an answer by the name of their feature in the fitted model, strongest first.

    Quotes in another language have none, because their words say little.
    """
    at = features.units[0].passage if not quotes else quotes[0].passage
    across = any(features.across[[unit.passage == at for unit in features.units]])
    return {} if across else dict(_objections(features, quotes))


def _objections(features: SentenceFeatures, quotes: Sequence[Quote]) -> Iterator[tuple[str, AssessmentReason]]:
    if missing := _missing_names(features, quotes):
        yield "names missing", AssessmentReason.named("names_missing", names=", ".join(missing))
    if thing := _undefined(features, quotes):
        yield "undefined", AssessmentReason.named("undefined", thing=thing)
    if features.kind in _OF_NUMBERS and not any(quote.tells for quote in quotes):
        yield "untold", AssessmentReason.named("untold")
    headed = (" ".join((*features.passages[quote.passage].chunk.section, quote.text)) for quote in quotes)
    told = frozenset[str]().union(*(read.terms for read in features.read))
    if tells_of_another(features.question, "\n".join(headed), told):
        yield "another kind", AssessmentReason.named("another_kind")


def _missing_names(features: SentenceFeatures, quotes: Sequence[Quote]) -> list[str]:
    """Return the names and numbers of the question that neither a quote nor a heading above one has."""
    quoted = frozenset(
        term
        for quote in quotes
        for term in quote.terms | features.read[quote.passage].headings | frozenset(content_terms(quote.under))
    )
    words = (word for word, _ in features.needs.weights if word.is_name and all(map(str.isascii, word.terms)))
    missing = frozenset(term for word in words if not word.credit(quoted) for term in word.terms)
    spelled = [part.strip(",.;:?!()\"'“”") for part in _SPACED.findall(normal_form(features.question))]
    named = [part for part in spelled if not missing.isdisjoint(content_terms(part))]
    return list(dict.fromkeys(named)) or sorted(missing)


def _stands_in(name: str, features: SentenceFeatures) -> bool:
    """Whether any of the passages, which are more than the quotes are from, has the name."""
    terms = frozenset(content_terms(name))
    return bool(terms) and any(terms <= read.terms for read in features.read)


def _undefined(features: SentenceFeatures, quotes: Sequence[Quote]) -> str:
    """Return the thing that a question wants defined, if no quote says what it is; every sentence has all its words."""
    thing = thing_asked(features.question) if features.kind is QuestionKind.DEFINITION else ""
    is_said = thing and any(_says_what_is(features, thing, quote) for quote in quotes)
    return "" if is_said else thing


def _says_what_is(features: SentenceFeatures, thing: str, quote: Quote) -> bool:
    """Whether the quote says what the thing is; a row of figures says what it has."""
    if quote.is_row:
        cells = [cell.rpartition(": ")[2] for cell in quote.text.split("; ")]
        is_name = all(word.is_name for word, _ in features.needs.weights)
        return not is_name or any(not any(map(str.isdigit, cell)) for cell in cells[1:])
    headed = _is_headed_by(features.passages[quote.passage], thing)
    return headed or says_what_it_is(normal_form(quote.text), thing)


def _is_headed_by(passage: Passage, text: str) -> bool:
    """Whether the heading right above the passage is the text, word for word."""
    return bool(passage.chunk.section) and _plain(passage.chunk.section[-1]) == _plain(text)


def _plain(text: str) -> str:
    """Letters and digits, without the number of a heading."""
    return "".join(filter(str.isalnum, normal_form(text).casefold())).lstrip("0123456789")


def _is_of_work_asked(evidence: EvidenceAssessment) -> bool:
    """Return whether the quoted documents have the words for the work, "flood" of "the flood manual", and its part."""
    told, part = _terms_of_work(evidence), part_asked(evidence.question)
    if not told.issuperset(work_asked(evidence.question)):
        return False
    return _is_of_part(evidence, part) if part else _has_words_of_summary(evidence, told)


def _terms_of_work(evidence: EvidenceAssessment) -> frozenset[str]:
    """Return the terms of the byline's passage, or of all passages of the quoted documents, and of their names."""
    places = {quote.passage for quote in evidence.quotes}
    if evidence.kind is not QuestionKind.AUTHORS:
        quoted = {evidence.passages[place].chunk.document_id for place in places}
        places = {place for place, it in enumerate(evidence.passages) if it.chunk.document_id in quoted}
    names = (content_terms(evidence.passages[place].document_name) for place in places)
    return frozenset().union(*(evidence.texts[place] for place in places), *names)


def _has_words_of_summary(evidence: EvidenceAssessment, told: frozenset[str]) -> bool:
    """Return whether the quoted documents or their names have most words of the summary's subject."""
    if evidence.kind is not QuestionKind.OVERVIEW or works_named(evidence.question):
        return True
    words = [one for one in evidence.needs.weights if not any(map(WORK.fullmatch, one[0].terms))]
    found = sum(weight * word.credit(told) for word, weight in words)
    return found >= _WORDS_OF_WORK * sum(weight for _, weight in words)


def _is_of_part(evidence: EvidenceAssessment, number: str) -> bool:
    """Return whether every quote is under a heading with the number."""
    bears = re.compile(
        rf"(?<![\w.]){re.escape(number)}(?!\w|\.\d)|第\s*{re.escape(number)}\s*[章节部条]", re.IGNORECASE
    )
    headings = (evidence.passages[quote.passage].chunk.section for quote in evidence.quotes)
    return all(any(bears.search(normal_form(heading)) for heading in section) for section in headings)
