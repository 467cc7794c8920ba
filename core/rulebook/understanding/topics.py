"""Topics of questions: names that the graph knows, quoted and capitalised ones, or the noun phrase."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from core.models.ports import Embedder
from core.platform.language.patterns import pattern
from core.platform.language.scripts import HAN, HAN_CHARACTER, KANA
from core.rulebook.understanding.clauses import has_interrogative
from core.rulebook.understanding.questions import strip_frames

PARTICLES = pattern(r"[\s?？!！。.呢吗嗎啊]+$")
QUOTED = pattern(r"[\"“«《「『]([^\"”»》」』]{2,80})[\"”»》」』]")
_LATIN = rf"[^\W{KANA}{HAN}]"
"""A letter of a word; "KelpNet是" ends one."""
_OF_A_WORD = pattern(_LATIN)
_NAMES = pattern(
    rf"(?<!{_LATIN})[A-Z](?:{_LATIN}|[\-./])*(?:\s+(?:(?:of|the|de|von|van)\s+)?[A-Z0-9](?:{_LATIN}|[\-./])*)*"
)
_ZH_TOPIC = pattern(
    r"^(?:什[么麼]是|介[绍紹](?:一下)?)?(.{2,20}?)"
    r"(?:是什[么麼]|是[谁誰]|有(?:哪些|什[么麼]|多少|几|幾)|在哪|的|位于|位於|成立|怎[么麼]|如何|$)"
)
_EN_TOPIC = pattern(
    r"^(?:what|who|which|where|when|why|how)\b.*?\b(?:is|are|was|were|does|do|did|about)\s+((?:the"
    r"|an?)\s+[\w\- ]{2,50})",
    re.I,
)
_TOLD_ABOUT = pattern(
    r"^(?:(?:please|(?:can|could|would) you(?: please)?)\s+|[请請])?"
    r"(?:tell me|introduce|describe|summari[sz]e|explain|介[绍紹]|[说說]{1,2}|[讲講]{1,2})"
    r"(?:\s+about\s+|一下|\s+)?(?P<thing>.+)$",
    re.IGNORECASE,
)
_TITLE = pattern(
    r"(?:(?:the|an?)\s)?[A-Z0-9][\w'’.\-]*"
    r"(?:[\s:,]+(?:(?:of|the|and|as|in|on|at|to|an?|for|with|from|by|or|de|von|van|la|le)\s+)*[A-Z0-9][\w'’.\-]*)*"
    rf"|[{HAN}·]{{2,12}}"
)
_ZH_OF = frozenset("的和与與及跟吗嗎呢吧")
_QUESTION_WORD_LIST = """
what who whom whose which where when why how is are was were do does did can could will would should the a an in on at
and or but also then list name give tell explain describe define summarize compare show please i
"""
_QUESTION_WORDS = frozenset(_QUESTION_WORD_LIST.split())


@dataclass(frozen=True, slots=True)
class KnownNames:
    """Names from the knowledge graph that occur in the conversation, longest first."""

    things: Sequence[str] = ()
    people: Sequence[str] = ()
    encoder: Embedder | None = None
    """Compares parts of questions by meaning; None where only their letters can be compared."""


def topic_of(question: str, names: KnownNames) -> str:
    """Return what a question is about: a known name, a quoted one, a capitalised one, else its noun phrase."""
    if whole := whole_title(question):
        return whole
    known = next((name for name in names.things if occurs(name, question)), "")
    if known:
        return known
    if quoted := QUOTED.search(question):
        return quoted[1]
    if named := names_in(question):
        return max(named, key=len)
    plain = PARTICLES.sub("", strip_frames(question))
    match = _ZH_TOPIC.match(plain) if has_han(plain) else _EN_TOPIC.match(plain)
    topic = match[1].strip() if match else ""
    return "" if has_han(topic) and has_interrogative(topic) else topic


def whole_title(question: str) -> str:
    """The title or name that a question is entirely about; the graph may know only part of it."""
    told = _TOLD_ABOUT.match(PARTICLES.sub("", question.strip()))
    thing = told["thing"].strip() if told else ""
    return thing if _TITLE.fullmatch(thing) and _ZH_OF.isdisjoint(thing) else ""


def names_in(question: str) -> list[str]:
    """Capitalised names, without a question word at the beginning."""
    return [name for found in _NAMES.findall(question) if (name := _without_question_word(found))]


def topics_of(question: str, names: KnownNames) -> list[str]:
    """Everything the question names; topic_of() chooses one of them."""
    if whole := whole_title(question):
        return [whole]
    return (
        outer_names(names.things, question)
        or names_in(question)
        or [topic for topic in [topic_of(question, names)] if topic]
    )


def outer_names(names: Sequence[str], text: str) -> list[str]:
    """Return the names in the text that are not part of longer ones."""
    known = [name for name in names if occurs(name, text)]
    return [name for name in known if not any(name != other and occurs(name, other) for other in known)]


def occurs(name: str, text: str) -> bool:
    """Return whether the name stands in the text as a word, in any case.

    No pattern is compiled from the name: that takes as long as encoding a question.
    """
    if has_han(name):
        return name in text
    wanted, told = name.lower(), text.lower()
    at = told.find(wanted)
    while at >= 0:
        end = at + len(wanted)
        if not (at and _OF_A_WORD.match(told, at - 1)) and not _OF_A_WORD.match(told, end):
            return True
        at = told.find(wanted, at + 1)
    return False


def _without_question_word(name: str) -> str:
    words = name.split()
    while words and words[0].lower() in _QUESTION_WORDS:
        words = words[1:]
    return " ".join(words)


def has_han(text: str) -> bool:
    return HAN_CHARACTER.search(text) is not None
