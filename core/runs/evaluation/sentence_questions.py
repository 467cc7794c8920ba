"""A question that a sentence of a document answers, made by turning the sentence around. Pure functions."""

import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

from core.platform.language.scripts import HAN
from core.platform.language.terms import content_terms

LONGEST = {"en": 170, "zh": 60}
"""Longest sentence in characters; longer ones make unnatural questions."""
_MOST_WORDS = 9
"""Most words of a subject."""
_NUMBER = r"\d[\d,]*(?:\.\d+)?"
_VALUE = rf"(?P<answer>{_NUMBER}\s?(?:%|[A-Za-zµ°Ω²³/]+)?)"
_BE = r"(?P<be>is|are|was|were)"
_SIZE = "high|deep|long|wide|tall|old|thick|heavy|large|big|far"
_YEAR = re.compile(r"^(?P<subject>.+?) (?P<be>was|were) (?P<rest>[a-z].*?) in (?P<answer>(?:1[5-9]|20)\d\d)\b")
_OFTEN = re.compile(
    rf"^(?P<subject>.+?) {_BE} (?P<rest>[a-z][^,;]*?) (?P<answer>every (?:{_NUMBER} |[a-z]+ )?[a-z]+)\b", re.IGNORECASE
)
_SIZED = re.compile(rf"^(?P<subject>.+?) {_BE} (?:about |some )?{_VALUE} (?P<size>{_SIZE})\b")
_VALUED = re.compile(rf"^(?P<subject>.+?) {_BE} (?:about |some )?{_VALUE}(?=[.,;]|$| [a-z])")
_DEFINED = re.compile(rf"^(?P<subject>.+?) {_BE} (?:a|an|the) [a-z]")
_UNCLEAR = re.compile(
    r"^(?:it|its|this|that|these|those|there|here|he|she|they|we|you|i|his|her|their|our|one|both|such|what|which|who"
    r"|when|where|how|if|but|and|or|as|in|on|at|for|by|with|from|to|of|all|some|most|many|each of|none|no|figure|table"
    r"|note|example)\b",
    re.IGNORECASE,
)
_CLAUSE = re.compile(r"[,;:()]")
_JOINED = re.compile(
    r"\b(?:because|that|which|who|when|while|if|whether|since|so|but|it|its|this|these|those|he|she|they|his|her|their|we|our"
    r"|you|your|i|my)\b|[;:]",
    re.IGNORECASE,
)
"""Signs of several clauses, or words that refer to another sentence."""
_VERB_FOLLOWS = re.compile(r"^[a-z]{2,}\b")
_NO_VERB = re.compile(r"^(?:and|or|et|of|in|at|for|to|with|from|on|who|which|that|as|by|than|but|via)\b")

_ZH_UNCLEAR = re.compile(
    r"^(?:由|它|他|她|这|那|该|其|此|本|我|你|您|但|而|因|如|若|当|在|对|并|且|则|图|表|注|以上|以下|上述)"
)
_ZH_PERIOD = re.compile(rf"每隔?(?P<answer>{_NUMBER}\s?(?:秒|分钟|小时|天|日|周|星期|个月|季度|年))")
_ZH_YEAR = re.compile(r"(?P<answer>(?:1[5-9]|20)\d\d)\s?年(?!\d)(?:\d{1,2}月(?:\d{1,2}日)?)?")
_ZH_VALUE = re.compile(rf"(?:约|大约)?(?P<answer>{_NUMBER})\s?(?=[{HAN}])(?![年月日号第条章节])")
_ZH_DEFINED = re.compile(rf"^(?P<subject>[{HAN}A-Za-z\d《》·\- ]{{2,14}}?)是(?:一|指|由|以|用)")
_ZH_VERB = re.compile(rf"^[{HAN}](?<![的和与及、等或之在])")


@dataclass(frozen=True, slots=True)
class SentenceQuestion:
    question: str
    answer: str = ""
    """Words of the sentence that answer it; empty where the whole sentence does."""


def asked_of(sentence: str, people: Sequence[str] = ()) -> SentenceQuestion | None:
    """The likeliest question first; people: names of persons and organisations. None where the sentence yields none."""
    plain = " ".join(sentence.split())
    chinese = bool(re.search(f"[{HAN}]", plain))
    if len(plain) > LONGEST["zh" if chinese else "en"] or plain.endswith(("?", "？", ":", "：")):
        return None
    if (_ZH_UNCLEAR if chinese else _UNCLEAR).match(plain):
        return None
    body = plain.rstrip(".。!！;；")
    makers = _CHINESE if chinese else _ENGLISH
    return next((made for make in makers for made in make(body, people) if _is_telling(made)), None)


