"""Whose and what a question asks about, and whether a statement tells of that: of the wife and of no sister."""

import re
from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from core.models.ports import Embedder
from core.platform.language.patterns import pattern
from core.platform.language.scripts import HAN, HAN_CHARACTER
from core.platform.language.terms import content_terms, content_words, normal_form
from core.rulebook.assessing.word_meanings import SAME
from core.rulebook.syntax.parser import Word, parsed
from core.rulebook.understanding.relatives import LABEL_PERSON, OWN_PERSON, PERSON, are_same_person

_LABEL = pattern(r"(?P<label>[^:：]{1,40}?)\s*:(?!\d)\s*(?P<value>.+)")
_OWN = frozenset({"my", "our"})
_PRONOUNS = frozenset({"PRP", "PRP$"})
_QUALIFIES = frozenset({"poss", "compound", "nmod", "pobj"})
_CLAUSES = frozenset({"relcl", "acl"})
_IN_LAW = pattern(r"(?<=\w)-in-law\b")
_NAMED_OWNER = pattern(r"\b(?P<kin>(?:[Mm]y|[Oo]ur) [a-z]+) (?P<name>[A-Z]\w+(?: [A-Z]\w+)*)(?=['’]s\b)")
"""My brother Tom's."""
_SELF = pattern("[我咱]")
_OWNED = pattern(rf"(?P<self>[我咱]们?)?(?P<of>的)?(?P<owner>(?:(?![在是有])[{HAN}]){{1,6}}?)的")


def is_about_what_is_named(question: str, statement: str, encoder: Embedder | None) -> bool:
    """Return whether the statement has the owners that the question names, and is about no others."""
    if HAN_CHARACTER.search(question):
        return _is_about_in_han(normal_form(question), normal_form(statement))
    question, statement = _IN_LAW.sub("inlaw", question), _IN_LAW.sub("inlaw", statement)
    asked = _parsed(_with_one_owner(_as_sentence(question), statement))
    told = _parsed(_with_one_owner(_as_sentence(statement), question))
    subject = _subject_of(told)
    if not all(says(statement, word.text, encoder) for word in _owners(asked)):
        return False
    unnamed = [word for word in subject if not says(question, word.text, encoder)]
    if len(unnamed) < len(subject) or not subject:
        return _is_about_nothing_else(asked, unnamed, statement, encoder)
    of_asker = any(word.tag in _PRONOUNS for word in asked)
    is_of_owner = any(_does_what_its_owner_is_asked_for(word, asked) for word in unnamed)
    own = (word for word in asked if _is_own(word))
    return not is_of_owner and (not of_asker or any(says(statement, word.text, encoder) for word in own))


def _is_about_nothing_else(
    asked: tuple[Word, ...], unnamed: list[Word], statement: str, encoder: Embedder | None
) -> bool:
    """unnamed: nouns of the statement's subject that the question does not name."""
    if any(_does_what_its_owner_is_asked_for(word, asked) for word in unnamed):
        return False
    labels = {word.label for word in unnamed}
    if labels.isdisjoint(_QUALIFIES):
        return True
    qualifiers = (word for word in asked if word.is_noun and word.label in _QUALIFIES)
    return "poss" not in labels and all(says(statement, word.text, encoder) for word in qualifiers)


def _as_sentence(statement: str) -> str:
    """ "Sister Mira: a nurse" as "My sister Mira is a nurse"."""
    found = _LABEL.fullmatch(statement)
    return f"My {found['label'][0].lower()}{found['label'][1:]} is {found['value']}" if found else statement


def _with_one_owner(sentence: str, other: str) -> str:
    """ "My brother Tom's number" as "Tom's number" if the other names Tom, else as "My brother's number"."""
    return _NAMED_OWNER.sub(lambda it: it["name"] if it["name"] in other else it["kin"], sentence)


