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


def is_noun_fact(noun: Word) -> bool:
    return not any(each.lower in words("not_yet") for each in noun.of("amod", "det", "compound"))


def _is_asserted(verb: Word) -> bool:
    for child in verb.children:
        if child.label == "neg" or child.lower in words("doubts"):
            return False
        if child.label in ("aux", "auxpass") and child.tag in ("MD", "TO"):
            return False
        if child.label == "mark" and child.lower in words("conditions"):
            return False
    return True


def _is_kept(clause: Word, head: Word) -> bool:
    """Whether a clause states a fact if the one above it does."""
    if clause.label == "ccomp":
        return head.is_verb and head.verb in words("telling_verbs")
    if clause.label in ("xcomp", "pcomp", "csubj", "csubjpass", "acomp"):
        return not clause.is_verb
    return True
