"""Questions for statements about a named thing: "Which companies does X own?", "X的院长是谁？"."""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path

from core.graph.model import ExtractedName, Relation
from core.platform.language.scripts import HAN_CHARACTER
from core.platform.language.terms import terms
from core.rulebook.relations.arguments import NamedPhrase, read_names
from core.rulebook.syntax.parser import Word, parsed

_WORDS = Path(__file__).with_name("statement_words.txt")
_NO_STATEMENT = frozenset({"是", "为", "指", "叫"})
_ASKING = frozenset({"who", "whom", "whose", "which", "what", "where"})
_WHO = r"(?:谁|哪位|哪些|哪个|哪家|哪几|哪里|何处|什么|何人)"
_NOUN = r"[\u4e00-\u9fff]{1,8}?"
_AFTER = re.compile(
    rf"^(?:的(?P<noun>{_NOUN})(?:是|为|有|叫|都有|包括)*{_WHO}"
    rf"|有(?:多少|{_WHO})(?P<kind>[\u4e00-\u9fff]{{2,8}})[？?]?$"
    rf"|(?:都|曾|曾经|已|总共|一共)*(?P<verb>{_NOUN})(?:了|过)*{_WHO})"
)
_BEFORE = re.compile(
    rf"{_WHO}(?:人|家|公司|企业|机构|单位|大学)?(?:是)?(?P<verb>{_NOUN})(?:了|过|于|着)*(?P<noun>的{_NOUN})?$"
)
_JOINING = frozenset({"of", "in", "at", "for", "with", "by", "on", "to"})
_DO = re.compile(r"\b(?:who|whom|which|what|where)\b.*\b(?:do|does|did) (?:the )?$", re.IGNORECASE)
_DOES = re.compile(r" (?P<verb>[a-z]+)(?: [a-z]+)?\W*$")
"""Questions with "does" are read without the parser, which was trained on few questions."""


@dataclass(frozen=True, slots=True)
class AskedStatement:
    words: frozenset[str]
    """Words of the relation: terms, or the Chinese word."""
    is_source: bool
    """Whether the named thing is the source of the relation."""

    def is_answered_by(self, relation: Relation, entity_id: str) -> bool:
        """Whether the relation answers the question about the entity."""
        is_source = relation.source_id == entity_id
        same_end, other_end = _alike(self.words)
        said = _words_of(relation.relation) - _JOINING
        if is_source != self.is_source:
            return _are(said, other_end)
        return said == self.words or (said >= self.words and _is_chinese(said)) or _are(said, same_end)


def _are(said: frozenset[str], words: frozenset[str]) -> bool:
    """ "acquire stake in" is more than "acquire"."""
    return not said.isdisjoint(words) and (said <= words or _is_chinese(said))


def _is_chinese(said: frozenset[str]) -> bool:
    return any(map(HAN_CHARACTER.search, said))


def asked_statement(question: str, start: int, end: int) -> AskedStatement | None:
    """question[start:end] is the named thing; None for a question for something else."""
    chinese = bool(HAN_CHARACTER.search(question[:start] + question[end:]))
    return _chinese(question, start, end) if chinese else _english(question, start, end)


def _chinese(question: str, start: int, end: int) -> AskedStatement | None:
    before, after = question[:start].strip("《“\"'「 "), question[end:].strip("》”\"'」 ")
    if found := _AFTER.match(after):
        return _asked(found["noun"] or found["kind"] or found["verb"], True)
    if (found := _BEFORE.search(before)) and not found["noun"]:
        if rest := re.match(rf"^的(?P<noun>{_NOUN})[？?]?$", after):
            return _asked(rest["noun"], True) if found["verb"] in ("是", "担任", "任") else None
        return _asked(found["verb"], False)
    return None


def _asked(words: str, is_source: bool) -> AskedStatement | None:
    return AskedStatement(_words_of(words), is_source) if words and words not in _NO_STATEMENT else None


def _words_of(relation: str) -> frozenset[str]:
    """Return its terms; of a Chinese one, the listed words in it, and all of it."""
    if not HAN_CHARACTER.search(relation):
        return frozenset(terms(relation))
    return frozenset({relation, *(word for group in _groups() for side in group for word in side if word in relation)})


def _english(question: str, start: int, end: int) -> AskedStatement | None:
    if done := _DOES.match(question[end:]) if _DO.search(question[:start]) else None:
        return _asked(done["verb"], True)
    (words,) = parsed([(question, (0, len(question)))])
    named = read_names(words, [ExtractedName(start, end, question[start:end], "", 1.0)])
    asking = next((word for word in words if word.lower in _ASKING), None)
    if not named or asking is None:
        return None
    return _of_name(words, named[0], asking)


def _of_name(words: Sequence[Word], named: NamedPhrase, asking: Word) -> AskedStatement | None:
    at, label, said = _governing(words, named, asking)
    if at.verb == "be" or not _governs(at):
        apart = [each for each in at.of("nsubj", "attr") if not named.first <= each.place <= named.last]
        return _asked(" ".join(said or [_with_modifiers(each) for each in apart if each.is_noun]), False)
    kept = [] if at.verb in ("do", "have", "be") else [at.verb]
    if label == "nsubjpass" or (label in ("nsubj", "poss") and not said):
        objects = [each.text for each in at.of("dobj") if not _is_asked(each, asking)]
        return _asked(" ".join([*kept, *objects]), True)
    return _asked(" ".join(kept), False)


def _governing(words: Sequence[Word], named: NamedPhrase, asking: Word) -> tuple[Word, str, list[str]]:
    """Return the word that governs the name, its label, and the nouns on the way up to it."""
    said: list[str] = []
    at, label = words[named.head], words[named.head].label
    while at.head >= 0:
        at = words[at.head]
        if _governs(at):
            break
        if at.is_noun and at is not asking:
            said.insert(0, _with_modifiers(at))
        label = at.label
    return at, label, said


def _governs(word: Word) -> bool:
    """A verb, also one that looks like a noun or an adjective: own, work."""
    return word.is_verb or bool(word.of("nsubj", "aux"))


def _with_modifiers(noun: Word) -> str:
    return " ".join([*(each.text for each in noun.of("compound", "amod")), noun.text])


def _is_asked(word: Word, asking: Word) -> bool:
    return word is asking or asking in word.children


@cache
def _groups() -> tuple[tuple[frozenset[str], frozenset[str]], ...]:
    lines = (line for line in _WORDS.read_text(encoding="utf-8").splitlines() if not line.startswith("#"))
    return tuple((_side(one), _side(other)) for one, _, other in (line.partition("|") for line in lines))


def _side(words: str) -> frozenset[str]:
    each = words.split()
    return frozenset(term for word in each for term in ([word] if HAN_CHARACTER.search(word) else terms(word)))


def _alike(words: frozenset[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the synonyms for the same direction, and those for the other."""
    same: frozenset[str] = frozenset()
    other: frozenset[str] = frozenset()
    for one, another in _groups():
        if words <= one | another:
            mine, theirs = (one, another) if words & one else (another, one)
            same, other = same | mine, other | theirs
    return same, other