def _does_what_its_owner_is_asked_for(subject: Word, asked: tuple[Word, ...]) -> bool:
    """ "wife" in "My boss's wife is Eva" for "Who is my boss?"."""
    owners = {word.lower for word in subject.of("poss")}
    return any(word.label == "nsubj" and word.lower in owners for word in asked)


@lru_cache(64)
def _parsed(sentence: str) -> tuple[Word, ...]:
    return tuple(parsed([(sentence, (0, len(sentence)))])[0])


def _subject_of(told: tuple[Word, ...]) -> tuple[Word, ...]:
    """The nouns of the subject: none of "I have two cats", "brother" of "My brother is here, he's a vet"."""
    subjects = [word for word in told if word.label in ("nsubj", "nsubjpass")]
    of_root = [word for word in subjects if told[word.head].head < 0]
    spoken = subjects[:1] if told and told[0].lower in _OWN else of_root
    return tuple(noun for subject in spoken for noun in _nouns(subject))


def _nouns(phrase: Word) -> Iterator[Word]:
    if phrase.is_noun:
        yield phrase
    for child in phrase.children:
        if child.label not in _CLAUSES:
            yield from _nouns(child)


def _is_own(word: Word) -> bool:
    return word.is_noun and any(child.lower in _OWN for child in word.of("poss"))


def _owners(asked: tuple[Word, ...]) -> Iterator[Word]:
    """ "wife" of "my wife's birthday", "the birthday of my wife" and "does my wife work"; none of "is my birthday"."""
    for word in asked:
        head = asked[word.head] if word.head >= 0 else None
        if head is None or not word.is_noun:
            continue
        is_possessor = word.label == "poss" or (word.label == "pobj" and head.lower == "of")
        if is_possessor or (_is_own(word) and not (word.label == "nsubj" and head.verb == "be")):
            yield word


def says(text: str, word: str, encoder: Embedder | None, alike: float = SAME) -> bool:
    """Return whether the text has the word, the same relative, or a word as alike in meaning."""
    return (
        not set(content_terms(word)).isdisjoint(content_terms(text))
        or any(are_same_person(word, other.text) for other in _parsed(text))
        or _means_any(word, content_words(text), encoder, alike)
    )


def _means_any(word: str, others: list[str], encoder: Embedder | None, alike: float) -> bool:
    """Whether the cosine of the word with one of the others is that high."""
    if encoder is None or not encoder.semantic or not others:
        return False
    vectors = np.array(encoder.embed([word, *others]))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-9)
    return bool((vectors[1:] @ vectors[0]).max() >= alike)


def _is_about_in_han(question: str, statement: str) -> bool:
    asked, told = OWN_PERSON.search(question), OWN_PERSON.match(statement) or LABEL_PERSON.match(statement)
    spoken = OWN_PERSON.search(statement) or told
    if asked and spoken:
        return _are_same(PERSON.findall(asked["chain"]), PERSON.findall(spoken["chain"]))
    named = PERSON.findall(question)
    if asked or (named and not told and _SELF.match(statement)):
        return _has_any(named, PERSON.findall(statement))
    is_own = _SELF.search(question) is not None
    if told and is_own:
        return _has_any(named, PERSON.findall(told["chain"])[:1])
    return _is_about_owner(question, statement, is_own)


def _is_about_owner(question: str, statement: str, is_own: bool) -> bool:
    """Whether the question names whose thing the statement is about, or has no word that it lacks."""
    owner = _OWNED.match(statement)
    if not owner or owner["owner"] in question:
        return True
    return not (is_own and _is_of_another(owner)) and set(content_terms(question)) <= set(content_terms(statement))


def _is_of_another(owner: re.Match[str]) -> bool:
    return bool(owner["of"]) or not owner["self"]


def _has_any(asked: list[str], told: list[str]) -> bool:
    return any(are_same_person(one, other) for one in asked for other in told)


def _are_same(asked: list[str], told: list[str]) -> bool:
    return len(asked) == len(told) and all(map(are_same_person, asked, told))
