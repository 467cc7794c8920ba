"""Tests whether a sentence contains what is asked for: a date, a name or a number that is not in the question."""

import re
from collections.abc import Callable
from functools import partial
from itertools import takewhile

from core.platform.language.numbers import HAN_NUMERALS, MONTH, MONTH_EXCEPT_MAY, NUMBER, NUMBER_WORD, YEAR
from core.platform.language.patterns import any_of, pattern
from core.platform.language.scripts import HAN
from core.platform.language.stopwords import ENGLISH
from core.platform.language.terms import content_terms, normal_form
from core.rulebook.assessing.cues import GIVES_REASON, NAMES_SOMEONE
from core.rulebook.assessing.synonyms import synonyms
from core.rulebook.model import QuestionKind
from core.rulebook.understanding.topics import names_in

Tells = Callable[[str], bool]

_HAN_NUMBER = f"[{HAN_NUMERALS}半]"
_SIGNPOST = pattern(
    r"\b(?:table|figure|fig\.|section|chapter|article|appendix|paragraph|item|note)\s+\d[\d.\-]*|第\s*[\d.]+\s*[条章节款]"
    r"|[表图]\s*\d[\d.\-]*|^\W*\d+(?:\.\d+)+\s+(?-i:(?=[A-Z]))",
    re.IGNORECASE,
)
_NUMBER = pattern(rf"{NUMBER.pattern}|\b{NUMBER_WORD}\b|{_HAN_NUMBER}+", re.IGNORECASE)


def _of_column(units: str) -> str:
    """The form of a unit in the name of a table's column: "Weight (kg)"."""
    return rf"|[(（](?:{units})[)）]"


