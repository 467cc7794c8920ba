"""Whether a clause states a fact: nothing denied, planned, possible, asked or only claimed."""

from core.rulebook.entities.lexicon import words
from core.rulebook.relations.arguments import Sentence
from core.rulebook.syntax.parser import Word


def is_fact(verb: Word, sentence: Sentence) -> bool:
    """Whether the verb's clause, and every clause around it, states a fact."""
    at: Word | None = verb
    while at is not None:
        if at.is_verb and not _is_asserted(at):
            return False
        head = sentence.head_of(at)
        if head is not None and not _is_kept(at, head):
            return False
        at = head
    return True


def is_noun_fact(noun: Word, sentence: Sentence) -> bool:
    """Whether nothing before the noun says that it does not hold, or not now: "X, no longer a subsidiary"."""
    head = sentence.head_of(noun) if noun.label == "appos" else None
    beside = [each for each in head.of("neg", "advmod") if each.place > head.place] if head else []
    before = [*noun.of("amod", "det", "compound", "neg", "advmod"), *beside]
    return not any(each.place < noun.place and (_is_denial(each) or each.lower in words("not_yet")) for each in before)


def _is_asserted(verb: Word) -> bool:
    for child in verb.children:
        if _is_denial(child):
            return False
        if child.label in ("aux", "auxpass") and child.tag in ("MD", "TO"):
            return False
        if child.label == "mark" and child.lower in words("conditions"):
            return False
    return True


def _is_denial(word: Word) -> bool:
    """Not, no longer, possibly."""
    return word.label == "neg" or word.lower in words("doubts") or (word.lower == "longer" and bool(word.of("neg")))


def _is_kept(clause: Word, head: Word) -> bool:
    """Whether a clause states a fact if the one above it does."""
    if clause.label == "ccomp":
        return head.is_verb and head.verb in words("telling_verbs")
    if clause.label in ("xcomp", "pcomp", "csubj", "csubjpass", "acomp"):
        return not clause.is_verb
    return True
