"""Classifies messages by labelled examples. A message without a certain intent is a question and is searched."""

import re
from collections import defaultdict
from collections.abc import Mapping
from enum import StrEnum
from pathlib import Path
from typing import Any, TypeVar

import numpy as np

from core.agents.intents import A_QUESTION, COURTESIES, TALK, Intent, Understanding
from core.models.ports import Embedder
from core.platform.errors import ServiceError
from core.platform.language.terms import normal_form
from core.rulebook.understanding.fitted import FITTED, Examples, lines_of
from core.rulebook.understanding.statements import PersonalMessage

EXAMPLES = Path(__file__).with_name("examples")
"""One file per intent, one message per line in the form of plain_words(), which saves 10 ms at start."""
SURE = 0.6
"""Margin from which a message is not a question: 0 of 1,900 questions of public sets and 4 of 471 examples reach it
when their own weight is left out."""
SURE_COURTESY = 0.3
"""The same for greetings, thanks and goodbyes: 98 % of their examples reach it when their own weight is left out, and
ten of 471 of questions ("go on")."""
SURE_CHAT = 0.5
"""The same for talk about the assistant and the user; the highest of such questions has 0.40 ("can you elaborate")."""
PERHAPS = 0.3
"""Margin from which a model, if configured, is asked."""
NEAR = 0.45
"""Examples with a lower cosine similarity are unrelated to the message. Below this, none of 2,300 questions that are no
examples reaches a margin above, but greetings with a name do."""
NEAR_WORD = 0.75
"""The same for a single word of the Latin script, which says little: two of 300 words of the lexicons reach it, where
39 reach NEAR. Of greetings that are no examples "hellooo" and "thanx" reach it, "ttyl" does not."""
NEIGHBOURS = 5
"""Number of nearest examples that vote for the label."""
MAX_LENGTH = 200
"""Longer messages, in characters, are always questions."""
L = TypeVar("L", bound=StrEnum)
_SURE = dict.fromkeys(COURTESIES, SURE_COURTESY) | dict.fromkeys(TALK, SURE_CHAT)
_BETWEEN_WORDS = re.compile(r"[^\w']+")
_CLAUSES = re.compile(r"[,.!?;:，。、！？；：]+")


class Intents:
    """Classifies messages by similarity to the examples; thread-safe.

    The margin of a message is the sum of the examples' weights, each times the square of its cosine similarity (kernel
    ridge regression on 1 for no question, -1 for a question). Without a semantic embedder only the examples
    themselves are recognised.
    """

    def __init__(self, embedder: Embedder) -> None:
        self._embedder = embedder
        self._examples = read_examples()
        self._fitted = Examples(embedder, self._examples, EXAMPLES / FITTED)

    def of(self, message: str) -> Understanding:
        plain = plain_words(message)
        if not plain:
            return Understanding(Intent.CHAT)
        if known := self._examples.get(plain):
            return Understanding(known, known)
        personal = PersonalMessage(message)
        if personal.asks_for_all_of_self:
            return Understanding(Intent.ABOUT_USER, Intent.ABOUT_USER)
        if len(plain) > MAX_LENGTH or not self._embedder.semantic:
            return Understanding(Intent.STATEMENT) if personal.is_only_a_statement else A_QUESTION
        try:
            return self._judged(message)
        except ServiceError:
            return A_QUESTION

    def warm(self) -> None:
        """Embeds the examples, which takes about a second, unless the weights are already cached."""
        if self._embedder.semantic:
            self._fitted.fit()

    def _judged(self, message: str) -> Understanding:
        likeness, margins = self._fitted.compared(message)
        margin = -margins[Intent.QUESTION]
        if PersonalMessage(message).is_only_a_statement:
            return Understanding(Intent.STATEMENT if margin > 0 else Intent.QUESTION, Intent.STATEMENT)
        if margin < PERHAPS or likeness.max() < _nearness_needed(message):
            return A_QUESTION
        nearest = nearest_label(self._examples, likeness, Intent.QUESTION)
        if nearest is Intent.STATEMENT:
            return A_QUESTION
        sure = margin >= _SURE.get(nearest, SURE) and (nearest not in _SURE or self._asks_nothing(message))
        return Understanding(nearest if sure else Intent.QUESTION, nearest)

    def _asks_nothing(self, message: str) -> bool:
        """Whether no clause looks like a question: "Good morning, list the buoys" is more than a greeting."""
        clauses = [clause for clause in _CLAUSES.split(message) if clause.strip()]
        return len(clauses) < 2 or all(self._fitted.compared(clause)[1][Intent.QUESTION] < 0 for clause in clauses)


def _nearness_needed(message: str) -> float:
    plain = plain_words(message)
    return NEAR_WORD if plain.isascii() and " " not in plain else NEAR


def nearest_label(examples: Mapping[str, L], likeness: Any, usual: L) -> L:
    """The label by vote of the nearest examples that have another one than the usual."""
    labels = list(examples.values())
    others = [place for place in np.argsort(-likeness) if labels[place] is not usual]
    votes: defaultdict[L, float] = defaultdict(float)
    for place in others[:NEIGHBOURS]:
        votes[labels[place]] += float(likeness[place]) ** 3
    return max(votes, key=lambda label: votes[label])


def read_examples() -> Mapping[str, Intent]:
    return {
        plain: intent
        for intent in Intent
        if intent is not Intent.FORGET  # see self_statements.py
        for plain in lines_of(EXAMPLES, intent)
    }


def plain_words(message: str) -> str:
    """Normalised text: lower case, one script and width, no punctuation but apostrophes, single spaces."""
    return " ".join(_BETWEEN_WORDS.sub(" ", normal_form(message).lower().replace("’", "'")).split())