TIME = (
    rf"(?:(?:\d|\b{NUMBER_WORD}\b)[^.;]{{0,14}}\b(?:seconds?|minutes?|hours?|days?|weeks?|months?|years?|min|ms|h)\b"
    rf"|(?:\d|{_HAN_NUMBER})\s*[多余]?\s*(?:秒|分钟?|个?小?时|天|日|周|个?月|年|世纪))"
    rf"{_of_column('s|min|h|seconds?|minutes?|hours?|days?|weeks?|months?|years?|秒|分钟?|小?时|天')}"
)
LENGTH = (
    r"(?:\d\s*(?:m|km|cm|mm|nm|metres?|meters?|kilomet\w+|miles?|feet|foot|ft|inch\w*|nanomet\w+|hectares?|acres?"
    rf"|square)\b{_of_column('m|km|cm|mm|ft')}"
    rf"|(?:\d|[{HAN_NUMERALS}])\s*[多余]?\s*(?:公里|千米|厘米|毫米|公分|公尺|英里|英尺|公顷|平方|米|亩))"
)
WEIGHT = (
    r"\d\s*(?:kg|g|lbs?|pounds?|tons?|tonnes?|kilograms?|grams?)\b|\d\s*(?:公斤|千克|克|吨|斤)"
    rf"{_of_column('kg|g|lbs?|公斤|千克|克|吨|斤')}"
)
_VOLUME = r"\d\s*(?:l|ml|cl|dl|lit(?:er|re)s?|gallons?|pints?|cups?)\b|\d\s*(?:毫升|公升|升|加仑)"
_TEMPERATURE = rf"\d\s*(?:°|℃|[CF]\b|degrees?\b|摄氏度|度){_of_column('°.?|℃')}"
_PERCENTAGE = r"%|\bper ?cent\b|百分|\d\s*成(?!员)"
MONEY = (
    r"[$€£¥]\s*\d|\d\s*(?:dollars?|euros?|pounds?|yuan|yen|cents?|kron(?:er|or)|USD|EUR|RMB|CNY)\b"
    r"|\b(?:USD|EUR|RMB|CNY)\s*\d|\d\s*[万亿]?(?:元|美元|欧元|英镑|港币|日元)"
    rf"{_of_column('USD|EUR|RMB|CNY|[$€£¥]|元')}"
)
_PRICE = rf"{MONEY}|\d[.,]\d\d(?![\d.,])|\d\s*(?:million|billion)\b|\bfree of charge\b|免费"
_UNIT_OF_TIME = r"(?:seconds?|minutes?|hours?|days?|weeks?|months?|quarters?|years?|mornings?|evenings?|nights?)"
_REPEATED = (
    rf"\b(?:every|each|per|an?)\s+(?:[\w-]+\s+){{0,2}}{_UNIT_OF_TIME}\b"
    r"|\b(?:daily|weekly|monthly|yearly|hourly|annual(?:ly)?|once|twice|times)\b"
    rf"|每\s*隔?\s*(?:\d+|{_HAN_NUMBER}+)?\s*个?(?:秒|分|小?时|天|日|周|星期|月|季|年|晚|早)|次"
)
_MEASURES: tuple[tuple[re.Pattern[str], re.Pattern[str]], ...] = (
    (any_of(r"\bhow (?:often|frequently)\b|\bfrequency\b|(?:多久|多长时间).{0,8}一次|频率"), any_of(_REPEATED)),
    (
        any_of(r"\bhow old\b|\bage of\b|多大年纪|几岁|多少岁|年龄"),
        any_of(r"\b(?:aged?|born|years|older|over|under)\b|岁|生于|出生"),
    ),
    (
        any_of(
            r"\bhow much\b.*\b(?:cost|pay|paid|price|salary|earn|charge|spend|spent|worth)s?\b",
            r"\b(?:price|cost|salary|fee) of\b|多少钱|价格|费用|工资|薪|票价|赔偿|补偿|金额",
        ),
        any_of(_PRICE),
    ),
    (any_of(r"\bweigh\b|\bhow heavy\b|\bweight\b|多重|重量|体重"), any_of(WEIGHT)),
    (any_of(r"\bhow long\b|多久|多长"), any_of(TIME, LENGTH)),
    (any_of(r"\bhow (?:deep|tall|wide|far)\b|多[深宽远]|面积|身高"), any_of(LENGTH, TIME)),
    (any_of(r"\btemperature\b|[气水]温|温度"), any_of(_TEMPERATURE)),
    (any_of(r"\bpercent\w*\b|\bwhat proportion\b|百分"), any_of(_PERCENTAGE)),
)
"""(kind of number asked for, how it is written)."""
_UNITS = tuple(map(any_of, (TIME, LENGTH, WEIGHT, _VOLUME, _TEMPERATURE, MONEY, _PERCENTAGE)))
_MONEY = any_of(MONEY)
_COUNTED_UNIT = any_of(r"\bhow many\s+(\w+)")
_COUNTED = any_of(
    r"\bhow many\s+(?P<en>\w+(?:\s+\w+){0,2})",
    rf"(?:多少|几)(?:[个名位只艘家座种条项台所枚部篇辆头棵张本支]|(?=[{HAN}][员人]))(?P<zh>[{HAN}]{{2}})",
)
_ASKS_FOR_A_LIMIT = any_of(
    r"\b(?:must|ha(?:ve|s) to|may|can|could|should|need(?:s|ed)?|required?|allowed|at (?:least|most)"
    r"|maximum|minimum|limit)\b",
    r"可以?|能|必须|最[多少]|至[多少]|需|要|允许|不[得超]",
)
_LIMITED = any_of(
    rf"\b(?:at (?:least|most)|no (?:more|fewer|less) than|(?:more|fewer|less) than|up to|minimum of|maximum of)"
    rf"\s+(?:{NUMBER.pattern}|{NUMBER_WORD})|(?:{NUMBER.pattern}|\b{NUMBER_WORD})\s+or\s+\w+",
    rf"(?:至[少多]|最[少多]|不得?超过)\s*(?:{NUMBER.pattern}|{_HAN_NUMBER}+)",
)
"""A number that limits what there may be: "at least two members" are not how many there are."""
_DATE = any_of(
    rf"\b1\d{{3}}\b|\b20\d\d\b|\b{MONTH}\.? \d|\b\d{{1,2}} {MONTH}\b|\bcentury\b|\b\d{{2,4}}s\b|\b(?:BC|AD|BCE|CE)\b",
    rf"\b(?:before|after|during|since|until|within|every)\b[^.;]*{TIME}",
    rf"\b(?:{MONTH_EXCEPT_MAY}|today|yesterday|(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)days?"
    r"|spring|summer|autumn|winter|dawn|morning|noon|evening|dusk|midnight|nights?)\b|\d\s*(?:am|pm|o'clock)\b|\d:\d\d",
    r"\d\s*(?:年(?!级)|[月日])|世纪|年代|[春夏秋冬][季天]|元年|[古近现当时]代|时期|[早晚]期|纪",
    rf"{_HAN_NUMBER}(?:年(?!级)|[月日点])",
)
_WHO_IS = any_of(r"^\W*who(?:['’]s|\s+(?:is|are|was|were))\s+(?:the|our|your|my|their|its)\b")
_BY_DATE = any_of(
    r"\b(?:first|earli(?:er|est)|later|latest|old(?:er|est)|young(?:er|est)|newer|recently|before|born)\b"
)
_BY_NUMBER = any_of(
    r"\b(?:more|most|fewer|less|larg(?:er|est)|bigger|smaller|high(?:er|est)|taller|longer|deeper|wider|heavier)\b"
)
_BESIDE_A_WORD = "“”\"'(),.;:?’"
_OF_A_NAME = re.compile(r"[A-Za-z]\d")
_LABEL_OF_WORDS = pattern(
    rf"(?:^|(?<=; ))[^;:]+: (?![^;]*(?:(?<![A-Za-z])\d|\b{NUMBER_WORD}\b|{_HAN_NUMBER}))", re.IGNORECASE
)
"""The label of a cell that has no number: "Buoy: L6", which is one of the buoys."""
NEAR_AFTER, NEAR_BEFORE = 40, 25
"""Largest distance between a number and what it counts, in characters."""


