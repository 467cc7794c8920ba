"""Whose and what a question asks about, and whether a statement tells of that: of the wife and of no sister."""

from collections.abc import Iterator
from functools import lru_cache

import numpy as np

from core.models.ports import Embedder
from core.platform.language.patterns import pattern
from core.platform.language.scripts import HAN, HAN_CHARACTER
from core.platform.language.terms import content_terms, content_words, normal_form
from core.rulebook.assessing.word_meanings import SAME
from core.rulebook.syntax.parser import Word, parsed

_LABEL = pattern(r"(?P<label>[^:：]{1,40}?)\s*:(?!\d)\s*(?P<value>.+)")
_OWN = frozenset({"my", "our"})
_PRONOUNS = frozenset({"PRP", "PRP$"})
_QUALIFIES = frozenset({"poss", "compound", "nmod", "pobj"})
_CLAUSES = frozenset({"relcl", "acl"})
_KIN = "父母爸妈爷奶公婆哥弟姐妹兄嫂儿女妻夫孙侄甥姑舅姨叔伯婶婿媳娘"
"""Characters that Chinese words for relatives are made of."""
_RELATIVE = pattern(rf"[我咱]们?的?(?P<kin>[{HAN}]?[{_KIN}][{_KIN}子]*)")
_SELF = pattern("[我咱]")
_OWNED = pattern(rf"(?:[我咱]们?的?)?(?P<owner>[{HAN}]{{1,6}}?)的")


def is_about_what_is_named(question: str, statement: str, encoder: Embedder | None) -> bool:
    """Return whether the statement has the owners that the question names, and is about no others."""
    if HAN_CHARACTER.search(question):
        return _is_about_in_han(normal_form(question), normal_form(statement), encoder)
    asked, subject = _parsed(question), _subject_of(_as_sentence(statement))
    if not all(_says(statement, word.text, encoder) for word in _owners(asked)):
        return False
    unnamed = [word for word in subject if not _says(question, word.text, encoder)]
    if subject and len(unnamed) == len(subject):
        of_asker = any(word.tag in _PRONOUNS for word in asked)
        return not of_asker or any(_says(statement, word.text, encoder) for word in asked if _is_own(word))
    labels = {word.label for word in unnamed}
    qualifiers = (word for word in asked if word.is_noun and word.label in _QUALIFIES)
    is_another = not labels.isdisjoint(_QUALIFIES)
    return "poss" not in labels and (not is_another or all(_says(statement, word.text, encoder) for word in qualifiers))


def _as_sentence(statement: str) -> str:
    """ "Sister Mira: a nurse" as "My sister Mira is a nurse"."""
    found = _LABEL.fullmatch(statement)
    return f"My {found['label'][0].lower()}{found['label'][1:]} is {found['value']}" if found else statement


@lru_cache(64)
def _parsed(sentence: str) -> tuple[Word, ...]:
    return tuple(parsed([(sentence, (0, len(sentence)))])[0])


def _subject_of(statement: str) -> tuple[Word, ...]:
    """The nouns of the subject: none of "I have two cats"."""
    roots = (word for word in _parsed(statement) if word.head < 0)
    return tuple(noun for root in roots for subject in root.of("nsubj", "nsubjpass") for noun in _nouns(subject))


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


def _says(text: str, word: str, encoder: Embedder | None) -> bool:
    return not set(content_terms(word)).isdisjoint(content_terms(text)) or _means_any(
        word, content_words(text), encoder
    )


def _means_any(word: str, others: list[str], encoder: Embedder | None) -> bool:
    """Whether the word means the same as one of the others."""
    if encoder is None or not encoder.semantic or not others:
        return False
    vectors = np.array(encoder.embed([word, *others]))
    vectors /= np.linalg.norm(vectors, axis=1, keepdims=True).clip(1e-9)
    return bool((vectors[1:] @ vectors[0]).max() >= SAME)


def _is_about_in_han(question: str, statement: str, encoder: Embedder | None) -> bool:
    asked, told = _RELATIVE.search(question), _RELATIVE.match(statement)
    if asked and not _are_same(asked["kin"], told["kin"] if told else statement, encoder):
        return False
    if told and not asked and _SELF.search(question) and told["kin"] not in question:
        return False
    owner = _OWNED.match(statement)
    return not owner or owner["owner"] in question or set(content_terms(question)) <= set(content_terms(statement))


def _are_same(kin: str, other: str, encoder: Embedder | None) -> bool:
    return kin in other or other in kin or _means_any(kin, [other], encoder)
