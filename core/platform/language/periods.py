"""The days that words of a question name, seen from now: "last week", "in May 2023", "两年前"."""

import calendar
import re
from datetime import date, datetime, timedelta
from typing import NamedTuple

from core.platform.language.numbers import MONTH
from core.platform.language.patterns import pattern

_ENGLISH = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten")
_COUNTS = {word: n for n, word in enumerate(_ENGLISH, 1)}
_COUNTS |= {word: n for n, word in enumerate("一二三四五六七八九十", 1)} | {"a": 1, "an": 1, "两": 2, "兩": 2}
_UNITS = {"day": "day", "天": "day", "日": "day", "week": "week", "周": "week", "週": "week", "星期": "week"}
_UNITS |= {"month": "month", "月": "month", "year": "year", "年": "year"}
_UNIT = "day|week|month|year"
_HAN_UNIT = "天|日|周|週|星期|月|年"
_AGO = pattern(
    rf"\b(\d{{1,9}}|{'|'.join(word for word in _COUNTS if word.isascii())})\s+({_UNIT})s?\s+ago\b"
    rf"|(\d{{1,9}}|[一二三四五六七八九十两兩])\s*[个個]?({_HAN_UNIT})(?:之|以)?前",
    re.IGNORECASE,
)
_NAMED = pattern(
    rf"\b(last|past|previous|this|current)\s+({_UNIT})\b"
    rf"|(上|这|這|本)\s*(?:一)?[个個]?({_HAN_UNIT})|(去|今)(年)|\b(yesterday|today)\b|(前天|昨天|今天)",
    re.IGNORECASE,
)
_DATE = pattern(
    rf"\b(?:(\d{{1,2}})(?:st|nd|rd|th)?\s+(?:of\s+)?)?({MONTH})\b\.?(?:\s+(\d{{1,2}})(?:st|nd|rd|th)?\b(?!\d))?"
    r"(?:,?\s+((?:19|20)\d\d))?\b",
    re.IGNORECASE,
)
_ISO = re.compile(r"(?<!\d)((?:19|20)\d\d)-(\d\d?)(?:-(\d\d?))?(?!\d)")
_HAN_DATE = re.compile(r"(?:((?:19|20)\d\d)\s*年)?\s*(1[0-2]|[1-9])\s*月(?:\s*(\d{1,2})\s*[日号號])?")
_YEAR = re.compile(r"(?<![\d.,])((?:19|20)\d\d)(?![\d.,]\d|\d|%)")
_LEFT = re.compile(r"\s(?:in|on)[\s.?!]*$", re.IGNORECASE)
"""What is left before days that end a question."""
_MONTHS = {
    name.lower(): number
    for names in (calendar.month_name, calendar.month_abbr)
    for number, name in enumerate(names)
    if name
}
_SINGLE = {"yesterday": 1, "昨天": 1, "前天": 2, "today": 0, "今天": 0}


class Period(NamedTuple):
    """Both days belong to it."""

    first: date
    last: date

    def holds(self, moment: datetime) -> bool:
        return self.first <= moment.date() <= self.last


def period_in(words: str, now: datetime) -> Period | None:
    """The first one that is named; of a month or day without a year, the last one that has begun."""
    return _relative(words, now.date()) or _dated(words, now.date())


def without_periods(words: str) -> str:
    """ "What did I tell you" of "What did I tell you last week"."""
    words = _DATE.sub(lambda found: found[0] if _is_verb(found) else "", words)
    for named in (_AGO, _NAMED, _ISO, _HAN_DATE, _YEAR):
        words = named.sub("", words)
    return " ".join(_LEFT.sub("", words).split())


def _relative(words: str, today: date) -> Period | None:
    if ago := _AGO.search(words):
        count, unit = (ago[1], ago[2]) if ago[1] else (ago[3], ago[4])
        number = int(count) if count.isdigit() else _COUNTS[count.lower()]
        return _whole(_UNITS[unit.lower()], today, number)
    if not (named := _NAMED.search(words)):
        return None
    if single := named[7] or named[8]:
        return _whole("day", today, _SINGLE[single.lower()])
    which, unit = (named[1] or named[3] or named[5]).lower(), (named[2] or named[4] or named[6]).lower()
    return _whole(_UNITS[unit], today, int(which in {"last", "past", "previous", "上", "去"}))


def _whole(unit: str, today: date, back: int) -> Period | None:
    """The whole day, week, month or year, `back` of them ago."""
    try:
        if unit == "day":
            day = today - timedelta(days=back)
            return Period(day, day)
        if unit == "week":
            monday = today - timedelta(days=today.weekday(), weeks=back)
            return Period(monday, monday + timedelta(days=6))
        if unit == "year":
            return _of(today.year - back)
        months = today.year * 12 + today.month - 1 - back
        return _of(months // 12, months % 12 + 1)
    except (ValueError, OverflowError):
        return None


def _dated(words: str, today: date) -> Period | None:
    """Raises nothing: the 31st of April is no day."""
    try:
        if iso := _ISO.search(words):
            return _of(int(iso[1]), int(iso[2]), int(iso[3] or 0))
        if han := _HAN_DATE.search(words):
            return _latest(han[1], int(han[2]), int(han[3] or 0), today)
        for found in _DATE.finditer(words):
            if _is_verb(found):
                continue
            month = _MONTHS[found[2].lower()[:3]]
            return _latest(found[4], month, int(found[1] or found[3] or 0), today)
        if year := _YEAR.search(words):
            return _of(int(year[1]))
    except ValueError:
        return None
    return None


def _is_verb(found: re.Match[str]) -> bool:
    """Whether "may", or "May" alone at the beginning, is no month."""
    is_alone = not (found[1] or found[3] or found[4] or found.start())
    return found[2] == "may" or (found[2].lower() == "may" and is_alone)


def _latest(year: str | None, month: int, day: int, today: date) -> Period:
    if year:
        return _of(int(year), month, day)
    this = _of(today.year, month, day)
    return this if this.first <= today else _of(today.year - 1, month, day)


def _of(year: int, month: int = 0, day: int = 0) -> Period:
    if day:
        return Period(date(year, month, day), date(year, month, day))
    if month:
        return Period(date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))
    return Period(date(year, 1, 1), date(year, 12, 31))