def asks_for_a_form(question: str, kind: QuestionKind) -> bool:
    """Whether nothing answers that has not a certain form: a number, a date, or the name of who has a role."""
    plain = normal_form(question)
    asks_who = kind is QuestionKind.WHO and plain.isascii() and _WHO_IS.search(plain) is not None
    return asks_who or kind in {QuestionKind.HOW_MANY, QuestionKind.WHEN}


def lacks_form_asked(question: str, kind: QuestionKind, answer: str) -> bool:
    """Whether an answer in words of its own has neither a digit nor the number, date or name that is asked for."""
    if not asks_for_a_form(question, kind) or any(map(str.isdecimal, answer)):
        return False
    tells = matcher_for(question, kind)
    return tells is not None and not tells(normal_form(answer))


def matcher_for(question: str, kind: QuestionKind) -> Tells | None:
    """A test for sentences; None if what is asked for has no recognisable form."""
    plain = normal_form(question)
    if kind is QuestionKind.WHO and plain.isascii():
        held = frozenset(word.strip(_BESIDE_A_WORD).casefold() for word in plain.split())
        return lambda text: _has_new_name(text, held)
    if kind is QuestionKind.WHEN:
        return partial(_has_new, _DATE, plain)
    if kind is QuestionKind.HOW_MANY:
        return _number_asked(plain)
    if kind is QuestionKind.WHY:
        return lambda text: GIVES_REASON.search(text) is not None
    return _compared(plain) if kind is QuestionKind.COMPARISON and sides(question) else None


def _compared(plain: str) -> Tells | None:
    """Test for the property by which two things are compared."""
    if _BY_DATE.search(plain):
        return partial(_has_new, _DATE, plain)
    return partial(_has_new, _NUMBER, plain) if _BY_NUMBER.search(plain) else None


def measure_asked(plain: str) -> re.Pattern[str] | None:
    """Return the form of the measure that a normalised question names: a duration, a frequency, a price."""
    if named := next((answer for asked, answer in _MEASURES if asked.search(plain)), None):
        return named
    counted = _COUNTED_UNIT.search(plain)
    return next((unit for unit in _UNITS if unit.search(f"1 {counted[1]}")), None) if counted else None


def has_unit(amount: str) -> bool:
    """Whether the amount is measured, not counted."""
    plain = normal_form(amount)
    return any(unit.search(plain) for unit in _UNITS)


def _number_asked(plain: str) -> Tells:
    """Test for a measure or a count if the question names one, else for any number."""
    if measure := measure_asked(plain):
        return partial(_has_new, measure, plain)
    if counted := _counted(plain):
        limited = _ASKS_FOR_A_LIMIT.search(plain) is not None
        return lambda text: _counts(_without(text if limited else _LIMITED.sub("", text), plain), counted)
    return partial(_has_new, _NUMBER, plain)


def _has_new(form: re.Pattern[str], question: str, text: str) -> bool:
    """Whether the text has the form apart from words of the question: "each buoy" does not say how often each is."""
    asked = set(question.casefold().split())
    return any(match.group().casefold() not in asked for match in form.finditer(_without(text, question)))


def sides(question: str) -> list[str]:
    """Named things that a question asks to choose from ("A or B"); empty otherwise."""
    return names_in(question) if "or" in question.split() else []


def _without(text: str, question: str) -> str:
    """The text without numbers that occur in the question or belong to tables, articles and the like."""
    text = _SIGNPOST.sub("", text)
    numbers = NUMBER.findall(question)
    return NUMBER.sub(lambda match: "" if match.group() in numbers else match.group(), text) if numbers else text


def _has_new_name(text: str, held: frozenset[str]) -> bool:
    """Return whether the text has a new name or role; "rent officer" is none in a question for the rent officer."""
    fresh = " ".join(word for word in text.split() if word.strip(_BESIDE_A_WORD).casefold() not in held)
    return NAMES_SOMEONE.search(fresh) is not None


def _counted(question: str) -> frozenset[str]:
    """Terms of what is counted: "people" in "how many people may the boat take"."""
    match = _COUNTED.search(question)
    if not match:
        return frozenset()
    named = match["zh"] or " ".join(takewhile(lambda word: word.casefold() not in ENGLISH, match["en"].split()))
    terms = frozenset(content_terms(named))
    return terms.union(*(synonyms(term) for term in terms))


def _counts(text: str, counted: frozenset[str]) -> bool:
    """Return whether a number stands near what is counted.

    "L5", a price and the label of a cell without a number give none.
    """
    text = _LABEL_OF_WORDS.sub("", text)
    paid = {place for match in _MONEY.finditer(text) for place in range(*match.span())}
    numbers = (match for match in _NUMBER.finditer(text) if not _OF_A_NAME.match(text, max(0, match.start() - 1)))
    spots = (match.span() for match in numbers if match.start() not in paid and not YEAR.fullmatch(match.group()))
    windows = (text[max(0, start - NEAR_BEFORE) : end + NEAR_AFTER] for start, end in spots)
    return any(not counted.isdisjoint(content_terms(window)) for window in windows)
