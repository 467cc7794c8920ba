"""Extracts the value that was asked for from a quote: a number with its unit, a date, a name, a cell."""

import re
from collections.abc import Sequence
from itertools import takewhile

from core.platform.language.patterns import pattern
from core.platform.language.scripts import HAN_CHARACTER
from core.platform.language.stopwords import ENGLISH, HAN_PARTICLES
from core.platform.language.terms import content_terms, normal_form
from core.rulebook.assessing.answer_types import has_unit, matcher_for, measure_asked
from core.rulebook.assessing.sentence_ranking import Quote
from core.rulebook.assessing.wording import denies_otherwise
from core.rulebook.model import QuestionKind
from core.rulebook.understanding.topics import names_in

MAX_VALUE = 60
"""Characters; a longer cell is read in the quote."""
_MONTH = r"(?:Jan|Feb|Mar|Apr|May|Jun|Jul|Aug|Sep|Oct|Nov|Dec)[a-z]*\.?"
_DATE = pattern(
    r"(?:\b(?:before|after|until|by) )?(?:"
    rf"\d{{1,2}}(?:st|nd|rd|th)? {_MONTH},? \d{{4}}|{_MONTH} \d{{1,2}}(?:st|nd|rd|th)?,? \d{{4}}|{_MONTH} \d{{4}}"
    rf"|\d{{1,2}} {_MONTH}(?![a-z])|{_MONTH} \d{{1,2}}\b(?!,? \d{{4}})"
    r"|\d{4}\s*年(?:\s*\d{1,2}\s*月)?(?:\s*\d{1,2}\s*日)?"
    r"|\b(?:1\d|20)\d\d-\d\d-\d\d\b|\b(?:1\d|20)\d\d\b)"
)
_AMOUNT = pattern(
    r"(?:[$€£¥]\s?)?(?<![A-Za-z\d_.第表图])(?<![A-Za-z\d_]-)\d(?:[\d,]*\d)?(?:\.\d+)?(?!\d|-\d)"
    r"(?:\s?(?:thousand|million|billion|万|亿))?"
    r"(?:\s?(?P<unit>%|‰|°\s?[CF]|[A-Za-zµ]+(?:/[A-Za-z]+)?|[\u3400-\u9fff]{1,2}))?"
)
_SEVERAL = pattern(r"\d\S?\s?,?\s?(?:and|or|to|[-–~]|[和及或至到])\s?$")
"""Before the last of several numbers, which alone has the unit: 815, 795, and 782 warehouses; 10 to 20 km."""
_FULL_NAME = pattern(r"(?:[A-Z][\w'’\-]+|(?:[A-Z]\. ?)*[A-Z]\.)(?: (?:[A-Z]\.|de|van|von|of))*(?: [A-Z][\w'’\-]+)+")
UNIT = pattern(r"[(（]([^()（）]{1,12})[)）]\s*$")


def value_asked(question: str, kind: QuestionKind, quote: Quote) -> str:
    """The value; "" unless the quote contains exactly one candidate."""
    found = _cells(question, quote.text) if quote.is_row else _candidates(question, kind, quote)
    fresh = [value for value in dict.fromkeys(found) if value.casefold() not in question.casefold()]
    return fresh[0] if len(fresh) == 1 and len(fresh[0]) <= MAX_VALUE else ""


def _candidates(question: str, kind: QuestionKind, quote: Quote) -> list[str]:
    if kind is QuestionKind.WHEN:
        found = list(_DATE.finditer(quote.text))
        is_span = any(_SEVERAL.search(quote.text, 0, date.start()) for date in found)
        return [] if is_span else [date.group().rstrip(".") for date in found]
    if kind is QuestionKind.WHO:
        asked = {name.casefold() for name in names_in(question)}
        is_told = quote.tells and not denies_otherwise(question, quote.text)
        names = _FULL_NAME.findall(quote.text) if is_told else []
        return [name for name in names if not any(one in name.casefold() for one in asked)]
    return _amounts(question, quote.text) if kind is QuestionKind.HOW_MANY and quote.tells else []


def _amounts(question: str, told: str) -> list[str]:
    """Return the amounts of the kind that is asked for; none where one is the last of several."""
    found = [(match.start(), _with_asked_words(question, told, match)) for match in _AMOUNT.finditer(told)]
    chosen = _of_asked_kind(question, told, found)
    if any(_SEVERAL.search(told, 0, at) for at, _ in chosen) or _counts_elsewhere(question, told, found, chosen):
        return []
    numbers = set(re.findall(r"\d+", question))
    chosen = [(at, amount) for at, amount in chosen if at or not _is_number_of_heading(amount)]
    return [amount for _, amount in chosen if not set(re.findall(r"\d+", amount)) <= numbers]


