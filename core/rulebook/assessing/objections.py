"""What speaks against quotes as an answer, by name: features of the fitted assessment, told where it declines."""

from collections.abc import Iterator, Sequence

from core.platform.language.terms import content_terms, normal_form
from core.rulebook.assessing.cues import says_what_it_is
from core.rulebook.assessing.sentence_features import SentenceFeatures
from core.rulebook.assessing.sentence_ranking import Quote, thing_asked
from core.rulebook.assessing.wording import tells_of_another
from core.rulebook.model import AssessmentReason, QuestionKind
from core.search.model import Passage


def objections(features: SentenceFeatures, quotes: Sequence[Quote]) -> dict[str, AssessmentReason]:
    """Those that apply, the most telling first; none to quotes in another language, whose words say little."""
    at = features.units[0].passage if not quotes else quotes[0].passage
    across = any(features.across[[unit.passage == at for unit in features.units]])
    return {} if across else dict(_objections(features, quotes))


def _objections(features: SentenceFeatures, quotes: Sequence[Quote]) -> Iterator[tuple[str, AssessmentReason]]:
    if missing := _missing_names(features, quotes):
        yield "names missing", AssessmentReason.named("names_missing", names=missing)
    if thing := _undefined(features, quotes):
        yield "undefined", AssessmentReason.named("undefined", thing=thing)
    if features.kind in _OF_NUMBERS and not any(quote.tells for quote in quotes):
        yield "untold", AssessmentReason.named("untold")
    headed = (" ".join((*features.passages[quote.passage].chunk.section, quote.text)) for quote in quotes)
    told = frozenset[str]().union(*(read.terms for read in features.read))
    if tells_of_another(features.question, "\n".join(headed), told):
        yield "another kind", AssessmentReason.named("another_kind")


_OF_NUMBERS = {QuestionKind.HOW_MANY, QuestionKind.WHEN}
"""Kinds of questions that a number or a date answers."""


def _missing_names(features: SentenceFeatures, quotes: Sequence[Quote]) -> str:
    """Return the names and numbers of the question that no quote has, and no heading above one."""
    quoted = frozenset(
        term
        for quote in quotes
        for term in quote.terms | features.read[quote.passage].headings | frozenset(content_terms(quote.under))
    )
    words = (word for word, _ in features.needs.weights if word.is_name and all(map(str.isascii, word.terms)))
    missing = frozenset(term for word in words if not word.credit(quoted) for term in word.terms)
    spelled = [part.strip(",.;:?!()\"'“”") for part in features.question.split()]
    named = [part for part in spelled if not missing.isdisjoint(content_terms(part))]
    return ", ".join(dict.fromkeys(named)) or ", ".join(sorted(missing))


def _undefined(features: SentenceFeatures, quotes: Sequence[Quote]) -> str:
    """Return the thing of a question what it is, of which no quote says it; every sentence has all its words."""
    thing = thing_asked(features.question) if features.kind is QuestionKind.DEFINITION else ""
    is_said = thing and any(_says_what_is(features, thing, quote) for quote in quotes)
    return "" if is_said else thing


def _says_what_is(features: SentenceFeatures, thing: str, quote: Quote) -> bool:
    """Whether it does: a row says it of a name in words only, figures are what the thing has."""
    if quote.is_row:
        cells = [cell.rpartition(": ")[2] for cell in quote.text.split("; ")]
        is_name = all(word.is_name for word, _ in features.needs.weights)
        return not is_name or any(not any(map(str.isdigit, cell)) for cell in cells[1:])
    headed = is_headed_by(features.passages[quote.passage], thing)
    return headed or says_what_it_is(normal_form(quote.text), thing)


def is_headed_by(passage: Passage, text: str) -> bool:
    """Whether the heading right above the passage says the text, word for word."""
    return bool(passage.chunk.section) and _plain(passage.chunk.section[-1]) == _plain(text)


def _plain(text: str) -> str:
    """Letters and digits, but for the number of a heading."""
    return "".join(filter(str.isalnum, normal_form(text).casefold())).lstrip("0123456789")
