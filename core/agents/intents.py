"""What a message is for."""

from dataclasses import dataclass
from enum import StrEnum


class Intent(StrEnum):
    QUESTION = "question"
    """For the documents."""
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
    """The user tells something of themselves or their work."""
    FORGET = "forget"
    """What the user told is to be forgotten."""
    CHAT = "chat"
    ERRAND = "errand"
    """To be done in the world, which no document answers."""
    REWORK = "rework"
    """The last answer again in another form."""
    WEATHER = "weather"
    """An errand that the web can answer."""


ERRANDS = frozenset({Intent.ERRAND, Intent.WEATHER})


@dataclass(frozen=True, slots=True)
class Understanding:
    intent: Intent = Intent.QUESTION
    """QUESTION unless another one is certain."""
    perhaps: Intent = Intent.QUESTION
    """What it may be as well: a model can tell."""

    @property
    def is_question(self) -> bool:
        return self.intent is Intent.QUESTION

    @property
    def is_errand(self) -> bool:
        return self.intent in ERRANDS

    @property
    def in_doubt(self) -> bool:
        return self.is_question and self.perhaps is not Intent.QUESTION


A_QUESTION = Understanding()