def _is_telling(made: SentenceQuestion) -> bool:
    """Whether the question names a topic and does not contain its own answer."""
    asked = content_terms(made.question)
    said = f" {made.question.casefold()} "
    return len(asked) >= 1 and not (made.answer and f" {made.answer.casefold()} " in said)


def _who(body: str, people: Sequence[str]) -> Iterator[SentenceQuestion]:
    for name in people:
        start = next((at for at in ("", "The ") if body.startswith(at + name)), None)
        if start is None:
            continue
        rest = _CLAUSE.split(body[len(start + name) :].strip(), maxsplit=1)[0].strip()
        if _VERB_FOLLOWS.match(rest) and not (_NO_VERB.match(rest) or _JOINED.search(rest)) and content_terms(rest)[1:]:
            yield SentenceQuestion(f"Who {rest}?", name)


def _turned(pattern: re.Pattern[str], form: str) -> Callable[[str, Sequence[str]], Iterator[SentenceQuestion]]:
    """form: with {be}, {subject} and other groups of the pattern."""

    def make(body: str, people: Sequence[str]) -> Iterator[SentenceQuestion]:
        del people
        if (found := pattern.match(body)) and _is_subject(found["subject"]):
            parts = {**found.groupdict(), "subject": _inside(found["subject"])}
            if not _JOINED.search(f"{found['subject']} {parts.get('rest', '')}"):
                yield SentenceQuestion(" ".join(form.format(**parts).split()), parts.get("answer", "").strip())

    return make


def _is_subject(words: str) -> bool:
    return len(words.split()) <= _MOST_WORDS and not _CLAUSE.search(words) and bool(content_terms(words))


def _inside(subject: str) -> str:
    """The subject inside a sentence, with articles and determiners in lower case."""
    first, _, rest = subject.partition(" ")
    return f"{first.lower()} {rest}" if rest and first in {"The", "A", "An", "Each", "Every", "All"} else subject


def _zh_who(body: str, people: Sequence[str]) -> Iterator[SentenceQuestion]:
    for name in people:
        if body.startswith(name) and _ZH_VERB.match(rest := body[len(name) :]):
            yield SentenceQuestion(f"谁{_first_clause(rest)}？", name)
        elif f"由{name}" in body and not _ZH_UNCLEAR.match(clause := _clause_with(body, f"由{name}")):
            yield SentenceQuestion(f"{clause.replace(f'由{name}', '由谁', 1)}？", name)


def _zh_replaced(pattern: re.Pattern[str], words: str) -> Callable[[str, Sequence[str]], Iterator[SentenceQuestion]]:
    def make(body: str, people: Sequence[str]) -> Iterator[SentenceQuestion]:
        del people
        found = pattern.search(body)
        if found and found.start() > 1 and len(re.findall(_NUMBER, body)) == 1:
            yield SentenceQuestion(
                f"{body[: found.start()]}{words}{_first_clause(body[found.end() :])}？", found["answer"].strip()
            )

    return make


def _zh_defined(body: str, people: Sequence[str]) -> Iterator[SentenceQuestion]:
    del people
    if found := _ZH_DEFINED.match(body):
        yield SentenceQuestion(f"{found['subject'].strip()}是什么？")


def _first_clause(words: str) -> str:
    return re.split(r"[，；,;]", words, maxsplit=1)[0].strip()


def _clause_with(body: str, words: str) -> str:
    return next(clause for clause in re.split(r"[，；,;]", body) if words in clause).strip()


_ENGLISH = (
    _turned(_OFTEN, "How often {be} {subject} {rest}?"),
    _who,
    _turned(_YEAR, "When {be} {subject} {rest}?"),
    _turned(_SIZED, "How {size} {be} {subject}?"),
    _turned(_VALUED, "What {be} {subject}?"),
    _turned(_DEFINED, "What {be} {subject}?"),
)
_CHINESE = (
    _zh_replaced(_ZH_PERIOD, "多久"),
    _zh_who,
    _zh_replaced(_ZH_YEAR, "哪一年"),
    _zh_replaced(_ZH_VALUE, "多少"),
    _zh_defined,
)
