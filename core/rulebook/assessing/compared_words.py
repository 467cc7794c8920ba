"""Words that ask which of several things has the least or the greatest number, and of what."""

import re
from collections.abc import Iterable

from core.platform.language.patterns import any_of, pattern
from core.platform.language.terms import content_terms, normal_form
from core.rulebook.assessing.answer_types import LENGTH, MONEY, TIME, WEIGHT

_GREATEST = "largest biggest greatest highest longest deepest latest most maximum 最大 最高 最多 最长 最深 最晚 最新"
_LEAST = "smallest lowest shortest shallowest earliest fewest least minimum 最小 最低 最少 最短 最浅 最早"
_HIGHER, _LOWER = "larger bigger greater higher longer deeper", "smaller lower shorter shallower"
_OF_PROPERTIES = (
    ("price", 1, ("most expensive", "dearest", "最贵"), ("more expensive", "dearer", "贵")),
    ("price", -1, ("least expensive", "cheapest", "最便宜"), ("less expensive", "cheaper", "便宜")),
    ("weight", 1, ("heaviest", "最重"), ("heavier", "重")),
    ("weight", -1, ("lightest", "最轻"), ("lighter", "轻")),
    ("height", 1, ("tallest",), ("taller",)),
    ("age", 1, ("oldest", "最老"), ("older",)),
    ("age", -1, ("youngest", "最年轻"), ("younger", "年轻")),
    ("time", 1, ("最久",), ("久",)),
)
_COLUMNS = {
    "price": ("price cost fare fee 价格 费用 票价", MONEY),
    "weight": ("weight 重量", WEIGHT),
    "height": ("height 高度", LENGTH),
    "age": ("age 年龄", None),
    "time": ("time duration 时间 时长", TIME),
}
"""By property the names of columns that have it, and the form of its units, by which a column is known, too."""
_SUPERLATIVES = (
    {word: (direction, property) for property, direction, words, _ in _OF_PROPERTIES for word in words}
    | dict.fromkeys(_GREATEST.split(), (1, ""))
    | dict.fromkeys(_LEAST.split(), (-1, ""))
)
"""(way in which numbers are compared, property) by word; "best" and "fastest" tell neither."""
_COMPARATIVES = (
    {
        form: (direction, property)
        for property, direction, _, words in _OF_PROPERTIES
        for word in words
        for form in ([word] if word.isascii() else [f"{more}{word}" for more in ("更", "比较", "较")])
    }
    | dict.fromkeys(_HIGHER.split(), (1, ""))
    | dict.fromkeys(_LOWER.split(), (-1, ""))
)
_LASTS = any_of(r"\b(?:takes?|lasts?)\b")
"""With these words, "longest" is a time."""


def _any(words: Iterable[str]) -> re.Pattern[str]:
    return pattern("|".join(rf"\b{word}\b" if word.isascii() else word for word in words))


_EXTREME, _MORE = _any(_SUPERLATIVES), _any(_COMPARATIVES)


def extreme_words(question: str) -> tuple[str, ...]:
    """The words that ask for an extreme, each once."""
    return tuple(dict.fromkeys(_EXTREME.findall(normal_form(question).casefold())))


def comparing_words(question: str) -> tuple[str, ...]:
    """The words that ask which of two has more or less of something, each once."""
    return tuple(dict.fromkeys(_MORE.findall(normal_form(question).casefold())))


def compared_words(question: str) -> tuple[str, ...]:
    """The words that ask for an extreme, or else for more or less."""
    return extreme_words(question) or comparing_words(question)


def direction_of(word: str) -> int:
    return (_SUPERLATIVES | _COMPARATIVES)[word][0]


def property_of(word: str, question: str) -> str:
    """The property that the word alone compares: the price for "cheapest"; empty where a column has to be named."""
    if word in ("longest", "shortest", "longer", "shorter") and _LASTS.search(question):
        return "time"
    return (_SUPERLATIVES | _COMPARATIVES)[word][1]


def without_verb_of_time(asked: str) -> str:
    return _LASTS.sub(" ", asked)


def is_named_for(property: str, name: str) -> bool:
    """Whether the name of a column says that it has the property."""
    terms = frozenset(content_terms(_COLUMNS[property][0]))
    return not terms.isdisjoint(content_terms(normal_form(name)))


def has_unit_of(property: str, name: str) -> bool:
    """Whether the name of a column has a unit of the property: "Weight (kg)"."""
    form = _COLUMNS[property][1]
    return bool(form and re.search(form, normal_form(name), re.IGNORECASE))