def _of_asked_kind(question: str, told: str, found: Sequence[tuple[int, str]]) -> list[tuple[int, str]]:
    """Return the amounts of the measure, or of the counted things; of these all without a unit if none names them."""
    if measure := measure_asked(normal_form(question)):
        ends = {match.end() for match in measure.finditer(told)}
        return [(at, amount) for at, amount in found if measure.search(normal_form(amount)) or at + len(amount) in ends]
    matches = matcher_for(question, QuestionKind.HOW_MANY)
    if matches and (counted := [(at, amount) for at, amount in found if matches(amount)]):
        return counted
    if matches and matches(_AMOUNT.sub("", told)):
        return []  # in words: "at most six people"
    return [(at, amount) for at, amount in found if not has_unit(amount)]


def _is_number_of_heading(first: str) -> bool:
    """Return whether a sentence begins with the number of a heading: "4.1 On what systems does it run?"."""
    return "." in first and first.replace(".", "").isdigit()


def _counts_elsewhere(
    question: str, told: str, found: Sequence[tuple[int, str]], chosen: Sequence[tuple[int, str]]
) -> bool:
    """Whether a bare number is nearer to a name asked for: "815 warehouses: 564 in the U.S.", asked for the U.S."""
    dates = [match.span() for match in _DATE.finditer(told)]
    bare = [at for at, amount in found if amount.isdigit() and not any(begin <= at < end for begin, end in dates)]
    places = [told.find(name) for name in names_in(question) if name in told]
    nearest = [min((abs(at - place) for at, _ in chosen), default=0) for place in places]
    return any(abs(at - place) < near for place, near in zip(places, nearest, strict=True) for at in bare)


def _with_asked_words(question: str, told: str, amount: re.Match[str]) -> str:
    """Return the amount with the words after its unit that the question has, too: "636 gas stations", "106种语言"."""
    if HAN_CHARACTER.match(amount["unit"] or ""):
        return _with_asked_characters(question, told, amount)
    plain, asked = _without_plain_word(amount.group()), question.rstrip("?").casefold().split()
    unit = plain.rpartition(" ")[2].casefold()
    following = asked[asked.index(unit) + 1 :] if unit in asked else []
    for word, said in zip(following, told[amount.end() :].split(), strict=False):
        if word in ENGLISH or said.casefold().strip(".,;") != word:
            break
        plain = f"{plain} {said.strip('.,;')}"
    return plain


def _with_asked_characters(question: str, told: str, amount: re.Match[str]) -> str:
    """Return the amount up to the last character shared with the question or the end of the measure it asks for.

    Else with a unit of at most two characters.
    """
    begin, unit = amount.start("unit"), amount["unit"]
    shared = [_shared(question[at:], told[begin:]) for at in range(len(question)) if question[at] == unit[0]]
    if shared:
        return told[amount.start() : begin + max(shared)]
    measure = measure_asked(normal_form(question))
    measures = [found.span() for found in measure.finditer(told)] if measure else []
    if ends := [end for start, end in measures if start <= begin < end]:
        return told[amount.start() : min(ends)]
    return amount.group().removesuffix(unit[1:] if unit[1:] in HAN_PARTICLES else "")


def _shared(one: str, other: str) -> int:
    """Return the number of characters with which both begin."""
    pairs = zip(one, other, strict=False)
    return len([*takewhile(lambda pair: pair[0] == pair[1] and HAN_CHARACTER.match(pair[0]), pairs)])


def _without_plain_word(amount: str) -> str:
    """Return the amount without a word after the number that is no unit: "11 and"."""
    head, _, word = amount.rpartition(" ")
    return head if head and word.casefold() in ENGLISH else amount


def _cells(question: str, row: str) -> Sequence[str]:
    """The cell below the column that the question names, with the unit of the column's name."""
    pairs = [pair.partition(": ") for pair in row.split("; ")]
    asked = set(content_terms(normal_form(question)))
    shared = [(len(asked & set(content_terms(name))), name, cell) for name, colon, cell in pairs if colon]
    most = max((share for share, *_ in shared), default=0)
    named = [(name, cell) for share, name, cell in shared if share == most and not asked & set(content_terms(cell))]
    values = [with_unit(name, cell) for name, cell in named] if most else []
    measure = measure_asked(normal_form(question))
    return [value for value in values if not measure or measure.search(normal_form(value)) or not has_unit(value)]


def with_unit(name: str, cell: str) -> str:
    """The cell with the unit that its column's name has in brackets."""
    unit = UNIT.search(name)
    return f"{cell} {unit[1]}" if unit and cell and cell[-1].isdigit() else cell
