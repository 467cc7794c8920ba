"""What a message is for."""

from dataclasses import dataclass
from enum import StrEnum


class Intent(StrEnum):
    QUESTION = "question"
    """A question for the documents."""
    GREETING = "greeting"
    THANKS = "thanks"
    FAREWELL = "farewell"
    WELLBEING = "wellbeing"
    ABILITIES = "abilities"
    """Of the app."""
    ABOUT_USER = "about_user"
    IDENTITY = "identity"
    """Of the app."""
    STATEMENT = "statement"
    """The user states something about themselves or their work."""
    FORGET = "forget"
    """Something that the user stated is to be forgotten."""
    DOUBT = "doubt"
    """Of the last answer: "Are you sure?"."""
    CHAT = "chat"
    ERRAND = "errand"
    """A task that no document answers."""
    REWORK = "rework"
    """The last answer again in another form."""
    WEATHER = "weather"
    """An errand that the web can answer."""


ALL_LISTED = "run.reason.memory_listed"
"""Reason of an answer that lists what the person told."""
ERRANDS = frozenset({Intent.ERRAND, Intent.WEATHER})
COURTESIES = frozenset({Intent.GREETING, Intent.THANKS, Intent.FAREWELL, Intent.WELLBEING})
TALK = frozenset({Intent.IDENTITY, Intent.ABILITIES, Intent.ABOUT_USER, Intent.DOUBT, Intent.CHAT})
"""Talk about the assistant and the user."""


@dataclass(frozen=True, slots=True)
class Understanding:
    intent: Intent = Intent.QUESTION
    """QUESTION unless another one is certain."""
    perhaps: Intent = Intent.QUESTION
    """An alternative that only a model can exclude."""

    @property
    def is_question(self) -> bool:
        return self.intent is Intent.QUESTION

    @property
    def is_errand(self) -> bool:
        return self.intent in ERRANDS

    @property
    def is_small_talk(self) -> bool:
        return self.intent in COURTESIES | TALK

    @property
    def in_doubt(self) -> bool:
        return self.is_question and self.perhaps is not Intent.QUESTION


A_QUESTION = Understanding()
